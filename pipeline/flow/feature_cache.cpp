#include "pipeline/flow/feature_cache.h"

#include <map>
#include <optional>
#include <regex>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "pipeline/index_settings.h"
#include "stages/variance/variance_stage.h"
#include "storage/artefact_files.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

// The size of a chunk, which is read at once and lost when a run is killed. Up to five are in
// memory while words are assigned. A power cut may lose more: chunks are not synced.
constexpr std::size_t kChunkImages = 32;
constexpr std::size_t kChunkBytes = std::size_t{8} << 20U;

constexpr const char* kStatistics = "statistics";
constexpr const char* kFeatures = "features";

// Returns a digest of everything that features and blankness depend on.
std::string key_of(const RunConfig& config) {
  std::string text = fmt::format("variance.blank_below={}\n", config.variance.blank_below);
  for (const auto& [name, value] : settings_of(config.extract)) {
    text += fmt::format("{}={}\n", name, value);
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  return to_hex(hash_content(std::span(bytes, text.size())));
}

// Returns the key and the number in the name of a cache file, KEY-NUMBER.EXTENSION or
// .KEY-NUMBER.EXTENSION.PID.N.lookalike-tmp; nothing for another name.
std::optional<std::pair<std::string, std::size_t>> parse_name(const std::string& name) {
  static const std::regex pattern(
      R"(\.?([0-9a-f]{32})-([0-9]{6,18})\.(statistics|features)(\.[0-9]+\.[0-9]+\.lookalike-tmp)?)");
  std::smatch match;
  if (!std::regex_match(name, match, pattern)) return std::nullopt;
  return std::pair(match[1].str(), std::stoul(match[2].str()));
}

std::size_t bytes_taken(const FeatureSet& features) {
  return features.descriptors.size() * sizeof(float) + features.size() * sizeof(Keypoint);
}

// Turns failures into Error(kStorage): the file is no input of the user.
std::vector<ImageFeatures> read_back(const fs::path& file) {
  try {
    std::vector<ImageFeatures> images;
    ArtefactReader<ImageFeatures> reader(file);
    while (auto image = reader.next()) images.push_back(std::move(*image));
    return images;
  } catch (const Error& error) {
    throw Error(ErrorKind::kStorage, error.what());
  }
}

}  // namespace

FeatureCache::FeatureCache(const RunConfig& config)
    : folder_(config.store.database + ".work"), key_(key_of(config)), variance_(config.variance) {
  // Do not follow a link: files in the folder are removed.
  std::error_code ignored;
  const fs::file_type type = fs::symlink_status(folder_, ignored).type();
  if (type == fs::file_type::directory) {
    find_chunks();
  } else if (type == fs::file_type::symlink) {
    fail("is a link, not a folder");
  } else if (type != fs::file_type::not_found && type != fs::file_type::none) {
    fail("is no folder, and lookalike did not write it: move it, or name another database");
  }
}

void FeatureCache::fail(const std::string& what) const {
  throw Error(ErrorKind::kStorage, fmt::format("{}: {}", folder_.string(), what));
}

fs::path FeatureCache::file(std::size_t chunk, const char* extension) const {
  return folder_ / fmt::format("{}-{:06}.{}", key_, chunk, extension);
}

void FeatureCache::find_chunks() {
  std::set<fs::path> unused;
  std::set<std::size_t> chunks;
  std::error_code error;
  fs::directory_iterator entry(folder_, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename();
    const auto key_and_number = parse_name(name);
    if (!key_and_number || entry->is_directory()) {
      fail(
          fmt::format("contains {}, which lookalike did not write: move it, or name another "
                      "database",
                      printable(name)));
    }
    unused.insert(entry->path());
    if (key_and_number->first == key_) chunks.insert(key_and_number->second);
  }
  if (error) fail(fmt::format("cannot be read: {}", error.message()));
  for (const std::size_t chunk : chunks) {
    next_chunk_ = chunk + 1;
    if (!read_places(chunk)) continue;
    unused.erase(file(chunk, kStatistics));
    unused.erase(file(chunk, kFeatures));
  }
  std::error_code ignored;
  for (const fs::path& path : unused) fs::remove(path, ignored);
}

// Adds the chunk to earlier_. Returns false if it is damaged or incomplete; it is not used then.
bool FeatureCache::read_places(std::size_t chunk) {
  try {
    ArtefactReader<ImageStatistics> statistics(file(chunk, kStatistics));
    ArtefactReader<ImageFeatures> features(file(chunk, kFeatures));
    Places places;
    while (const auto image = features.next()) {
      const auto sums = statistics.next();
      if (!sums || sums->image.content != image->image.content) return false;
      const std::size_t index = places.size();
      places.emplace(image->image.content, Place{chunk, index, image->features.size(), sums->sums});
    }
    earlier_.merge(places);
    return true;
  } catch (const Error&) {
    return false;
  }
}

FeatureCache::Place FeatureCache::place_of(const Item& item) const {
  const auto earlier = earlier_.find(item.content);
  if (earlier != earlier_.end()) return earlier->second;
  const std::lock_guard lock(mutex_);
  return added_.at(item.content);
}

void FeatureCache::load(std::span<Item> items) const {
  std::map<std::size_t, std::vector<std::pair<Item*, Place>>> by_chunk;
  for (Item& item : items) {
    if (!item.is<CachedFeatures>()) continue;
    const Place place = place_of(item);
    by_chunk[place.chunk].emplace_back(&item, place);
  }
  for (const auto& [chunk, wanted] : by_chunk) {
    std::vector<ImageFeatures> images = read_back(file(chunk, kFeatures));
    for (const auto& [item, place] : wanted) {
      item->sums = place.sums;
      item->blank = is_blank(place.sums, variance_);
      ImageFeatures& image = images.at(place.index);
      image.image.file = item->file;
      item->state = std::move(image);
    }
  }
}

void FeatureCache::add(Item& item) {
  const std::lock_guard lock(mutex_);
  auto& [record, features] = std::get<ImageFeatures>(item.state);
  if (!contains(item.content) &&
      added_.emplace(item.content, Place{next_chunk_, pending_.size(), features.size(), item.sums})
          .second) {
    pending_bytes_ += bytes_taken(features);
    pending_.push_back({{record, std::move(features)}, item.sums});
    if (pending_.size() == kChunkImages || pending_bytes_ >= kChunkBytes) write_pending();
  }
  if (!item.blank) item.state = CachedFeatures{};
}

void FeatureCache::flush() {
  const std::lock_guard lock(mutex_);
  write_pending();
}

void FeatureCache::write_pending() {
  if (pending_.empty()) return;
  std::error_code error;
  fs::create_directory(folder_, error);
  if (error) fail(fmt::format("cannot be created: {}", error.message()));
  ArtefactWriter<ImageStatistics> statistics(OutputFile::unguarded(file(next_chunk_, kStatistics)));
  for (const auto& [image, sums] : pending_) statistics.write({image.image, sums});
  statistics.finish();
  ArtefactWriter<ImageFeatures> features(OutputFile::unguarded(file(next_chunk_, kFeatures)));
  for (const auto& [image, sums] : pending_) features.write(image);
  features.finish();
  pending_.clear();
  pending_bytes_ = 0;
  ++next_chunk_;
}

void FeatureCache::discard() {
  std::error_code ignored;
  for (fs::directory_iterator entry(folder_, ignored); entry != fs::directory_iterator();
       entry.increment(ignored)) {
    if (parse_name(entry->path().filename())) fs::remove(entry->path(), ignored);
  }
  fs::remove(folder_, ignored);  // fails if it holds other files
}

}  // namespace lookalike
