#include "pipeline/searcher.h"

#include <utility>

#include <spdlog/spdlog.h>

#include "base/path_set.h"
#include "base/program.h"
#include "base/work_limits.h"
#include "kernels/surf/tone.h"
#include "kernels/voting/voting.h"
#include "pipeline/device/open_session.h"
#include "pipeline/index_settings.h"
#include "pipeline/stored_calibration.h"
#include "stages/decode/colours.h"
#include "stages/match/refine/frame.h"

namespace lookalike {

std::optional<LoadedFile> load_indexed(const StoredImage& image, const ImagesOptions& limits) {
  for (const std::string& path : image.paths) {
    if (!is_path(path)) continue;
    auto loaded = load_file(path, limits);
    auto* const file = std::get_if<LoadedFile>(&loaded);
    if (file != nullptr && file->content == image.content) return std::move(*file);
  }
  return std::nullopt;
}

std::optional<DecodedImage> read_indexed(const StoredImage& image, WantedSize size,
                                         const ImagesOptions& limits) {
  const std::optional<LoadedFile> file = load_indexed(image, limits);
  if (!file) return std::nullopt;
  auto decoded = decode(*file, size, limits);
  auto* const picture = std::get_if<DecodedImage>(&decoded);
  return picture != nullptr ? std::optional(std::move(*picture)) : std::nullopt;
}

std::optional<ColourImage> read_indexed_colours(const StoredImage& image, double most_pixels,
                                                const ImagesOptions& limits) {
  const std::optional<LoadedFile> file = load_indexed(image, limits);
  if (!file) return std::nullopt;
  auto decoded = decode_in_colour(*file, most_pixels, limits);
  auto* const picture = std::get_if<ColourImage>(&decoded);
  return picture != nullptr ? std::optional(std::move(*picture)) : std::nullopt;
}

std::vector<std::filesystem::path> searched_databases(const RunConfig& config) {
  std::vector<std::filesystem::path> databases = {config.store.database};
  databases.insert(databases.end(), config.match.shards.begin(), config.match.shards.end());
  return databases;
}

namespace {

// Returns the options to extract a photo with: the index's, with more features for a second look.
ExtractOptions for_photos(ExtractOptions options, const MatchOptions& match) {
  if (!match.second_look) return options;
  options.max_features =
      static_cast<std::uint32_t>(kSecondLookFeatures * static_cast<double>(options.max_features));
  return options;
}

}  // namespace

ExtractOptions extract_options_of(const IndexReader& index) {
  if (index.settings().empty()) index.codebook();  // throws: the index has no images yet
  return extract_options_from(index.settings());
}

Query query_of(ExtractStage& extract, DecodedImage photo) {
  Query query{.image = std::move(photo), .features = {}};
  query.features = std::move(extract.run({&query.image, 1}).front().features);
  return query;
}

Searcher::Searcher(const IndexReader& index, const RunConfig& config, OpenClSession* session,
                   QueryLoad load)
    : extract_options_(extract_options_of(index)),
      photo_options_(for_photos(extract_options_, config.match)),
      limits_(config.images),
      own_session_(session ? nullptr
                           : std::make_unique<OpenClSession>(query_session_options(config.device))),
      session_(session ? *session : *own_session_),
      matcher_(session_, index, calibration_for(index, config.match), config.match,
               {[this](const StoredImage& image, WantedSize size) {
                  auto picture = read_indexed(image, size, limits_);
                  if (picture) brighten(picture->pixels, brightness());
                  return picture;
                },
                [this](const StoredImage& image, double most_pixels) {
                  return read_indexed_colours(image, most_pixels, limits_).value_or(ColourImage{});
                }}) {
  const bool must = config.match.device_voting == "on";
  const bool may = config.match.device_voting == "auto" && load == QueryLoad::kMany &&
                   session_.device().kind == DeviceKind::kGpu && !voting_kernels(session_).empty();
  if (!must && !may) return;
  try {
    matcher_.vote_on_device();
    logger()->info("voting on {}", session_.device().name);
  } catch (const Error& error) {
    if (must || error.kind() != ErrorKind::kDevice) throw;
    logger()->info("voting on the host: {}", error.what());
  }
}

std::variant<Query, SkippedFile> Searcher::load(const std::string& path,
                                                const std::optional<Region>& region) {
  auto photo = load_file(path, limits_);
  if (auto* skipped = std::get_if<SkippedFile>(&photo)) return std::move(*skipped);
  return load(std::get<LoadedFile>(std::move(photo)), region);
}

std::variant<Query, SkippedFile> Searcher::load(LoadedFile photo,
                                                const std::optional<Region>& region) {
  const WantedSize size = wanted_size(extract_options_);
  auto decoded =
      region ? decode_region(photo, *region, size, limits_) : decode(photo, size, limits_);
  if (auto* skipped = std::get_if<SkippedFile>(&decoded)) return std::move(*skipped);
  Query query = with_features(std::get<DecodedImage>(std::move(decoded)));
  query.colours = [file = std::make_shared<const LoadedFile>(std::move(photo)), region,
                   limits = limits_](double most_pixels) {
    auto again = decode_in_colour(*file, most_pixels, limits, region);
    auto* picture = std::get_if<ColourImage>(&again);
    return picture != nullptr ? std::move(*picture) : ColourImage{};
  };
  return query;
}

void Searcher::prepare_extraction() {
  const std::lock_guard lock(extracting_);
  extract();
}

Query Searcher::with_features(DecodedImage photo) {
  Query query = [&] {
    const std::lock_guard lock(extracting_);
    check_time();
    return query_of(extract(), std::move(photo));
  }();
  query.first_look = extract_options_.max_features;
  brighten(query.image.pixels, brightness());
  return query;
}

ExtractStage& Searcher::extract() {
  return extract_ ? *extract_ : extract_.emplace(session_, photo_options_);
}

}  // namespace lookalike
