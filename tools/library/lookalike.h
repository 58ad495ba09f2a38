// lookalike as a library: looks up photos in an index, and updates an index.
//
//   lookalike::update_index("photos.db", {"/srv/photos"});
//   const lookalike::Finder finder("photos.db");
//   for (const lookalike::Found& found : finder.find("photo.jpg")) use(found.path, found.decision);
//
// It also extracts and matches features, and locates an object in a scene, without an index. The
// Python module `lookalike` is made of this library (docs/guide.md).
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
#include <utility>
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

// A photo: a file, or its content in memory.
class LOOKALIKE_API Photo {
 public:
  // Names a file. Pages of a TIFF file after the first have names like scan.tif[2].
  Photo(std::string path) : path_(std::move(path)) {}  // NOLINT(*-explicit-*)
  Photo(const char* path) : path_(path) {}             // NOLINT(*-explicit-*)
  // Holds an image file in memory.
  static Photo encoded(std::vector<std::uint8_t> bytes);
  // Holds a copy of pixels: [height][width][channels], rows without padding; 1 channel for grey, 3
  // for red, green, blue. Throws Failure(kUsage) for other channels, a side below 1, or another
  // number of values.
  static Photo from_pixels(std::span<const std::uint8_t> pixels, int width, int height,
                           int channels);

  // Returns the path of the file, or a name for messages.
  const std::string& path() const { return path_; }
  // Returns the content in memory; nothing for a file.
  const std::optional<std::vector<std::uint8_t>>& bytes() const { return bytes_; }

 private:
  std::string path_;
  std::optional<std::vector<std::uint8_t>> bytes_;
};

// A part of a photo, in px of the upright photo at full size from its top-left pixel.
struct Rectangle {
  int x = 0;
  int y = 0;
  int width = 0;   // at least 16
  int height = 0;  // at least 16
};

// What a search asks for besides the settings of its finder, which hold where a value is unset.
struct FindOptions {
  std::optional<std::uint32_t> top{};  // places of the photo, as match.top
  std::optional<bool> mirror{};        // also mirrored images, as match.mirror
  std::optional<Rectangle> region{};   // look up this part of the photo alone
  bool origin = true;  // read Found::taken and camera, from the start of each file that is found
};

// A position in px of the upright photo at full size, from its top-left corner.
struct Corner {
  double x = 0;
  double y = 0;
};

// An indexed image that a photo shows, or that looks like it.
struct Found {
  std::uint32_t id = 0;  // of the image in its index
  // The first of its files that exists, else the first of all. Pages of a TIFF file after the first
  // have names like scan.tif[2].
  std::string path;
  std::vector<std::string> paths;  // all files with this content, and names of add()
  // "duplicate", "variant", "same_object", "part", "similar", "related", "none"
  std::string decision;
  double probability = 0;               // that both show the same thing
  std::optional<double> correlation{};  // of pixels; unset if not compared
  std::uint32_t inliers = 0;            // pairs of features that agree on the place
  // Where the image, or for "part" the shared part, lies in the photo: top-left, top-right,
  // bottom-right, bottom-left. Unset if geometry found no place.
  std::optional<std::array<Corner, 4>> outline{};
  // Number of the place in the photo, from 1: images whose outlines overlap share one.
  std::size_t place = 0;
  bool mirrored = false;  // only with match.mirror=true; the outline runs anticlockwise
  bool rejected = false;  // by reject(), for this photo and image
  std::string taken;      // local time, by the file's metadata: "2019-07-14T12:30:05"; may be empty
  std::string camera;     // the same; see FindOptions::origin
  std::string evidence;   // JSON, as "evidence" in docs/schema/query.json
};

// An image of an index.
struct Indexed {
  std::uint32_t id = 0;            // from 1; never used again after a removal
  std::vector<std::string> paths;  // all files with this content, and names of add()
  std::string content;             // hash of the file's bytes, hexadecimal
  int width = 0;                   // px of the upright image at full size
  int height = 0;
  std::uint32_t features = 0;
  bool blank = false;  // stored, but never found
};

// Pixels [height][width][3], red, green, blue.
struct Thumbnail {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;
};

// An open index and the device that searches it. Answers come from the state that was published
// when it was opened; open another one after a run. Opening reads the codebook and starts the
// device, so keep a finder for many photos. Thread-safe: several threads may look up photos at
// once.
class LOOKALIKE_API Finder {
 public:
  explicit Finder(const std::string& database, const std::vector<std::string>& settings = {});
  ~Finder();
  Finder(Finder&&) noexcept;
  Finder& operator=(Finder&&) noexcept;

  // Returns what the photo shows in its first match.top places, best first. Throws Failure(kInput)
  // for a photo that cannot be used, or does not hold the region.
  std::vector<Found> find(const Photo& photo, const FindOptions& options = {}) const;

  // Returns the first `count` images with ids above `after`, by id.
  std::vector<Indexed> images(std::uint32_t after, std::size_t count) const;
  // Returns an image by its number, or by a name or the path of a file; nothing if there is none.
  std::optional<Indexed> get(std::uint32_t id) const;
  std::optional<Indexed> get(const std::string& path) const;
  // Returns an image with its longest side reduced to at most `side` px, from 1. Throws
  // Failure(kInput) for an unknown image, or if no file has its content.
  Thumbnail thumbnail(std::uint32_t id, int side) const;
  // Explains what find() answers about an image, step by step: JSON as docs/schema/explain.json
  // describes. Throws Failure(kInput) for a photo that cannot be used, or an unknown image.
  std::string explain(const Photo& photo, std::uint32_t id) const;

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

// Hears how far a run is: done of total, which is 0 if unknown, of a step such as "index (step 3 of
// 4)". Called on the caller's thread.
using ProgressReceiver =
    std::function<void(const std::string& step, std::size_t done, std::size_t total)>;

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
// or `progress` ends the run in the same way and is then rethrown; an empty `stop` never stops.
// Finders and other processes can read meanwhile; a second run is refused.
LOOKALIKE_API Update update_index(
    const std::string& database, const std::vector<std::string>& folders,
    const std::vector<std::string>& settings = {},
    const std::function<bool()>& stop = [] { return false; },
    const ProgressReceiver& progress = {});

// Returns the image of a name. Called on several threads at once, and perhaps again for a name.
using PhotoLoader = std::function<Photo(const std::string& name)>;

// Adds images to an index under names instead of paths: images that are no files, or whose files
// will not stay. Found::paths then has the name. Of an image with names alone, only features can be
// compared, so it is at best "same_object", and without a thumbnail. A name that the index has gets
// the new image. Names stay until remove(): update_index() leaves them alone. They are not empty,
// do not begin with a slash or end in [NUMBER], and have no control characters; of a TIFF file, the
// first page is added.
//
// An index without images, or a new one, is first trained on these images, unless codebook.reuse
// names another index: give it many at once. What cannot be used is in Update::unused, by its name.
// `stop`, `progress` and further runs are as for update_index(), and an exception of `load` is as
// one of `stop`. Throws Failure(kUsage) for a wrong name, before anything is added.
LOOKALIKE_API Update add_many(
    const std::string& database, const std::vector<std::string>& names, const PhotoLoader& load,
    const std::vector<std::string>& settings = {},
    const std::function<bool()>& stop = [] { return false; },
    const ProgressReceiver& progress = {});

// Does the same for one image; for many, this is slow. Throws Failure(kInput) for a photo that
// cannot be used, and for an index without images.
LOOKALIKE_API void add(const std::string& database, const std::string& name, const Photo& photo,
                       const std::vector<std::string>& settings = {});

// Removes files, folders with everything below them, and names of add() from an index; a folder
// that it knows is no longer indexed. What lies in a folder that is comes back with the next run. A
// name wins over a path that is written like it. Returns the number of indexed files and names
// removed. Throws Failure(kInput), before any removal, for a path that the index does not have, and
// Failure(kStorage) while a run writes the index.
LOOKALIKE_API std::size_t remove(const std::string& database,
                                 const std::vector<std::string>& paths);

// SURF features of a photo, strongest first.
struct Features {
  int width = 0;  // px of the upright photo at full size
  int height = 0;
  std::size_t descriptor_size = 64;  // 64 or 128; match() needs a multiple of 8
  // [n][7]: x and y, px, where (0, 0) is the middle of the top-left pixel; diameter, px; angle,
  // degrees clockwise from the x axis, [0, 360); response; octave; sign of the Laplacian. These are
  // the members of OpenCV's KeyPoint, in order.
  std::vector<float> keypoints;
  std::vector<float> descriptors;  // [n][descriptor_size]

  std::size_t size() const { return keypoints.size() / 7; }
};

// Extracts features. Unless settings of [extract] say otherwise, the photo is not reduced, all
// features are kept, and descriptors are not normalised. Throws Failure(kInput) for a photo that
// cannot be used, and Failure(kDevice).
LOOKALIKE_API Features extract(const Photo& photo, const std::vector<std::string>& settings = {});

// Pairs of features, and how they map the first photo to the second.
struct Matched {
  std::vector<std::array<std::uint32_t, 2>> pairs;  // numbers of keypoints, most distinct first
  // Row-major 3 x 3, from pixel centres of the first photo, at whole numbers, to those of the
  // second; unset if too few pairs agree.
  std::optional<std::array<double, 9>> homography{};
  std::vector<std::uint32_t> inliers;  // numbers of pairs that agree on it, ascending
};

// Pairs features one to one by the ratio of their distances (Lowe, "Distinctive image features from
// scale-invariant keypoints", IJCV 2004), and finds the map that most pairs agree with, as a search
// does: match.min_inliers, match.inlier_distance, match.seed. Throws Failure(kUsage) for features
// that do not have the form of Features, hold a value that is not finite or a diameter that is not
// positive, or differ in descriptor_size, and Failure(kDevice).
LOOKALIKE_API Matched match(const Features& one, const Features& other,
                            const std::vector<std::string>& settings = {});

// A place that shows an object.
struct PlaceOfObject {
  Corner centre;
  double angle_degrees = 0;                   // turn of the object, clockwise as seen, [0, 360)
  double scale = 1;                           // scene px per object px
  double correlation = 0;                     // of pixels, [-1, 1]
  std::uint32_t inliers = 0;                  // 0 when correlation alone found it
  std::optional<double> colour{};             // agreement of the colours; unset if not compared
  std::optional<double> position_error_px{};  // standard error of the centre
  std::array<Corner, 4> outline{};            // in the scene, as Found::outline
  std::array<double, 9> object_to_scene{};    // row-major 3 x 3, between pixel centres
};

// Finds every place where a scene shows an object, best first; none if it does not. Settings of
// [locate] and [extract] apply; docs/locate.md explains the methods. Throws Failure(kInput) for a
// picture that cannot be used, and Failure(kDevice).
LOOKALIKE_API std::vector<PlaceOfObject> locate(const Photo& object, const Photo& scene,
                                                const std::vector<std::string>& settings = {});

// Groups the images of an index that show the same thing, and proposes which files to keep. Returns
// a JSON object for each group, as docs/schema/duplicates.json describes. Nothing is moved or
// deleted. The first call compares all images, later ones only new ones; stopped, or ended by an
// exception of `stop` or `progress`, the next call resumes.
//   kinds   "exact", "copy", "turned", "mirrored", "crop", "variant", "object", "part"; none: all
//           whose pixels agree
//   prefer  folders whose files stay first, in order
// Returns nothing when stopped. Throws Failure(kUsage) for an unknown kind.
LOOKALIKE_API std::optional<std::vector<std::string>> duplicates(
    const std::string& database, const std::vector<std::string>& kinds = {},
    const std::vector<std::string>& prefer = {}, const std::vector<std::string>& settings = {},
    const std::function<bool()>& stop = [] { return false; },
    const ProgressReceiver& progress = {});

// Measures an index against ground truth: a CSV file as `lookalike evaluate --truth` reads it
// (docs/evaluation.md). Returns a JSON object as docs/schema/evaluate.json describes, with the
// program's default error rate; nothing when stopped. An exception of `stop` or `progress` ends the
// work and is rethrown. Throws Failure(kInput) for a file that is no ground truth, a photo that
// cannot be used, and a relevant image that is not in the index.
LOOKALIKE_API std::optional<std::string> evaluate(
    const std::string& database, const std::string& truth,
    const std::vector<std::string>& settings = {},
    const std::function<bool()>& stop = [] { return false; },
    const ProgressReceiver& progress = {});

// Remembers that two images do not match, so that duplicates() keeps them apart; with `undo`,
// forgets it. Each is the path of an indexed file, a number, or a content hash. Returns whether
// that is new. Throws Failure(kInput) for an image that is not in the index.
LOOKALIKE_API bool reject(const std::string& database, const std::string& one,
                          const std::string& other, bool undo = false);

// Sets the receiver of what the program would print on stderr; an empty function, the initial
// state, receives nothing. The receiver is called from any thread, and from several at once; a call
// in progress continues after another receiver is set. It may call the library; its exceptions are
// dropped. The library prints nothing itself, but OpenCV may report damaged files on std::cerr.
enum class Severity { kInfo, kWarning };
LOOKALIKE_API void on_message(std::function<void(Severity, const std::string&)> receive);

}  // namespace lookalike
