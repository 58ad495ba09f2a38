#include "base/displace_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/content_hash.h"
#include "base/error.h"

namespace lookalike {
namespace {

// Names in the folder of a file. A long name is replaced by its hash, as names have at most 255
// bytes.
std::string hidden_name(const std::string& name, const char* ending) {
  constexpr std::size_t kLongest = 200;
  const std::string shown = name.size() <= kLongest ? name : to_hex(hash_content(bytes_of(name)));
  return '.' + shown + ending;
}
std::string aside_name(const std::string& name) {
  return hidden_name(name, ".lookalike-aside");
}
std::string part_name(const std::string& name) {
  return hidden_name(name, ".lookalike-part");
}

// Throws with the reason that a call returned.
[[noreturn]] void fail(const std::string& path, const std::string& what, int reason) {
  errno = reason;
  fail_file(path, what.c_str());
}

bool is_named(const HeldFile& file, const HeldFolder& folder, const std::string& name) {
  const auto found = folder.look_at(name);
  return found && is_same_inode(*found, file.status());
}

// Renames as give_new_name() does, and returns its reason. An old name that is left is renamed away
// and looked at before it is removed.
int rename_unless_taken(const HeldFolder& from, const std::string& name, const HeldFolder& to,
                        const std::string& new_name) {
  const NewName renamed = give_new_name(from.number(), name, to.number(), new_name);
  if (!renamed.has_both) return renamed.reason;
  const std::string old = hidden_name(name, ".lookalike-old");
  const bool is_taken = from.look_at(old).has_value();
  if (is_taken || ::renameat(from.number(), name.c_str(), from.number(), old.c_str()) != 0) {
    const int reason = is_taken ? EEXIST : errno;
    ::unlinkat(to.number(), new_name.c_str(), 0);
    return reason;
  }
  const auto linked = to.look_at(new_name);
  const auto left = from.look_at(old);
  if (!linked || !left || !is_same_inode(*linked, *left)) {  // somebody replaced it meanwhile
    if (!from.look_at(name)) {
      ::renameat(from.number(), old.c_str(), from.number(), name.c_str());
    }
    return EBUSY;
  }
  return ::unlinkat(from.number(), old.c_str(), 0) == 0 ? 0 : errno;
}

// Returns what check() finds wrong. What it throws is wrong, too: the file must come back.
template <typename Check>
std::string wrong_by(const Check& check) {
  try {
    return check();
  } catch (const Error& error) {
    return std::string("stays, because ") + error.what();
  }
}

// A file and the one that stays for it, as they were before the first was renamed.
class Displaced {
 public:
  Displaced(const HeldFile& file, const Stayer& stayer)
      : file_(file), stayer_(stayer), before_(file.status()) {
    if (stayer.file == nullptr) return;
    stayer_before_ = stayer.file->status();
    is_one_inode_ = is_same_inode(before_, stayer_before_);
    if (stayer.has_same_bytes && !file.has_same_bytes(*stayer.file)) {
      refuse_file(file.path(), "has other bytes than " + stayer.file->path());
    }
  }

  bool is_one_inode() const { return is_one_inode_; }

  // Returns what is wrong now that the file has another name; nothing if nothing is.
  std::string what_is_wrong(const HeldFolder& folder, const std::string& name) const {
    return wrong_by([&] { return what_differs(folder, name); });
  }

  // Puts the file back and throws why. If that is impossible, also says what its name is now.
  [[noreturn]] void put_back(const HeldFolder& folder, const std::string& name,
                             const std::string& why) const {
    const int reason = rename_unless_taken(folder, name, file_.folder(), file_.name());
    if (reason == 0) refuse_file(file_.path(), why);
    refuse_file(file_.path(), why + "; it is now " + folder.path_of(name) +
                                  ", since it cannot be renamed back: " +
                                  std::generic_category().message(reason));
  }

 private:
  std::string what_differs(const HeldFolder& folder, const std::string& name) const {
    if (!is_named(file_, folder, name)) return "was replaced by another file at that moment";
    const struct stat now = file_.status();
    if (now.st_size != before_.st_size || modified_ns(now) != modified_ns(before_)) {
      return "has changed";
    }
    if (stayer_.file == nullptr) return "";
    const HeldFile& bytes = stayer_.has_same_bytes ? file_ : *stayer_.file;
    if (stayer_.file->is_still_there(bytes, is_one_inode_ ? nullptr : &stayer_before_)) return "";
    return "stays, because " + stayer_.file->path() +
           " was gone or changed without it: both paths are one file, or it has just been taken";
  }

  const HeldFile& file_;
  const Stayer stayer_;
  struct stat before_;
  struct stat stayer_before_ {};
  bool is_one_inode_ = false;
};

// Removes an unfinished copy unless its process is alive.
void remove_part(const HeldFolder& folder, const std::string& part) {
  const FileDescriptor file = open_regular(part, false, folder.number());
  if (!file.is_open() && errno == ENOENT) return;
  if (file.is_open() && ::flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    refuse_file(folder.path_of(part), "is being written by another process");
  }
  ::unlinkat(folder.number(), part.c_str(), 0);
}

// The same folder, held once more.
HeldFolder same(const HeldFolder& folder) {
  return folder.below({}, FolderLinks::kRefuse, false);
}

// A copy of a file, under a hidden name until keep() is called.
class Copy {
 public:
  Copy(const HeldFolder& folder, const std::string& name)
      : folder_(folder), part_(part_name(name)) {
    remove_part(folder_, part_);
    descriptor_ = FileDescriptor(::openat(
        folder_.number(), part_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!descriptor_.is_open()) fail_file(folder_.path_of(name), "cannot be created");
    ::flock(descriptor_.number(), LOCK_EX | LOCK_NB);
  }
  ~Copy() {
    if (!is_kept_) ::unlinkat(folder_.number(), part_.c_str(), 0);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  // Writes the bytes and attributes of a file.
  void fill(const HeldFile& file, const AfterStep& after_step) {
    constexpr std::size_t kPartBytes = std::size_t{1} << 20U;
    std::vector<char> part(kPartBytes);
    for (off_t at = 0;;) {
      const ssize_t count = ::pread(file.descriptor().number(), part.data(), part.size(), at);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail_file(file.path(), "cannot be read");
      if (count == 0) break;
      const auto write = [&](std::size_t done, std::size_t left) {
        return ::write(descriptor_.number(), part.data() + done, left);
      };
      if (!move_all(static_cast<std::size_t>(count), write)) {
        fail_file(folder_.path_of(part_), "cannot be written");
      }
      at += count;
    }
    after_step();
    copy_attributes(file, descriptor_);
  }
  void set_time(std::int64_t modified_ns) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const std::array<timespec, 2> times = {
        {{0, UTIME_OMIT}, {modified_ns / kSecond, modified_ns % kSecond}}};
    ::futimens(descriptor_.number(), times.data());
  }
  // Syncs it, and compares it with the file that it was made from.
  void finish(const HeldFile& file) const {
    if (::fsync(descriptor_.number()) != 0) fail_file(folder_.path_of(part_), "cannot be synced");
    if (!HeldFile(same(folder_), part_).has_same_bytes(file)) {
      refuse_file(file.path(), "was read otherwise than its copy");
    }
  }
  // Gives it a name unless that is taken. Returns 0, or the reason.
  int keep(const std::string& name) {
    const int reason = rename_unless_taken(folder_, part_, folder_, name);
    is_kept_ = reason == 0;
    return reason;
  }
  bool is_in(const HeldFolder& folder) const {
    struct stat status {};
    const auto there = folder.look_at(part_);
    return there && ::fstat(descriptor_.number(), &status) == 0 && is_same_inode(*there, status);
  }

 private:
  const HeldFolder& folder_;
  std::string part_;
  FileDescriptor descriptor_;
  bool is_kept_ = false;
};

// Gives a file its hidden name.
void put_aside(const HeldFile& file) {
  const int reason =
      rename_unless_taken(file.folder(), file.name(), file.folder(), aside_name(file.name()));
  if (reason != 0) fail(file.path(), "cannot be renamed", reason);
}

// Removes the hidden name of a file whose bytes are elsewhere.
void remove_aside(const HeldFile& file) {
  if (::unlinkat(file.folder().number(), aside_name(file.name()).c_str(), 0) != 0) {
    fail_file(file.path(), "cannot be removed");
  }
}

void move_far(const HeldFile& file, const HeldFolder& folder, const std::string& name,
              const Displaced& displaced, const AfterStep& after_step) {
  Copy copy(folder, name);
  if (copy.is_in(file.folder())) {
    refuse_file(file.path(), "stays, because " + folder.path_of(name) + " is in its own folder");
  }
  copy.fill(file, after_step);
  copy.finish(file);
  if (const int reason = copy.keep(name); reason != 0) {
    fail(file.path(), "cannot become " + folder.path_of(name), reason);
  }
  after_step();
  folder.sync();
  const HeldFile moved(same(folder), name);
  const std::string aside = aside_name(file.name());
  try {
    put_aside(file);
  } catch (const Error&) {
    // Its copy goes again, unless it holds the only bytes by now.
    if (is_named(file, file.folder(), file.name()) && is_named(moved, folder, name)) {
      ::unlinkat(folder.number(), name.c_str(), 0);
    }
    throw;
  }
  after_step();
  std::string why = displaced.what_is_wrong(file.folder(), aside);
  if (why.empty()) {
    why = wrong_by([&]() -> std::string {
      return moved.is_still_there(file, nullptr) ? "" : "stays, because its copy is gone";
    });
  }
  if (!why.empty()) {
    if (is_named(moved, folder, name)) ::unlinkat(folder.number(), name.c_str(), 0);
    displaced.put_back(file.folder(), aside, why);
  }
  remove_aside(file);
  after_step();
}

}  // namespace

void move_file(const HeldFile& file, const HeldFolder& folder, const std::string& name,
               const Stayer& stayer, const AfterStep& after_step) {
  const Displaced displaced(file, stayer);
  if (displaced.is_one_inode()) {
    refuse_file(file.path(), "is another name of " + stayer.file->path());
  }
  after_step();
  const int reason = rename_unless_taken(file.folder(), file.name(), folder, name);
  if (reason == EXDEV) return move_far(file, folder, name, displaced, after_step);
  if (reason != 0) fail(file.path(), "cannot become " + folder.path_of(name), reason);
  after_step();
  const std::string why = displaced.what_is_wrong(folder, name);
  if (!why.empty()) displaced.put_back(folder, name, why);
  folder.sync();
}

void replace_by_link(const HeldFile& file, const HeldFile& stayer, const AfterStep& after_step) {
  const Displaced displaced(file, {&stayer, true});
  if (displaced.is_one_inode()) refuse_file(file.path(), "is another name of " + stayer.path());
  const std::string aside = aside_name(file.name());
  put_aside(file);
  after_step();
  std::string why = displaced.what_is_wrong(file.folder(), aside);
  if (!why.empty()) displaced.put_back(file.folder(), aside, why);
  if (::linkat(stayer.folder().number(), stayer.name().c_str(), file.folder().number(),
               file.name().c_str(), 0) != 0) {
    why = "cannot be made a hard link: " + std::generic_category().message(errno);
    displaced.put_back(file.folder(), aside, why);
  }
  after_step();
  if (!is_named(stayer, file.folder(), file.name())) {  // the name was linked, not the held file
    const auto there = file.folder().look_at(file.name());
    // A file with a single name is no link but was just written by somebody else.
    if (there && there->st_nlink > 1) ::unlinkat(file.folder().number(), file.name().c_str(), 0);
    displaced.put_back(file.folder(), aside, "stays, because " + stayer.path() + " was replaced");
  }
  file.folder().sync();
  remove_aside(file);
  after_step();
}

void replace_by_copy(const HeldFile& file, std::int64_t modified_ns, const AfterStep& after_step) {
  const Displaced displaced(file, {});
  Copy copy(file.folder(), file.name());
  copy.fill(file, after_step);
  copy.set_time(modified_ns);
  copy.finish(file);
  const std::string aside = aside_name(file.name());
  put_aside(file);
  after_step();
  std::string why = displaced.what_is_wrong(file.folder(), aside);
  if (why.empty()) {
    const int reason = copy.keep(file.name());
    if (reason != 0) why = "cannot be replaced: " + std::generic_category().message(reason);
  }
  if (!why.empty()) displaced.put_back(file.folder(), aside, why);
  after_step();
  file.folder().sync();
  why = wrong_by([&]() -> std::string {
    const HeldFile kept(same(file.folder()), file.name());
    return kept.has_same_bytes(file) ? "" : "has other bytes than its copy";
  });
  if (!why.empty()) refuse_file(file.path(), why + "; it is now " + file.folder().path_of(aside));
  remove_aside(file);
  after_step();
}

void drop_copy(const HeldFile& file, const HeldFile& other, const AfterStep& after_step) {
  const Displaced displaced(file, {&other, true});
  const std::string aside = aside_name(file.name());
  put_aside(file);
  after_step();
  const std::string why = displaced.what_is_wrong(file.folder(), aside);
  if (!why.empty()) displaced.put_back(file.folder(), aside, why);
  remove_aside(file);
  after_step();
}

void settle(const HeldFolder& folder, const std::string& name, const AfterStep& after_step) {
  remove_part(folder, part_name(name));
  for (const std::string& aside : {hidden_name(name, ".lookalike-old"), aside_name(name)}) {
    if (!folder.look_at(aside)) continue;
    const int reason = rename_unless_taken(folder, aside, folder, name);
    after_step();
    if (reason == 0) continue;
    if (reason != EEXIST) fail(folder.path_of(aside), "cannot be put back", reason);
    const HeldFile left(same(folder), aside);
    const HeldFile there(same(folder), name);
    if (!left.has_same_bytes(there)) {
      refuse_file(folder.path_of(name), "stays, because " + aside + " beside it has other bytes");
    }
    if (::unlinkat(folder.number(), aside.c_str(), 0) != 0) {
      fail_file(folder.path_of(aside), "cannot be removed");
    }
    after_step();
  }
}

}  // namespace lookalike
