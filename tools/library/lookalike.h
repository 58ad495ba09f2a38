// lookalike as a library: looks photos up in an index, and brings an index up to date.
//
//   lookalike::update_index("photos.db", {"/srv/photos"});
//   const lookalike::Finder finder("photos.db");
//   for (const lookalike::Found& found : finder.find("photo.jpg")) use(found.path, found.decision);
//
// Settings are those of the program, "TABLE.KEY=VALUE" as its option --set takes them; `lookalike
// config` prints all keys. The table [run], which concerns the process, is refused. Every function
// throws Failure; a request for memory that cannot be met is a std::bad_alloc.
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
  // What has to be mended. The values are the exit codes of the program.
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

// Px of the upright photo at full size, from its top-left corner.
struct Corner {
  double x = 0;
  double y = 0;
};

// An indexed image that a photo shows, or that looks like it.
struct Found {
  // The first of its files that exists, else the first of all. The pages of a TIFF file after the
  // first are named like scan.tif[2].
  std::string path;
  std::vector<std::string> paths;       // all of the same content
  std::string decision;                 // "duplicate", "same_object", "part" or "similar"
  double probability = 0;               // that both show the same
  std::optional<double> correlation{};  // of the pixels; unset where they were not compared
  // Where the image lies in the photo: top-left, top-right, bottom-right, bottom-left; of a part,
  // where the part lies. Unset where geometry found no place.
  std::optional<std::array<Corner, 4>> outline{};
  bool mirrored = false;  // only with match.mirror=true; the outline runs anticlockwise
};

// An open index and the device that searches it. Answers come from the state that was published
// when it was opened: open another one after a run. Opening reads the codebook and starts the
// device, so keep a finder for many photos. Several threads may look photos up at the same time.
class LOOKALIKE_API Finder {
 public:
  explicit Finder(const std::string& database, const std::vector<std::string>& settings = {});
  ~Finder();
  Finder(Finder&&) noexcept;
  Finder& operator=(Finder&&) noexcept;

  // What the photo shows, best first, at most match.top. Throws Failure(kInput) for a file that
  // cannot be used.
  std::vector<Found> find(const std::string& file) const;
  // The same for the bytes of an image file in memory.
  std::vector<Found> find_encoded(std::span<const std::uint8_t> bytes) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A file that could not be indexed.
struct Unused {
  std::string path;
  std::string reason;  // a word for programs: "unreadable", "empty", "undecodable", ...
  std::string detail;  // a sentence for people
};

// What a run did. See docs/nightly.md for removals that are withheld.
struct Update {
  std::size_t indexed = 0;    // new or changed files
  std::size_t unchanged = 0;  // files that the index knew already
  std::size_t removed = 0;    // files that are gone
  std::size_t moved = 0;      // files that are gone and whose content was found elsewhere
  std::size_t withheld = 0;   // files that are gone and were kept
  std::vector<Unused> unused;
  std::vector<std::string> unreachable;  // folders of the index that could not be scanned
  bool stopped = false;                  // on request, with work left
};

// Brings an index up to date with its folders and those named here, which it remembers; without
// any, with all that it knows. Makes the index if there is none. `stop` is called now and then on
// this thread; once it returns true the run publishes what is done and returns. An empty one never
// stops; an exception of its own ends the run in the same way, and then reaches the caller. Finders
// and other processes can read meanwhile; a second run is refused.
LOOKALIKE_API Update update_index(
    const std::string& database, const std::vector<std::string>& folders,
    const std::vector<std::string>& settings = {},
    const std::function<bool()>& stop = [] { return false; });

// Receives what the program would print on stderr, from any thread, and from several at once. It
// may call the library; what it throws is dropped. A call that is under way when another receiver
// is set goes on. An empty function receives nothing, as at the start. The library prints nothing
// itself; OpenCV may complain of damaged files on std::cerr.
enum class Severity { kInfo, kWarning };
LOOKALIKE_API void on_message(std::function<void(Severity, const std::string&)> receive);

}  // namespace lookalike
