#include "storage/output_file.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;           // as Linux
constexpr int kAfterStandardFiles = 3;  // the first number after stdin, stdout and stderr

// Returns the number of the open file if the name is an entry of /proc/self/fd.
std::optional<int> open_file_number(const fs::path& folder, const std::string& name) {
  std::error_code error;
  const fs::path own_files = fs::canonical("/proc/self/fd", error);
  if (error || folder != own_files) return std::nullopt;
  return parse_number<int>(name);
}

FileDescriptor open_for_writing(int number, const OutputTarget& target) {
  const int flags = ::fcntl(number, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
    target.refuse("is not open for writing: name a file");
  }
  return FileDescriptor(::fcntl(number, F_DUPFD_CLOEXEC, kAfterStandardFiles));
}

bool names_a_folder(const fs::path& path) {
  const fs::path name = path.filename();
  return name.empty() || name == "." || name == "..";
}

// Resolves the folder of a path, but not its last name.
fs::path in_resolved_folder(const fs::path& path, const OutputTarget& target) {
  std::error_code error;
  const fs::path folder = fs::canonical(path.parent_path(), error);
  if (!error) return folder / path.filename();
  target.refuse(fmt::format("its folder {} cannot be reached: {}; name another file",
                            printable(path.parent_path().native()), error.message()));
}

FileDescriptor open_stream(const OutputTarget& target) {
  const char* const path = target.path().c_str();
  FileDescriptor file;
  do {
    file = FileDescriptor(::open(path, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
  } while (!file.is_open() && errno == EINTR);
  if (!file.is_open()) fail_file(target.given, "cannot be opened");
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) fail_file(target.given, "cannot be opened");
  if (!S_ISFIFO(status.st_mode) && !S_ISCHR(status.st_mode)) {
    target.refuse("was replaced: start the command again");
  }
  return file;
}

}  // namespace

void OutputTarget::refuse(const std::string& what) const {
  const std::string leads_to =
      is_link ? fmt::format(" (a link to {})", printable(path().native())) : "";
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: {}{}: {}", option, printable(given.native()), leads_to, what));
}

OutputTarget follow_links(const std::string& option, const fs::path& path) {
  OutputTarget target{.option = option, .given = path, .names = {}};
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) target.refuse(error.message());
  if (names_a_folder(absolute)) target.refuse("names a folder: name a file in it");
  target.names.push_back(absolute.lexically_normal());
  fs::path at = absolute;
  for (int links = 0; links < kMaxLinks; ++links) {
    at = in_resolved_folder(at, target);
    if (at != target.names.back()) target.names.push_back(at);
    if (const auto number = open_file_number(at.parent_path(), at.filename())) {
      target.open_file = open_for_writing(*number, target);
      return target;
    }
    const fs::file_type type = fs::symlink_status(at, error).type();
    if (type == fs::file_type::not_found && target.is_link) {
      target.refuse("leads nowhere: name another file, or remove the link");
    }
    if (type != fs::file_type::symlink) return target;
    const fs::path next = fs::read_symlink(at, error);
    if (error) target.refuse(error.message());
    target.is_link = true;
    at = next.is_absolute() ? next : at.parent_path() / next;
    if (names_a_folder(at)) target.refuse("leads to a folder: name a file");
  }
  target.refuse("links lead in a circle: name another file");
}

OutputKind kind_that_begins(std::string name, std::string beginning) {
  return {.name = std::move(name),
          .is_earlier = [beginning = std::move(beginning)](std::string_view start) {
            return start.starts_with(beginning);
          }};
}

OutputFile::OutputFile(OutputTarget target, OutputForm form, Check check)
    : target_(std::move(target)), form_(form), check_(std::move(check)) {}

OutputFile OutputFile::unguarded(const std::filesystem::path& file) {
  return {OutputTarget{.option = {}, .given = file, .names = {file}}, OutputForm::kReplaced, {}};
}

std::filesystem::path OutputFile::folder() const {
  if (form_ == OutputForm::kStream) return std::filesystem::temp_directory_path();
  return target_.path().parent_path();
}

void OutputFile::open() {
  if (atomic_ || stream_) return;
  if (form_ != OutputForm::kStream) {
    atomic_ = std::make_unique<AtomicFile>(target_.path());
  } else if (target_.open_file.is_open()) {
    std::fflush(stdout);  // before the output, which may go to the same file
    stream_.emplace(std::move(target_.open_file), target_.given);
  } else {
    stream_.emplace(open_stream(target_), target_.given);
  }
}

void OutputFile::write(ByteView bytes) {
  open();
  atomic_ ? atomic_->write(bytes) : stream_->write(bytes);
}

std::filesystem::path OutputFile::temporary() {
  if (form_ == OutputForm::kStream) target_.refuse("is not a regular file: name one");
  open();
  return atomic_->temporary();
}

void OutputFile::commit() {
  open();
  if (stream_) return stream_->flush();
  if (check_) form_ = check_();
  if (form_ == OutputForm::kReplaced) {
    const bool is_synced = check_ != nullptr;
    atomic_->commit(is_synced);
  } else if (form_ == OutputForm::kStream || !atomic_->commit_new()) {
    target_.refuse("appeared while this command ran: name another file");
  }
}

void write_whole(OutputFile& file, std::string_view text) {
  file.write(text);
  file.commit();
}

}  // namespace lookalike
