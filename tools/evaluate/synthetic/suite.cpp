#include "tools/evaluate/synthetic/suite.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "base/content_hash.h"
#include "base/geometry.h"
#include "base/parallel.h"
#include "stages/decode/pixels.h"

namespace lookalike {
namespace {

// A photo as it is made different.
struct Original {
  const StoredImage& image;
  cv::Mat pixels;
  Homography from_full_size;  // between pixel centres
};

// A variant that is ready to be looked up.
struct PreparedVariant {
  std::variant<DecodedImage, SkippedFile> decoded;
  Quad place{};  // of the photo
};

// The photo, or why there is none.
std::variant<Original, LeftOut> read_original(const StoredImage& image,
                                              const ImagesOptions& limits) {
  const std::string& path = image.paths.front();
  const auto loaded = load_file(path, limits);
  const auto* file = std::get_if<LoadedFile>(&loaded);
  if (file == nullptr) return LeftOut{path, "cannot be read"};
  if (file->content != image.content) return LeftOut{path, "has changed since it was indexed"};
  const auto header = check_header(*file, limits);
  if (const auto* why = std::get_if<SkippedFile>(&header)) return LeftOut{path, why->detail};
  const auto decoded = decode_pixels(*file, std::get<ImageHeader>(header), cv::IMREAD_COLOR);
  if (const auto* why = std::get_if<SkippedFile>(&decoded)) return LeftOut{path, why->detail};
  const cv::Mat& photo = std::get<ShownPixels>(decoded).pixels;
  const double factor =
      std::min(1.0, static_cast<double>(kSuitePhotoSidePx) / std::max(photo.cols, photo.rows));
  cv::Mat small = photo;
  if (factor < 1) cv::resize(photo, small, {}, factor, factor, cv::INTER_AREA);
  return Original{image, small, resizing(photo.cols, photo.rows, small.cols, small.rows)};
}

// Seeds what chance does to one variant.
std::uint64_t seed_of(const ContentHash& content, std::string_view kind, std::size_t strength,
                      std::uint64_t seed) {
  std::vector<std::uint8_t> name(content.begin(), content.end());
  name.insert(name.end(), kind.begin(), kind.end());
  return sample_rank(hash_content(name), seed * 1000 + strength);
}

PreparedVariant prepare(const Original& original, const VariantKind& kind, std::size_t strength,
                        const SuiteOptions& options) {
  const StoredImage& image = original.image;
  Random random(seed_of(image.content, kind.name, strength, options.seed));
  Variant variant = kind.make(original.pixels, kind.strengths[strength], random);
  LoadedFile file;
  file.file.path = image.paths.front();
  file.file.size_bytes = variant.file.size();
  file.content = hash_content(variant.file);
  file.bytes = std::move(variant.file);
  return {decode(file, wanted_size(options.extract), options.limits),
          outline(variant.photo_to_variant * original.from_full_size, image.width, image.height)};
}

SuiteAnswer judge(const StoredImage& image, const std::vector<Match>& matches, const Quad& place) {
  SuiteAnswer answer;
  answer.photo = image.paths.front();
  if (!matches.empty()) answer.first = matches.front().image.paths.front();
  const auto found = std::find_if(matches.begin(), matches.end(),
                                  [&](const Match& match) { return match.image.id == image.id; });
  if (found == matches.end()) return answer;
  answer.rank = static_cast<std::size_t>(found - matches.begin()) + 1;
  answer.iou = intersection_over_union(clockwise(found->quad), clockwise(place));
  return answer;
}

// Every kind in every strength: indices.
std::vector<std::pair<std::size_t, std::size_t>> all_variants(
    const std::vector<VariantKind>& kinds) {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    for (std::size_t i = 0; i < kinds[kind].strengths.size(); ++i) all.emplace_back(kind, i);
  }
  return all;
}

class Suite {
 public:
  Suite(Selection selection, const SuiteOptions& options, const Ask& ask, Progress::Style style)
      : options_(options),
        ask_(ask),
        photos_(std::move(selection.photos)),
        variants_(all_variants(options.kinds)),
        progress_("variants", "queries", variants_.size() * photos_.size(), style),
        result_{options.kinds, 0, std::move(selection.left_out), {}} {}

  SuiteResult run() {
    for (std::size_t i = 0; i < photos_.size(); ++i) {
      const auto read = read_original(photos_[i], options_.limits);
      if (const auto* left_out = std::get_if<LeftOut>(&read)) {
        result_.left_out.push_back(*left_out);
      } else {
        ++result_.photos;
        ask_for_all_of(std::get<Original>(read));
      }
      progress_.update((i + 1) * variants_.size());
    }
    return std::move(result_);
  }

 private:
  // Variants are made while others are looked up.
  void ask_for_all_of(const Original& original) {
    const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
    OrderedParallel<PreparedVariant> prepared(
        variants_.size(), threads, 2 * threads, [&](std::size_t i) {
          const auto [kind, strength] = variants_[i];
          return prepare(original, options_.kinds[kind], strength, options_);
        });
    for (const auto& [kind, strength] : variants_) {
      SuiteAnswer answer = answer_to(*prepared.next(), original.image);
      answer.kind = kind;
      answer.strength = strength;
      result_.answers.push_back(std::move(answer));
    }
  }

  SuiteAnswer answer_to(PreparedVariant variant, const StoredImage& image) const {
    auto* decoded = std::get_if<DecodedImage>(&variant.decoded);
    std::vector<Match> matches;
    if (decoded != nullptr) matches = ask_(std::move(*decoded));
    return judge(image, matches, variant.place);
  }

  const SuiteOptions& options_;
  const Ask& ask_;
  const std::vector<StoredImage> photos_;
  const std::vector<std::pair<std::size_t, std::size_t>> variants_;
  Progress progress_;
  SuiteResult result_;
};

}  // namespace

SuiteResult run_suite(Selection selection, const SuiteOptions& options, const Ask& ask,
                      Progress::Style style) {
  return Suite(std::move(selection), options, ask, style).run();
}

std::vector<SuiteRow> suite_rows(const SuiteResult& result) {
  std::vector<SuiteRow> rows;
  for (const auto& [kind, strength] : all_variants(result.kinds)) {
    const VariantKind& of = result.kinds[kind];
    SuiteRow row{of.name, of.unit, of.strengths[strength]};
    for (const SuiteAnswer& answer : result.answers) {
      if (answer.kind != kind || answer.strength != strength) continue;
      ++row.queries;
      row.recall_at_1 += answer.rank == 1 ? 1 : 0;
      row.located_at_75 += answer.rank > 0 && answer.iou >= 0.75 ? 1 : 0;
    }
    if (row.queries > 0) {
      row.recall_at_1 /= static_cast<double>(row.queries);
      row.located_at_75 /= static_cast<double>(row.queries);
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace lookalike
