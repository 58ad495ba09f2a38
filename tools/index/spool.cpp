#include "tools/index/spool.h"

#include <system_error>
#include <utility>

#include "pipeline/error.h"

namespace lookalike {
namespace {

// No pixels are in them, so that batches may be larger than where images are decoded.
constexpr std::size_t kReplayImages = 64;

}  // namespace

Spool::Spool(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
  std::filesystem::create_directory(folder_, error);
  if (error) {
    throw Error(ErrorKind::kStorage,
                "spool: folder " + folder_.string() + " cannot be made: " + error.message());
  }
  writer_ = std::make_unique<ArtefactWriter<ImageFeatures>>(file());
}

Spool::~Spool() {
  writer_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void Spool::add(std::vector<ExtractedItem> items) {
  for (ExtractedItem& item : items) {
    const auto* image = std::get_if<ExtractedImage>(&item);
    if (image && !image->blank) {
      writer_->write(image->features);
      sums_[image->features.image.content] = image->sums;
      continue;
    }
    if (image) ++blank_;
    if (const auto* skipped = std::get_if<SkippedFile>(&item)) skipped_.push_back(*skipped);
    others_.push_back(std::move(item));
  }
}

void Spool::finish() {
  writer_->finish();
  writer_.reset();
}

FeatureSource Spool::features() const {
  return [this](const std::function<void(const ImageFeatures&)>& visit) {
    ArtefactReader<ImageFeatures> reader(file());
    while (const std::optional<ImageFeatures> image = reader.next()) visit(*image);
  };
}

void Spool::replay(const std::function<void(std::vector<ExtractedItem>)>& accept) {
  std::vector<ExtractedItem> batch;
  features()([&](const ImageFeatures& image) {
    batch.emplace_back(ExtractedImage{sums_.at(image.image.content), false, image});
    if (batch.size() == kReplayImages) accept(std::exchange(batch, {}));
  });
  accept(std::move(batch));
  accept(std::exchange(others_, {}));
}

}  // namespace lookalike
