#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Files beside a picture that belong to it: docs/duplicates.md has the table. Endings count in any
// case, as in IMG_1.MOV.
namespace lookalike {

enum class CompanionKind {
  kRaw,      // the RAW file of a JPEG or HEIC
  kVideo,    // the video of a Live Photo
  kXmp,      // what a program for photos has noted
  kAae,      // what Apple's Photos has changed
  kTakeout,  // what Google Takeout wrote as JSON
};

// Returns as what a file belongs to a picture of its folder; nothing if it does not. Both are names
// without a folder.
std::optional<CompanionKind> companion_kind(std::string_view file, std::string_view picture);

// True for the ending of an image, RAW files included.
bool is_picture_name(std::string_view name);

struct Companion {
  std::string path;
  CompanionKind kind{};
};

// Finds companions. Lists each folder once, and remembers some folders. For any thread.
class CompanionFinder {
 public:
  // Returns the regular files that belong to a picture, RAW files first, then by path.
  std::vector<Companion> companions_of(const std::string& picture);
  // Returns the other pictures of the folder to which a file belongs, too, by path.
  std::vector<std::string> other_owners(const std::string& file, const std::string& picture);
  // Returns in words what would be lost of a picture's companions if it went for another one, which
  // has no companion of the kind with the same bytes; nothing if nothing would be.
  std::optional<std::string> lost_without(const std::string& picture, const std::string& other);

 private:
  struct Folder {
    std::string path;
    std::vector<std::string> names;  // by bytes
  };
  // Returns the names in the folder that begin with a text.
  std::vector<std::string> names_with(const std::string& folder, const std::string& beginning);

  std::mutex mutex_;
  std::list<Folder> folders_;  // latest first
};

// Returns the companion of a kind that has the same bytes as a file; nothing if none has.
const Companion* equal_companion(const Companion& one, const std::vector<Companion>& others);

}  // namespace lookalike
