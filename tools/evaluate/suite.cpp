#include "tools/evaluate/suite.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <opencv2/imgproc.hpp>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/geometry.h"
#include "base/parallel.h"
#include "stages/decode/decode.h"
#include "stages/decode/pixels.h"

namespace lookalike {
namespace {

const std::string& first_path(const StoredImage& image) {
  return image.paths.front();
}

void select_or_leave_out(StoredImage image, Selection& selection) {
  if (image.feature_count > 0) {
    selection.photos.push_back(std::move(image));
  } else {
    selection.left_out.push_back({first_path(image), image.blank ? "is blank" : "has no features"});
  }
}

void select_among(std::span<const SourceFile> files, const IndexReader& index,
                  Selection& selection) {
  std::unordered_set<ImageId> seen;
  for (const SourceFile& file : files) {
    const std::optional<ImageId> id = index.find(file.path);
    if (!id) {
      selection.left_out.push_back({file.path, "is not in the index"});
    } else if (seen.insert(*id).second) {
      std::optional<StoredImage> image = index.image(*id);
      require(image.has_value(), "select_photos: an image that was found is missing");
      image->paths = {file.path};
      select_or_leave_out(std::move(*image), selection);
    }
  }
}

// A photo before it is distorted.
struct Original {
  const StoredImage& image;
  cv::Mat pixels;
  Homography from_full_size;  // between pixel centres
};

struct PreparedVariant {
  std::variant<DecodedImage, SkippedFile> decoded;
  Quad place{};  // of the photo, in px of the variant
};

std::variant<Original, LeftOutImage> read_original(const StoredImage& image,
                                                   const ImagesOptions& limits) {
  const std::string& path = first_path(image);
  const auto loaded = load_file(path, limits);
  const auto* file = std::get_if<LoadedFile>(&loaded);
  if (file == nullptr) return LeftOutImage{path, "cannot be read"};
  if (file->content != image.content) return LeftOutImage{path, "has changed since it was indexed"};
  const auto header = check_header(*file, limits);
  if (const auto* why = std::get_if<SkippedFile>(&header)) return LeftOutImage{path, why->detail};
  const auto decoded = decode_pixels(*file, std::get<ImageHeader>(header), PixelMode::kColour);
  if (const auto* why = std::get_if<SkippedFile>(&decoded)) return LeftOutImage{path, why->detail};
  const cv::Mat& photo = std::get<ShownPixels>(decoded).pixels;
  const double factor =
      std::min(1.0, static_cast<double>(kSuitePhotoSidePx) / std::max(photo.cols, photo.rows));
  cv::Mat small = photo;
  if (factor < 1) cv::resize(photo, small, {}, factor, factor, cv::INTER_AREA);
  return Original{image, small, resizing(photo.cols, photo.rows, small.cols, small.rows)};
}

std::uint64_t seed_of_variant(const ContentHash& content, std::string_view kind,
                              std::size_t strength, std::uint64_t seed) {
  std::vector<std::uint8_t> name(content.begin(), content.end());
  name.insert(name.end(), kind.begin(), kind.end());
  return sample_rank(hash_content(name), seed * 1000 + strength);
}

PreparedVariant prepare(const Original& original, const VariantKind& kind, std::size_t strength,
                        const SuiteOptions& options) {
  const StoredImage& image = original.image;
  Random random(seed_of_variant(image.content, kind.name, strength, options.seed));
  Variant variant = kind.make(original.pixels, kind.strengths[strength], random);
  LoadedFile file;
  file.file.path = first_path(image);
  file.file.size_bytes = variant.file.size();
  file.content = hash_content(variant.file);
  file.bytes = std::move(variant.file);
  return {decode(file, wanted_size(options.extract), options.limits),
          outline(variant.photo_to_variant * original.from_full_size, image.width, image.height)};
}

SuiteAnswer answer_to(PreparedVariant variant, const StoredImage& image, const LookUp& look_up) {
  SuiteAnswer answer{.photo = first_path(image), .first = {}};
  auto* decoded = std::get_if<DecodedImage>(&variant.decoded);
  if (decoded == nullptr) return answer;
  const std::vector<Match> matches = look_up(std::move(*decoded));
  if (!matches.empty()) answer.first = first_path(matches.front().image);
  const auto found = std::find_if(matches.begin(), matches.end(),
                                  [&](const Match& match) { return match.image.id == image.id; });
  if (found == matches.end()) return answer;
  answer.rank = static_cast<std::size_t>(found - matches.begin()) + 1;
  answer.confirmed = answer.rank == 1 && found->decision >= Decision::kSameObject;
  answer.iou = intersection_over_union(clockwise(found->pose.quad), clockwise(variant.place));
  return answer;
}

// Returns the indices of each kind and each of its strengths.
std::vector<std::pair<std::size_t, std::size_t>> all_variants(
    const std::vector<VariantKind>& kinds) {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    for (std::size_t i = 0; i < kinds[kind].strengths.size(); ++i) all.emplace_back(kind, i);
  }
  return all;
}

}  // namespace

Selection select_photos(const IndexReader& index,
                        const std::optional<std::span<const SourceFile>>& files, std::size_t count,
                        std::uint64_t seed) {
  Selection selection;
  if (files) {
    select_among(*files, index, selection);
  } else {
    index.for_each_image([&](const StoredImage& image) { select_or_leave_out(image, selection); });
  }
  std::vector<StoredImage>& photos = selection.photos;
  if (photos.empty()) {
    throw Error(
        ErrorKind::kInput,
        fmt::format("evaluate: no photo to distort; {} were left out{}", selection.left_out.size(),
                    selection.left_out.empty()
                        ? ""
                        : fmt::format(" (the first: {} {})", selection.left_out[0].path,
                                      selection.left_out[0].why)));
  }
  std::ranges::sort(photos, {}, [&](const StoredImage& image) {
    return std::pair(sample_rank(image.content, seed), image.id);
  });
  photos.resize(std::min(photos.size(), count));
  std::ranges::sort(photos, {}, first_path);
  return selection;
}

SuiteResult run_suite(Selection selection, const SuiteOptions& options, const LookUp& look_up,
                      Progress::Style style) {
  const auto variants = all_variants(options.kinds);
  const std::vector<StoredImage>& photos = selection.photos;
  Progress progress("variants", "queries", variants.size() * photos.size(), style);
  SuiteResult result{options.kinds, 0, std::move(selection.left_out), {}};
  for (std::size_t i = 0; i < photos.size(); ++i) {
    progress.update(i * variants.size());
    const auto read = read_original(photos[i], options.limits);
    if (const auto* left_out = std::get_if<LeftOutImage>(&read)) {
      result.left_out.push_back(*left_out);
      continue;
    }
    ++result.photos;
    std::vector<SuiteAnswer> answers(variants.size());
    parallel_for(variants.size(), core_count(), [&](std::size_t v) {
      const auto [kind, strength] = variants[v];
      answers[v] =
          answer_to(prepare(std::get<Original>(read), options.kinds[kind], strength, options),
                    photos[i], look_up);
      answers[v].kind = kind;
      answers[v].strength = strength;
    });
    std::ranges::move(answers, std::back_inserter(result.answers));
  }
  progress.update(photos.size() * variants.size());
  return result;
}

std::vector<SuiteRow> suite_rows(const SuiteResult& result) {
  std::vector<SuiteRow> rows;
  for (const auto& [kind, strength] : all_variants(result.kinds)) {
    const VariantKind& variant = result.kinds[kind];
    SuiteRow row{variant.name, variant.unit, variant.strengths[strength]};
    for (const SuiteAnswer& answer : result.answers) {
      if (answer.kind != kind || answer.strength != strength) continue;
      ++row.queries;
      row.recall_at_1 += answer.rank == 1 ? 1 : 0;
      row.recall_at_1_confirmed += answer.confirmed ? 1 : 0;
      row.located_at_75 += answer.rank > 0 && answer.iou >= 0.75 ? 1 : 0;
    }
    if (row.queries > 0) {
      row.recall_at_1 /= static_cast<double>(row.queries);
      row.recall_at_1_confirmed /= static_cast<double>(row.queries);
      row.located_at_75 /= static_cast<double>(row.queries);
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace lookalike
