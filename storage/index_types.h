#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/artefacts.h"
#include "base/error.h"
#include "base/scan.h"

namespace lookalike {

// Numbers the images of one index, from 1; never reused after a removal.
using ImageId = std::uint32_t;

// How the images of several databases are numbered together: image i of a database, whose place
// among them counts from 0, has the number i * databases + place. So numbers stay while the
// databases grow, and the images of one keep their order.
struct ImageNumbers {
  std::uint32_t databases = 1;
  std::uint32_t place = 0;

  ImageId of(ImageId image) const { return image * databases + place; }
};

// The time of modification of a file of which not every page is indexed, so that the next run reads
// it again.
inline constexpr std::int64_t kUnfinished = -1;

// Everything that shapes a descriptor or a word, as text by name ("extract.hessian_threshold" ->
// "100", "codebook.hash" -> "..."). An index refuses features made under other settings.
using Settings = std::map<std::string, std::string>;

// The index was made under other settings than those that were given.
class OtherSettings : public Error {
 public:
  explicit OtherSettings(const std::string& message) : Error(ErrorKind::kUsage, message) {}
};

// An image that is ready to be stored.
struct ImageToStore {
  ImageWords words;  // no features when blank
  PixelSums sums;
  bool blank = false;  // recorded, but never found
};

// An image as the index knows it.
struct StoredImage {
  ImageId id = 0;
  std::vector<std::string> paths;  // every page with this content, by its name, sorted by file
  std::uint32_t page = 1;          // of its file
  std::uint32_t pages = 1;         // the last page of that file that is indexed
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

// The features of one word over all live images, one entry a feature.
struct WordPostings {
  std::vector<ImageId> images;  // ascending within a segment
  std::vector<std::uint64_t> signatures;
};

// A folder that the index covers; stored beside the content, which does not depend on it.
struct IndexRoot {
  std::string path;  // as normal_path() gives it
  // Start of the last run that scanned all of it, since the epoch; 0 if none did.
  std::int64_t scanned_ns = 0;
  // As found by the last scan after which no removal was withheld; see ScannedFolder.
  std::vector<FolderDevice> devices{};
  // Missing files whose removal was withheld, by path.
  std::vector<std::string> withheld{};
};

struct IndexCounts {
  std::uint64_t images = 0;  // live, blank ones included
  std::uint64_t blank = 0;
  std::uint64_t files = 0;
  std::uint64_t quarantined = 0;  // files set aside
  std::uint64_t withheld = 0;     // of the files, missing ones whose removal was withheld
  std::uint64_t features = 0;
  std::uint64_t words = 0;     // in the codebook
  std::uint64_t postings = 0;  // stored, removed images included until the next merge
  std::uint64_t segments = 0;
};

// A writing run, as the index records it.
struct RunRecord {
  std::int64_t id = 0;          // ascending, from 1
  std::string command;          // "index"
  std::int64_t started_ns = 0;  // since the epoch
  double elapsed_seconds = 0;
  // "done", "stopped" by a signal, "failed", "running", or "killed" before its end.
  std::string outcome;
  std::string document;  // the run's report as JSON; empty until it has ended
};

}  // namespace lookalike
