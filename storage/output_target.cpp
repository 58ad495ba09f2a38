#include "storage/output_target.h"

#include <charconv>
#include <fcntl.h>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;          // as Linux has it
constexpr int kAfterStandardFiles = 3;  // the lowest number of a file that is not stdin to stderr

// The open file that an entry of /proc/self/fd stands for.
std::optional<int> open_file_number(const fs::path& folder, const std::string& name) {
  std::error_code error;
  const fs::path own_files = fs::canonical("/proc/self/fd", error);
  if (error || folder != own_files) return std::nullopt;
  int number = 0;
  const char* end = name.data() + name.size();
  const auto [stop, status] = std::from_chars(name.data(), end, number);
  if (status != std::errc() || stop != end) return std::nullopt;
  return number;
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

// The path with its folder in the folder's own name.
fs::path in_own_folder(const fs::path& path, const OutputTarget& target) {
  std::error_code error;
  const fs::path folder = fs::canonical(path.parent_path(), error);
  if (!error) return folder / path.filename();
  target.refuse(fmt::format("its folder {} cannot be reached: {}; name another file",
                            printable(path.parent_path().native()), error.message()));
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
  for (int links = 0; links < kMostLinks; ++links) {
    at = in_own_folder(at, target);
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

}  // namespace lookalike
