// lookalike as a library: looks up photos in an index, and updates an index.
//
//   lookalike::update_index("photos.db", {"/srv/photos"});
//   const lookalike::Finder finder("photos.db");
//   for (const lookalike::Found& found : finder.find("photo.jpg")) use(found.path, found.decision);
//
// Settings are the program's, "TABLE.KEY=VALUE" as for its option --set; `lookalike config` prints
// all keys. The table [run], which concerns the process, is refused. Functions throw Failure, or
// std::bad_alloc when memory runs out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#define LOOKALIKE_API __attribute__((visibility("default")))

namespace lookalike {

class LOOKALIKE_API Failure : public std::runtime_error {
 public:
  // What caused the failure. The values are the exit codes of the program.
  enum class Kind {
    kUsage = 2,      // the arguments
    kInput = 3,      // a photo, a folder or an index
    kDevice = 4,     // OpenCL
    kStorage = 5,    // the database or the disk
    kInternal = 70,  // a bug in lookalike
  };

  Failure(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  Kind kind() const noexcept { return kind_; }

 private:
  Kind kind_;
};

// A position in px of the upright photo at full size, from its top-left corner.
struct Corner {
  double x = 0;
  double y = 0;
};

// An indexed image that a photo shows, or that looks like it.
struct Found {
  // The first of its files that exists, else the first of all. Pages of a TIFF file after the first
  // have names like scan.tif[2].
  std::string path;
  std::vector<std::string> paths;  // all files with this content
  // "duplicate", "variant", "same_object", "part", "similar", "related"
  std::string decision;
  double probability = 0;               // that both show the same thing
  std::optional<double> correlation{};  // of pixels; unset if not compared
  // Where the image, or for "part" the shared part, lies in the photo: top-left, top-right,
  // bottom-right, bottom-left. Unset if geometry found no place.
  std::optional<std::array<Corner, 4>> outline{};
  // Number of the place in the photo, from 1: images whose outlines overlap share one.
  std::size_t place = 0;
  bool mirrored = false;  // only with match.mirror=true; the outline runs anticlockwise
};

// An open index and the device that searches it. Answers come from the state that was published
// when it was opened; open another one after a run. Opening reads the codebook and starts the
// device, so keep a finder for many photos. Thread-safe.
class LOOKALIKE_API Finder {
 public:
  explicit Finder(const std::string& database, const std::vector<std::string>& settings = {});
  ~Finder();
  Finder(Finder&&) noexcept;
  Finder& operator=(Finder&&) noexcept;

  // Returns what the photo shows in its first match.top places, best first. Throws Failure(kInput)
  // for a file that cannot be used.
  std::vector<Found> find(const std::string& file) const;
  // Does the same for an image file in memory.
  std::vector<Found> find_encoded(std::span<const std::uint8_t> bytes) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A file that could not be indexed.
struct Unused {
  std::string path;
  std::string reason;  // for programs: "unreadable", "empty", "undecodable", ...
  std::string detail;  // for people
};

// What a run did. docs/nightly.md explains withheld removals.
struct Update {
  std::size_t indexed = 0;    // new or changed files
  std::size_t unchanged = 0;  // files indexed before
  std::size_t removed = 0;    // files that are gone
  std::size_t moved = 0;      // files that are gone, with their content found elsewhere
  std::size_t withheld = 0;   // files that are gone, but were kept
  std::vector<Unused> unused;
  std::vector<std::string> unreachable;  // folders of the index that cannot be scanned
  bool stopped = false;                  // on request, with work left
};

// Brings an index up to date with the folders named here, which it remembers, or with all that it
// knows if none is named. Creates the index if it does not exist. Calls `stop` now and then on this
// thread: once it returns true, the run publishes what is done and returns. An exception of `stop`
// ends the run in the same way and is then rethrown; an empty `stop` never stops. Finders and other
// processes can read meanwhile; a second run is refused.
LOOKALIKE_API Update update_index(
    const std::string& database, const std::vector<std::string>& folders,
    const std::vector<std::string>& settings = {},
    const std::function<bool()>& stop = [] { return false; });

// Sets the receiver of what the program would print on stderr; an empty function, the initial
// state, receives nothing. The receiver is called from any thread, and from several at once; a call
// in progress continues after another receiver is set. It may call the library; its exceptions are
// dropped. The library prints nothing itself, but OpenCV may report damaged files on std::cerr.
enum class Severity { kInfo, kWarning };
LOOKALIKE_API void on_message(std::function<void(Severity, const std::string&)> receive);

}  // namespace lookalike
