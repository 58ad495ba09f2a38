#include "storage/output_guard.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "base/page_name.h"
#include "base/scan.h"
#include "base/text.h"
#include "storage/schema.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWorkFolder = ".work";  // holds a training sample
// What the name of a database is followed by in the names of its files: SQLite's, the locks, the
// work folder, and the pairs and rejections of `lookalike duplicates`.
constexpr std::array<std::string_view, 9> kEndings = {
    "", "-wal", "-shm", "-journal", ".lock", kWorkFolder, ".pairs", ".rejected", ".actions.lock"};
constexpr std::string_view kRetrained = ".retrain";  // an index built beside, with the same files

// Excludes the content of work folders.
std::vector<fs::path> files_of_index(const fs::path& database) {
  std::vector<fs::path> files;
  for (const std::string_view index : {std::string_view(), kRetrained}) {
    for (const std::string_view ending : kEndings) {
      files.emplace_back(database.native() + std::string(index) + std::string(ending));
    }
  }
  return files;
}

bool drop_ending(std::string& name, std::string_view ending) {
  if (name.size() <= ending.size() || !name.ends_with(ending)) return false;
  name.resize(name.size() - ending.size());
  return true;
}

// Returns every index to which a file of this name would belong, by itself or through its folder.
std::vector<fs::path> possible_indexes(const fs::path& name) {
  std::vector<fs::path> found;
  const auto add_without = [&](std::string file, std::string_view ending) {
    if (!ending.empty() && !drop_ending(file, ending)) return;
    found.emplace_back(file);
    if (drop_ending(file, kRetrained)) found.emplace_back(std::move(file));
  };
  for (const std::string_view ending : kEndings) add_without(name.native(), ending);
  for (fs::path at = name.parent_path(); at.has_relative_path(); at = at.parent_path()) {
    add_without(at.native(), kWorkFolder);
  }
  return found;
}

// Names with equal ids are names of one file.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileId&) const = default;
};

FileId id_of(const struct stat& status) {
  return {status.st_dev, status.st_ino};
}

std::optional<FileId> id_of(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return id_of(status);
}

template <typename T>
bool is_one_of(const std::vector<T>& values, const T& value) {
  return std::ranges::find(values, value) != values.end();
}

fs::path normal(const fs::path& path) {
  std::error_code error;
  fs::path name = fs::absolute(path, error).lexically_normal();
  return name.has_filename() ? name : name.parent_path();  // "photos/"
}

// Canonical as far as the file exists.
fs::path canonical_name(const fs::path& path) {
  std::error_code error;
  const fs::path name = normal(path);
  fs::path canonical = fs::weakly_canonical(name, error);
  return error ? name : canonical;
}

// Returns up to kMarkBytes of a regular file; none if it cannot be read. Opens no other files,
// since opening a device can have effects.
Bytes start_of(const fs::path& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  const FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!opened.is_open() || ::fstat(opened.number(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return {};
  }
  Bytes bytes(std::min<std::size_t>(kMarkBytes, static_cast<std::size_t>(status.st_size)));
  const auto read_to = [&](std::size_t done, std::size_t left) {
    return ::pread(opened.number(), bytes.data() + done, left, static_cast<off_t>(done));
  };
  return move_all(bytes.size(), read_to) ? bytes : Bytes();
}

// Returns nothing if there is no such file.
std::optional<struct stat> status_of(const OutputTarget& target) {
  struct stat status {};
  if (target.open_file.is_open()) {
    if (::fstat(target.open_file.number(), &status) == 0) return status;
  } else {
    if (::lstat(target.path().c_str(), &status) == 0) return status;
    if (errno == ENOENT) return std::nullopt;
  }
  target.refuse(std::generic_category().message(errno) + "; name another file");
}

struct ProtectedFolder {
  fs::path name;  // as given, and absolute
  std::optional<FileId> id;
  std::vector<std::string> extensions;

  bool holds(const fs::path& file) const {
    for (fs::path at = file.parent_path();; at = at.parent_path()) {
      if (at == name || (id && id == id_of(at))) return true;
      if (!at.has_relative_path()) return false;
    }
  }
};

// An output already named by an option.
struct ClaimedFile {
  std::string option;
  fs::path path;
  std::optional<FileId> id;  // nothing for a new file
  OutputKind kind;
};

// Nanoseconds since the epoch; nothing for a missing file.
std::optional<std::int64_t> time_of(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return modified_ns(status);
}

// "-" is standard output.
fs::path file_of(const fs::path& path) {
  return path == "-" ? fs::path("/dev/stdout") : path;
}

[[noreturn]] void refuse_index(const OutputTarget& target, const fs::path& index) {
  target.refuse(
      fmt::format("belongs to the index {}: name another file", printable(index.native())));
}

}  // namespace

// Checks refuse a target by throwing.
struct OutputGuard::Rules {
  bool force = false;
  std::vector<fs::path> inputs{};  // each by its normal and by its canonical name
  std::vector<FileId> input_ids{};
  std::vector<fs::path> indexes{};  // by their canonical names
  std::vector<ProtectedFolder> folders{};
  std::vector<std::function<bool(const std::string&)>> known_files{};
  std::function<bool(ByteView)> is_image = [](ByteView /*start*/) { return false; };
  std::vector<ClaimedFile> claimed{};

  void check_inputs(const OutputTarget& target) const {
    const std::optional<struct stat> status = status_of(target);
    if (status && S_ISCHR(status->st_mode)) return;  // --config /dev/null
    if ((status && is_one_of(input_ids, id_of(*status))) ||
        std::ranges::any_of(target.names,
                            [&](const fs::path& name) { return is_one_of(inputs, name); })) {
      target.refuse("is read by this command: name another file");
    }
  }

  void check_folders(const OutputTarget& target) const {
    for (const ProtectedFolder& folder : folders) {
      for (const fs::path& name : target.names) {
        if (!is_image_name(name, folder.extensions) || !folder.holds(name)) continue;
        target.refuse(
            fmt::format("is, or would be, an image to index, as it lies in {}: name another "
                        "file, or another ending",
                        printable(folder.name.native())));
      }
    }
  }

  // Checks only names.
  void check_names(const OutputTarget& target, const OutputKind& kind) const {
    check_folders(target);
    for (const fs::path& name : target.names) {
      for (const fs::path& index : possible_indexes(name)) {
        const Bytes start = start_of(index);
        const bool is_replaceable = kind.is_backup && begins_a_backup(start);
        if (is_one_of(indexes, index) || (begins_an_index(start) && !is_replaceable)) {
          refuse_index(target, index);
        }
      }
      for (const auto& is_known : known_files) {
        if (is_known(name)) target.refuse("is an indexed file, or one to index: name another file");
      }
    }
  }

  void check_index_files(const OutputTarget& target, const FileId& id) const {
    for (const fs::path& index : indexes) {
      for (const fs::path& file : files_of_index(index)) {
        if (id_of(file) == id) refuse_index(target, index);
      }
    }
  }

  // Checks the file of the name; returns how to write it.
  OutputForm check_file(const OutputTarget& target, const OutputKind& kind) const {
    check_inputs(target);
    const std::optional<struct stat> status = status_of(target);
    if (!status) return OutputForm::kNew;
    check_index_files(target, id_of(*status));
    if (target.open_file.is_open() || S_ISFIFO(status->st_mode) || S_ISCHR(status->st_mode)) {
      return OutputForm::kStream;
    }
    if (S_ISDIR(status->st_mode)) target.refuse("is a folder: name a file");
    if (!S_ISREG(status->st_mode)) {
      target.refuse("is neither a file, a FIFO nor a character device: name another file");
    }
    const Bytes start = start_of(target.path());
    const bool is_earlier = kind.is_earlier(text_of(start));
    if (begins_an_index(start) && !(kind.is_backup && is_earlier)) {
      refuse_index(target, target.path());
    }
    if (!is_earlier && is_image(start)) {
      target.refuse("is an image, which no output replaces: name another file, or remove it");
    }
    if (force) return OutputForm::kReplaced;
    if ((status->st_mode & 0222U) == 0) {
      target.refuse("is read-only: name another file, or replace it with --force");
    }
    if (status->st_size > 0 && !is_earlier) {
      target.refuse(
          fmt::format("is a file, but not {}: name another file, or replace it with "
                      "--force",
                      kind.name));
    }
    return OutputForm::kReplaced;
  }

  // Outputs may share a character device, such as /dev/null.
  void claim(const OutputTarget& target, const OutputKind& kind) {
    const std::optional<struct stat> status = status_of(target);
    if (status && S_ISCHR(status->st_mode)) return;
    const std::optional<FileId> id = status ? std::optional(id_of(*status)) : std::nullopt;
    for (const ClaimedFile& other : claimed) {
      if (id ? id == other.id : target.path() == other.path) {
        target.refuse(fmt::format("is also the file of {}: name two files", other.option));
      }
    }
    claimed.push_back({target.option, target.path(), id, kind});
  }

  bool is_current(const ClaimedFile& output) const {
    const std::optional<std::int64_t> made = time_of(output.path);
    return made && output.kind.is_earlier(text_of(start_of(output.path))) &&
           std::ranges::none_of(inputs, [&](const fs::path& input) {
             const std::optional<std::int64_t> changed = time_of(input);
             return changed && *changed > *made;
           });
  }
};

OutputGuard::OutputGuard(bool force) : rules_(std::make_shared<Rules>(Rules{.force = force})) {}

void OutputGuard::add_input(const fs::path& file) {
  if (file.empty()) return;
  rules_->inputs.push_back(normal(file));
  rules_->inputs.push_back(canonical_name(file));
  if (const auto id = id_of(file)) rules_->input_ids.push_back(*id);
  const std::string whole = page_of(file.native()).file;
  if (whole != file.native()) add_input(whole);  // the name may be that of a page
}

void OutputGuard::add_inputs(std::span<const std::string> files) {
  for (const std::string& file : files) add_input(file);
}

void OutputGuard::add_index(const fs::path& database) {
  rules_->indexes.push_back(canonical_name(database));
}

void OutputGuard::protect_folder(const fs::path& folder, std::span<const std::string> extensions) {
  rules_->folders.push_back(
      {normal(folder), id_of(folder), {extensions.begin(), extensions.end()}});
}

void OutputGuard::protect_files(std::function<bool(const std::string&)> is_known) {
  rules_->known_files.push_back(std::move(is_known));
}

void OutputGuard::protect_images(std::function<bool(ByteView start)> is_image) {
  rules_->is_image = std::move(is_image);
}

void OutputGuard::claim_index(const std::string& option, const fs::path& database) {
  const OutputTarget target{
      .option = option, .given = database, .names = {normal(database), canonical_name(database)}};
  // Opened here only if a rule applies: otherwise SQLite is the first to open the file.
  try {
    rules_->check_inputs(target);
    rules_->check_folders(target);
  } catch (const Error&) {
    if (!begins_an_index(start_of(target.path()))) throw;
  }
  add_index(database);
}

OutputFile OutputGuard::open(const std::string& option, const fs::path& path,
                             const OutputKind& kind) {
  if (path.empty()) throw Error(ErrorKind::kUsage, option + ": names no file");
  OutputTarget target = follow_links(option, file_of(path));
  if (!target.open_file.is_open()) rules_->check_names(target, kind);
  const OutputForm form = rules_->check_file(target, kind);
  rules_->claim(target, kind);
  // The rules for names are constant during a command; the file of a name may change.
  OutputFile::Check check = [rules = rules_, kind, option, path, meant = target.path()] {
    const OutputTarget now = follow_links(option, file_of(path));
    if (now.path() != meant) {
      now.refuse("now leads to another file: start the command again");
    }
    return rules->check_file(now, kind);
  };
  return {std::move(target), form, std::move(check)};
}

std::optional<OutputFile> OutputGuard::open_if_named(const std::string& option,
                                                     const fs::path& path, const OutputKind& kind) {
  if (path.empty()) return std::nullopt;
  return open(option, path, kind);
}

bool OutputGuard::outputs_are_current() const {
  return !rules_->claimed.empty() &&
         std::ranges::all_of(rules_->claimed,
                             [&](const ClaimedFile& output) { return rules_->is_current(output); });
}

}  // namespace lookalike
