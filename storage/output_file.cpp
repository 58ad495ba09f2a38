#include "storage/output_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
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
constexpr int kAfterStandardFiles = 3;  // the first number after stdin, stdout and stderr
constexpr const char* kStandardOutput = "/dev/stdout";

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

fs::path normal(const fs::path& path) {
  std::error_code error;
  const fs::path name = fs::absolute(path, error).lexically_normal();
  return name.has_filename() ? name : name.parent_path();  // "photos/"
}

// Canonical as far as the file exists.
fs::path canonical_name(const fs::path& path) {
  std::error_code error;
  fs::path canonical = fs::weakly_canonical(normal(path), error);
  return error ? normal(path) : canonical;
}

bool is_below(const fs::path& folder, const fs::path& file) {
  return std::ranges::mismatch(folder, file).in1 == folder.end();
}

std::optional<struct stat> status_of(const fs::path& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 ? std::optional(status) : std::nullopt;
}

bool is_same_file(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
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

// Returns the number of an open file of the process that the name stands for.
std::optional<int> open_file_number(const fs::path& name) {
  if (name == kStandardOutput) return STDOUT_FILENO;
  if (name == "/dev/stderr") return STDERR_FILENO;
  const fs::path folder = name.parent_path();
  if (folder != "/dev/fd" && folder != "/proc/self/fd") return std::nullopt;
  return parse_number<int>(name.filename().native());
}

// The file that an option names for writing.
struct Target {
  std::string option;
  fs::path given;               // as in the option
  std::vector<fs::path> names;  // absolute: as given, in its real folder, and with links followed
  FileDescriptor open_file{};   // a duplicate, if the name stands for an open file

  // The file's own name.
  const fs::path& path() const { return names.back(); }
  std::string label() const {
    const bool is_link = names.size() > 2;
    return fmt::format("{}: {}{}", option, printable(given.native()),
                       is_link ? fmt::format(" (a link to {})", printable(path().native())) : "");
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorKind::kUsage, label() + ": " + what);
  }
  // Returns nothing if there is no such file.
  std::optional<struct stat> status() const {
    struct stat status {};
    if (open_file.is_open()) {
      if (::fstat(open_file.number(), &status) == 0) return status;
    } else {
      if (::lstat(path().c_str(), &status) == 0) return status;
      if (errno == ENOENT) return std::nullopt;
    }
    refuse(std::generic_category().message(errno) + "; name another file");
  }
};

FileDescriptor open_for_writing(int number, const Target& target) {
  const int flags = ::fcntl(number, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
    target.refuse("is not open for writing: name a file");
  }
  return FileDescriptor(::fcntl(number, F_DUPFD_CLOEXEC, kAfterStandardFiles));
}

// Follows links. Refuses a path whose folder does not exist or that names a folder, and links that
// lead nowhere.
Target target_of(const std::string& option, const fs::path& given) {
  Target target{.option = option, .given = given, .names = {normal(given)}};
  if (const std::optional<int> number = open_file_number(given)) {
    target.open_file = open_for_writing(*number, target);
    target.names.push_back(canonical_name(given));
    return target;
  }
  const fs::path last = given.filename();
  if (last.empty() || last == "." || last == "..") {
    target.refuse("names a folder: name a file in it");
  }
  std::error_code error;
  const fs::path folder = fs::canonical(fs::absolute(given).parent_path(), error);
  if (error) {
    target.refuse(fmt::format("its folder {} cannot be reached: {}; name another file",
                              printable(given.parent_path().native()), error.message()));
  }
  target.names.push_back(folder / last);
  if (!fs::is_symlink(target.path(), error)) return target;
  fs::path end = fs::canonical(target.path(), error);
  if (error) {
    target.refuse(
        fmt::format("leads nowhere: {}; name another file, or remove the link", error.message()));
  }
  target.names.push_back(std::move(end));
  return target;
}

struct ProtectedFolder {
  fs::path name;  // as given, and absolute
  fs::path canonical;
  std::vector<std::string> extensions;
};

// An output already named by an option.
struct ClaimedFile {
  std::string option;
  fs::path path;
  OutputKind kind;
};

FileDescriptor open_stream(const fs::path& path, const std::string& label) {
  FileDescriptor file;
  do {
    file = FileDescriptor(::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
  } while (!file.is_open() && errno == EINTR);
  struct stat status {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0) fail_file(path, "cannot be opened");
  if (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)) return file;
  throw Error(ErrorKind::kUsage, label + ": was replaced: start the command again");
}

}  // namespace

struct OutputGuard::Rules {
  using Form = OutputFile::Form;

  bool force = false;
  std::vector<fs::path> inputs{};   // by their canonical names
  std::vector<fs::path> indexes{};  // by their canonical names
  std::vector<ProtectedFolder> folders{};
  std::vector<std::function<bool(const std::string&)>> known_files{};
  std::function<bool(ByteView)> is_image = [](ByteView /*start*/) { return false; };
  std::vector<ClaimedFile> claimed{};

  // Checks a target by the rules and returns how to write it; throws to refuse.
  Form check(const Target& target, const OutputKind& kind) const {
    const std::optional<struct stat> status = target.status();
    check_inputs(target, status);
    for (const fs::path& name : target.names) check_indexes(target, name, kind);
    if (!status) return Form::kNew;
    if (target.open_file.is_open() || S_ISFIFO(status->st_mode) || S_ISCHR(status->st_mode)) {
      return Form::kStream;
    }
    if (S_ISDIR(status->st_mode)) target.refuse("is a folder: name a file");
    if (!S_ISREG(status->st_mode)) {
      target.refuse("is neither a file, a FIFO nor a character device: name another file");
    }
    const Bytes start = start_of(target.path());
    const bool is_earlier = kind.is_earlier(text_of(start));
    if (!is_earlier && is_image(start)) {
      target.refuse("is an image, which no output replaces: name another file, or remove it");
    }
    if (force) return Form::kReplaced;
    if ((status->st_mode & 0222U) == 0) {
      target.refuse("is read-only: name another file, or replace it with --force");
    }
    if (status->st_size > 0 && !is_earlier) {
      target.refuse(fmt::format(
          "is a file, but not {}: name another file, or replace it with --force", kind.name));
    }
    return Form::kReplaced;
  }

  void check_inputs(const Target& target, const std::optional<struct stat>& status) const {
    if (status && S_ISCHR(status->st_mode)) return;  // --config /dev/null
    for (const fs::path& input : inputs) {
      const std::optional<struct stat> file = status_of(input);
      if ((status && file && is_same_file(*status, *file)) || input == target.path()) {
        target.refuse("is read by this command: name another file");
      }
    }
  }

  // Checks only names. Images also have content, which check() looks at.
  void check_images(const Target& target) const {
    for (const fs::path& name : target.names) {
      for (const ProtectedFolder& folder : folders) {
        if (!is_image_name(name, folder.extensions) ||
            (!is_below(folder.name, name) && !is_below(folder.canonical, name))) {
          continue;
        }
        target.refuse(
            fmt::format("is, or would be, an image to index, as it lies in {}: name another "
                        "file, or another ending",
                        printable(folder.name.native())));
      }
      for (const auto& is_known : known_files) {
        if (is_known(name)) target.refuse("is an indexed file, or one to index: name another file");
      }
    }
  }

  void check_indexes(const Target& target, const fs::path& name, const OutputKind& kind) const {
    for (const fs::path& index : possible_indexes(name)) {
      const Bytes start = start_of(index);
      const bool is_replaceable = kind.is_backup && begins_a_backup(start);
      if (std::ranges::count(indexes, index) > 0 || (begins_an_index(start) && !is_replaceable)) {
        target.refuse(
            fmt::format("belongs to the index {}: name another file", printable(index.native())));
      }
    }
  }

  void claim(const Target& target, const OutputKind& kind) {
    const std::optional<struct stat> status = target.status();
    if (status && S_ISCHR(status->st_mode)) return;  // such as /dev/null
    for (const ClaimedFile& other : claimed) {
      const std::optional<struct stat> file = status_of(other.path);
      if (target.path() == other.path || (status && file && is_same_file(*status, *file))) {
        target.refuse(fmt::format("is also the file of {}: name two files", other.option));
      }
    }
    claimed.push_back({target.option, target.path(), kind});
  }

  bool is_current(const ClaimedFile& output) const {
    const std::optional<struct stat> made = status_of(output.path);
    return made && output.kind.is_earlier(text_of(start_of(output.path))) &&
           std::ranges::none_of(inputs, [&](const fs::path& input) {
             const std::optional<struct stat> file = status_of(input);
             return file && modified_ns(*file) > modified_ns(*made);
           });
  }
};

OutputKind kind_that_begins(std::string name, std::string beginning) {
  return {.name = std::move(name),
          .is_earlier = [beginning = std::move(beginning)](std::string_view start) {
            return start.starts_with(beginning);
          }};
}

OutputFile OutputFile::unguarded(const fs::path& file) {
  OutputFile output;
  output.path_ = file;
  return output;
}

fs::path OutputFile::folder() const {
  return form_ == Form::kStream ? fs::temp_directory_path() : path_.parent_path();
}

void OutputFile::open() {
  if (atomic_ || stream_) return;
  if (form_ != Form::kStream) {
    atomic_ = std::make_unique<AtomicFile>(path_);
  } else if (open_file_.is_open()) {
    std::fflush(stdout);  // before the output, which may go to the same file
    stream_.emplace(std::move(open_file_), given_);
  } else {
    stream_.emplace(open_stream(path_, label_), given_);
  }
}

void OutputFile::write(ByteView bytes) {
  open();
  atomic_ ? atomic_->write(bytes) : stream_->write(bytes);
}

fs::path OutputFile::temporary() {
  if (form_ == Form::kStream) {
    throw Error(ErrorKind::kUsage, label_ + ": is not a regular file: name one");
  }
  open();
  return atomic_->temporary();
}

void OutputFile::commit() {
  open();
  if (stream_) return stream_->flush();
  if (check_) form_ = check_();
  if (form_ == Form::kReplaced) {
    const bool is_synced = check_ != nullptr;
    atomic_->commit(is_synced);
  } else if (form_ == Form::kStream || !atomic_->commit_new()) {
    throw Error(ErrorKind::kUsage, label_ + ": appeared while this command ran: name another file");
  }
}

void write_whole(OutputFile& file, std::string_view text) {
  file.write(text);
  file.commit();
}

OutputGuard::OutputGuard(bool force) : rules_(std::make_shared<Rules>(Rules{.force = force})) {}

void OutputGuard::add_input(const fs::path& file) {
  if (file.empty()) return;
  rules_->inputs.push_back(canonical_name(file));
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
      {normal(folder), canonical_name(folder), {extensions.begin(), extensions.end()}});
}

void OutputGuard::protect_files(std::function<bool(const std::string&)> is_known) {
  rules_->known_files.push_back(std::move(is_known));
}

void OutputGuard::protect_images(std::function<bool(ByteView start)> is_image) {
  rules_->is_image = std::move(is_image);
}

void OutputGuard::claim_index(const std::string& option, const fs::path& database) {
  const Target target{
      .option = option, .given = database, .names = {normal(database), canonical_name(database)}};
  // Opened here only if a rule applies: otherwise SQLite is the first to open the file.
  try {
    rules_->check_inputs(target, target.status());
    rules_->check_images(target);
  } catch (const Error&) {
    if (!begins_an_index(start_of(target.path()))) throw;
  }
  add_index(database);
}

OutputFile OutputGuard::open(const std::string& option, const fs::path& path,
                             const OutputKind& kind) {
  if (path.empty()) throw Error(ErrorKind::kUsage, option + ": names no file");
  const fs::path given = path == "-" ? kStandardOutput : path;
  Target target = target_of(option, given);
  OutputFile file;
  file.given_ = given;
  file.path_ = target.path();
  file.label_ = target.label();
  if (!target.open_file.is_open()) rules_->check_images(target);
  file.form_ = rules_->check(target, kind);
  rules_->claim(target, kind);
  file.open_file_ = std::move(target.open_file);
  // What check_images() asks may be gone by then; names do not change.
  file.check_ = [rules = rules_, kind, option, given, meant = file.path_] {
    const Target now = target_of(option, given);
    if (now.path() != meant) {
      now.refuse("now leads to another file: start the command again");
    }
    return rules->check(now, kind);
  };
  return file;
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
