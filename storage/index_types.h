#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/artefacts.h"
#include "base/error.h"
#include "base/scan.h"

namespace lookalike {

// Number of an image in an index, from 1; never reused after a removal.
using ImageId = std::uint32_t;

// Numbering of the images of several databases: image i of the database at `place`, from 0, has the
// number i * databases + place. Numbers are stable while the databases grow, and keep the order of
// each database.
struct ImageNumbers {
  std::uint32_t databases = 1;
  std::uint32_t place = 0;

  ImageId of(ImageId image) const { return image * databases + place; }
};

// Modification time stored for a file with pages that are not yet indexed, so that the next run
// reads it again.
inline constexpr std::int64_t kUnfinished = -1;

// All settings that shape a descriptor or a word, as text by name ("extract.hessian_threshold" ->
// "100", "codebook.hash" -> "..."). An index refuses features made under other settings.
using Settings = std::map<std::string, std::string>;

// Thrown when the index was made under other settings than the given ones.
class OtherSettings : public Error {
 public:
  explicit OtherSettings(const std::string& message) : Error(ErrorKind::kUsage, message) {}
};

// An image ready to be stored.
struct ImageToStore {
  ImageWords words;  // no features when blank
  PixelSums sums;
  bool blank = false;  // stored, but never found
};

// An image in the index.
struct StoredImage {
  ImageId id = 0;
  std::vector<std::string> paths;  // names of all pages with this content, sorted by file
  std::uint32_t page = 1;          // in its file
  std::uint32_t pages = 1;         // the last indexed page of that file
  ContentHash content{};
  std::int32_t width = 0;
  std::int32_t height = 0;
  bool blank = false;
  std::uint32_t feature_count = 0;
  PixelSums sums;
};

// An indexed file and its new name, size and time.
struct MovedFile {
  std::string from;
  SourceFile to;
};

// The geometry of an indexed feature, as rounded in its record.
struct FeatureGeometry {
  float x = 0;              // px, as Keypoint
  float y = 0;              // px
  float size = 0;           // px
  float angle_degrees = 0;  // [0, 360)
  std::int32_t laplacian_sign = 0;

  bool operator==(const FeatureGeometry&) const = default;
};

// The record of an image: the words of its features, ascending, which are its histogram, and their
// geometry in the same order. The signatures are in the posting lists alone. There an image has a
// run of postings for each of its words, in the order of the record.
struct StoredFeatures {
  std::vector<std::uint32_t> words;
  std::vector<FeatureGeometry> geometry;

  std::size_t size() const { return words.size(); }
  bool empty() const { return words.empty(); }
  // Returns the number of the first feature whose word is at least this one; size() without any.
  std::size_t first_of(std::uint32_t word) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(words, word) - words.begin());
  }
  bool operator==(const StoredFeatures&) const = default;
};

// Postings of one word, one per feature.
struct WordPostings {
  std::vector<ImageId> images;  // ascending within a segment
  std::vector<std::uint64_t> signatures;
};

// An indexed folder; not part of the content.
struct IndexRoot {
  std::string path;  // as normal_path() gives it
  // Start of the last run that scanned the whole folder, since the epoch; 0: none did.
  std::int64_t scanned_ns = 0;
  // Found by the last scan that withheld no removal; see ScannedFolder.
  std::vector<FolderDevice> devices{};
  // Missing files that were kept, by path.
  std::vector<std::string> withheld{};
};

struct IndexCounts {
  std::uint64_t images = 0;  // live, blank ones included
  std::uint64_t blank = 0;
  std::uint64_t files = 0;
  std::uint64_t quarantined = 0;  // files
  std::uint64_t withheld = 0;     // missing files that were kept
  std::uint64_t features = 0;
  std::uint64_t words = 0;     // in the codebook
  std::uint64_t postings = 0;  // removed images included until the next merge
  std::uint64_t segments = 0;
};

// Record of a run that wrote the index.
struct RunRecord {
  std::int64_t id = 0;          // ascending, from 1
  std::string command;          // "index"
  std::int64_t started_ns = 0;  // since the epoch
  double elapsed_seconds = 0;
  // "running", "good", "incomplete", "failed" or "killed".
  std::string outcome;
  std::string document;  // report of the run as JSON; empty while it runs
};

}  // namespace lookalike
