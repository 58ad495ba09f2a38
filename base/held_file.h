#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <sys/stat.h>

#include "base/artefacts.h"
#include "base/files.h"
#include "base/source_file.h"

// Files and folders that are held by descriptors, so that what is decided about a file holds for
// the file itself and not for whatever its path leads to a moment later.
namespace lookalike {

// Throws Error(kInput) with the path and the reason.
[[noreturn]] void refuse_file(const std::string& path, const std::string& why);

// What becomes of a folder below another one that is a symbolic link.
enum class FolderLinks { kRefuse, kFollow };

class HeldFolder {
 public:
  // Follows links. Throws Error(kInput) with the reason.
  explicit HeldFolder(const std::filesystem::path& path);

  // Returns a folder below this one, or this one for an empty path; makes it if asked. Throws
  // Error(kInput) with the path and the reason, also for a path that leads out by "..".
  HeldFolder below(const std::filesystem::path& relative, FolderLinks links, bool is_made) const;

  int number() const { return descriptor_.number(); }
  std::string path_of(const std::string& name) const { return path_ / name; }
  // Returns the status of an entry, of the link itself if it is one; nothing if it cannot be read.
  std::optional<struct stat> look_at(const std::string& name) const;
  // What was renamed in it survives a power cut from now on. Throws Error(kStorage).
  void sync() const;

 private:
  HeldFolder(std::filesystem::path path, FileDescriptor descriptor);

  std::filesystem::path path_;
  FileDescriptor descriptor_;
};

// True if both are the same file or folder of a file system.
bool is_same_inode(const struct stat& a, const struct stat& b);

// A regular file and its folder.
class HeldFile {
 public:
  // Follows links to folders. Throws Error(kInput) "PATH: is gone", "is a symbolic link", "is no
  // regular file", or with the system's reason.
  explicit HeldFile(const std::string& path);
  HeldFile(HeldFolder folder, std::string name);
  // Holds the file that a path leads to through all links. The path remains the given one for
  // messages and is_still_there().
  static HeldFile behind_links(const std::string& path);

  const std::string& path() const { return path_; }
  const HeldFolder& folder() const { return folder_; }
  const std::string& name() const { return name_; }
  const FileDescriptor& descriptor() const { return descriptor_; }
  struct stat status() const;  // now, whatever its name is
  SourceFile source() const { return source_file(path_, status()); }

  // True if both have the same bytes. Throws Error(kStorage) if either cannot be read.
  bool has_same_bytes(const HeldFile& other) const;
  // Returns the hash of its bytes. Throws Error(kStorage) if they cannot be read.
  ContentHash content() const;

  // True if its path, opened anew, leads to this file with the bytes of `bytes`. Asks the server of
  // a network or FUSE file system instead of the kernel's memory of it. Throws Error(kStorage) if
  // the bytes cannot be read.
  //   before  if given, its status time must be the same
  bool is_still_there(const HeldFile& bytes, const struct stat* before) const;

 private:
  std::string path_;
  HeldFolder folder_;
  std::string name_;  // in the folder
  FileDescriptor descriptor_;
};

// Returns the first attribute by which the rights to two files differ: "owner", "group", "mode", or
// the name of an extended attribute, as which ACLs are stored. Returns nothing if none differs.
std::optional<std::string> differing_attribute(const HeldFile& a, const HeldFile& b);

// Gives a new file owner, permission bits (never setuid, setgid or sticky), extended attributes and
// times of another one. What the file system or the user's rights do not allow is lost.
void copy_attributes(const HeldFile& from, const FileDescriptor& to);

}  // namespace lookalike
