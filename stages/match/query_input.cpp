#include "stages/match/query_input.h"

#include <utility>

namespace lookalike {
namespace {

using ReadWords = std::function<IndexQuery(Look)>;
using ReadColours = std::function<std::shared_ptr<const ColourImage>(ColourSize)>;

ReadWords words_of(SharedSearch& shared, const Query& photo) {
  const std::size_t at_first = shared.options.words_per_feature;
  const std::size_t at_second = most_words_per_feature(shared.options);
  const auto found = std::make_shared<PhotoWords>(photo, shared.codebook, at_second);
  return [&shared, &photo, at_first, at_second, found](Look look) {
    return look == Look::kFirst ? shared.words_of(*found, at_first, photo.first_look_features())
                                : shared.words_of(*found, at_second, photo.features.size());
  };
}

ReadColours colours_of(const Query& photo) {
  if (!photo.colours) return nullptr;
  return [&photo](ColourSize size) {
    return std::make_shared<const ColourImage>(photo.colours(most_pixels(size)));
  };
}

}  // namespace

QueryInput::QueryInput(SharedSearch& shared, const Query& photo, const ReportOptions& report,
                       IsCompared is_compared)
    : shared_(shared),
      report_(report),
      is_compared_(std::move(is_compared)),
      read_words_(words_of(shared, photo)),
      read_picture_([&photo] { return &photo.image; }),
      read_colours_(colours_of(photo)) {
  ++shared_.in_progress;
}

QueryInput::QueryInput(SharedSearch& shared, const std::shared_ptr<const Record>& record,
                       const ReportOptions& report)
    : shared_(shared),
      report_(report),
      read_words_([&shared, record](Look) {
        return index_query(*record, shared.cache.signatures(*record));
      }),
      read_picture_([&shared, record,
                     picture = std::shared_ptr<const std::optional<DecodedImage>>()]() mutable {
        picture = shared.cache.picture(record->image);
        return *picture ? &**picture : nullptr;
      }),
      read_colours_([&shared, record](ColourSize size) {
        return shared.cache.colours(record->image, size);
      }) {
  ++shared_.in_progress;
}

const DecodedImage* QueryInput::picture() {
  if (!picture_) picture_ = read_picture_();
  return *picture_;
}

const Pyramid& QueryInput::pyramid() {
  if (!pyramid_) pyramid_.emplace(*picture());
  return *pyramid_;
}

const ColourImage& QueryInput::colours(ColourSize size) {
  const std::lock_guard lock(reading_colours_);
  auto& colours = colours_[static_cast<std::size_t>(size)];
  if (!colours) colours = read_colours_(size);
  return *colours;
}

}  // namespace lookalike
