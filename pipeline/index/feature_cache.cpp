#include "pipeline/index/feature_cache.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <regex>
#include <set>
#include <span>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "stages/store/settings.h"
#include "storage/artefact_files.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

// A chunk is what a kill may cost; writing one costs four syncs.
constexpr std::size_t kChunkImages = 64;
constexpr std::size_t kChunkBytes = std::size_t{16} << 20U;
constexpr std::size_t kLoadedChunks = 2;

constexpr const char* kStatistics = "statistics";
constexpr const char* kFeatures = "features";

// Counts up when decoding gives other pixels than before. 2: what is transparent lies over a
// ground.
constexpr int kDecoding = 2;

// Everything that features and the judgement that an image is blank depend on.
std::string key_of(const RunConfig& config) {
  std::string text =
      fmt::format("decoding={}\nvariance.minimum={}\n", kDecoding, config.variance.minimum);
  for (const auto& [name, value] : settings_of(config.extract)) {
    text += fmt::format("{}={}\n", name, value);
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  return to_hex(hash_content(std::span(bytes, text.size())));
}

// The number in KEY-NUMBER.EXTENSION.
std::optional<std::size_t> chunk_number(const fs::path& file, std::string_view key) {
  const std::string stem = file.stem().string();
  if (!stem.starts_with(key) || stem.size() < key.size() + 2) return std::nullopt;
  std::size_t number = 0;
  const char* end = stem.data() + stem.size();
  const auto parsed = std::from_chars(stem.data() + key.size() + 1, end, number);
  return parsed.ptr == end && parsed.ec == std::errc() ? std::optional(number) : std::nullopt;
}

// Whether we write files of this name: KEY-NUMBER.EXTENSION, of any key, and .(that).PID.N.tmp.
bool is_ours(const std::string& name) {
  static const std::regex kName(
      R"(\.?[0-9a-f]{32}-[0-9]{6,}\.(statistics|features)(\.[0-9]+\.[0-9]+\.tmp)?)");
  return std::regex_match(name, kName);
}

std::size_t bytes_of(const FeatureSet& features) {
  return features.descriptors.size() * sizeof(float) + features.size() * sizeof(Keypoint);
}

// Not an input that the user gave: what we wrote there ourselves cannot be read back.
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
  // Not through a link: what is found in the folder is removed.
  std::error_code ignored;
  const fs::file_type type = fs::symlink_status(folder_, ignored).type();
  if (type == fs::file_type::directory) find_chunks();
  if (type == fs::file_type::symlink) fail("is a link, not a folder");
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
    if (!is_ours(name) || entry->is_directory()) {
      fail(
          fmt::format("holds {}, which lookalike did not write: move it away, or name another "
                      "database",
                      printable(name)));
    }
    unused.insert(entry->path());
    if (const auto number = chunk_number(entry->path(), key_)) chunks.insert(*number);
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

// False, and nothing is taken over, when the chunk is not whole.
bool FeatureCache::read_places(std::size_t chunk) {
  try {
    ArtefactReader<ImageStatistics> statistics(file(chunk, kStatistics));
    ArtefactReader<ImageFeatures> features(file(chunk, kFeatures));
    Places places;
    while (const auto image = features.next()) {
      const auto sums = statistics.next();
      if (!sums || sums->image.content != image->image.content) return false;
      const std::size_t index = places.size();
      places.emplace(image->image.content, Place{chunk, index, sums->sums});
    }
    earlier_.merge(places);
    return true;
  } catch (const Error&) {
    return false;
  }
}

ExtractedImage FeatureCache::load(const SourceFile& file, const ContentHash& content) {
  const auto earlier = earlier_.find(content);
  const Place& place = earlier != earlier_.end() ? earlier->second : added_.at(content);
  ExtractedImage image;
  image.sums = place.sums;
  image.blank = place.sums.variance() < variance_.minimum;
  image.features = features(place);
  image.features.image.file = file;
  return image;
}

const ImageFeatures& FeatureCache::features(const Place& place) {
  const auto is_it = [&](const auto& chunk) { return chunk.first == place.chunk; };
  auto found = std::ranges::find_if(loaded_, is_it);
  if (found == loaded_.end()) {
    if (loaded_.size() == kLoadedChunks) loaded_.pop_front();
    found = loaded_.emplace(loaded_.end(), place.chunk, read_back(file(place.chunk, kFeatures)));
  }
  return found->second.at(place.index);
}

void FeatureCache::add(ExtractedImage image) {
  const ContentHash& content = image.features.image.content;
  if (contains(content) ||
      !added_.emplace(content, Place{next_chunk_, pending_.size(), image.sums}).second) {
    return;
  }
  pending_bytes_ += bytes_of(image.features.features);
  pending_.push_back(std::move(image));
  if (pending_.size() == kChunkImages || pending_bytes_ >= kChunkBytes) flush();
}

void FeatureCache::flush() {
  if (pending_.empty()) return;
  std::error_code error;
  fs::create_directory(folder_, error);
  if (error) fail(fmt::format("cannot be made: {}", error.message()));
  ArtefactWriter<ImageStatistics> statistics(OutputFile::unguarded(file(next_chunk_, kStatistics)));
  for (const ExtractedImage& image : pending_) {
    statistics.write({image.features.image, image.sums});
  }
  statistics.finish();
  ArtefactWriter<ImageFeatures> features(OutputFile::unguarded(file(next_chunk_, kFeatures)));
  for (const ExtractedImage& image : pending_) features.write(image.features);
  features.finish();
  pending_.clear();
  pending_bytes_ = 0;
  ++next_chunk_;
}

void FeatureCache::discard() {
  std::error_code ignored;
  for (fs::directory_iterator entry(folder_, ignored); entry != fs::directory_iterator();
       entry.increment(ignored)) {
    if (is_ours(entry->path().filename())) fs::remove(entry->path(), ignored);
  }
  fs::remove(folder_, ignored);  // which leaves it where something else is in it
}

}  // namespace lookalike
