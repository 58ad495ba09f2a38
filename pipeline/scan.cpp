#include "pipeline/scan.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>

#include <fmt/format.h>

#include "pipeline/error.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

// Bytes above 127 stay as they are: names need not be in any known encoding.
std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

constexpr const char* kUnreadable = "unreadable";
constexpr const char* kNoFile = "not_a_file";

class Scanner {
 public:
  Scanner(std::span<const std::string> extensions, const std::function<void()>& after_each)
      : after_each_(after_each) {
    for (const std::string& extension : extensions)
      suffixes_.push_back('.' + lower_case(extension));
  }

  void add_top(const std::string& folder) {
    fs::path path = fs::absolute(folder).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();  // "photos/"
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      const bool missing = !fs::exists(path, error);
      throw Error(ErrorKind::kInput,
                  fmt::format("scan: {}: {}", missing ? "no such folder" : "not a folder", folder));
    }
    const std::size_t before = found();
    if (!add_folder(path)) {
      throw Error(ErrorKind::kInput, "scan: folder cannot be read: " + folder);
    }
    if (found() == before) bare_folders_.push_back(path);
  }

  ScanResult finish() {
    if (found() > 0) {
      for (const fs::path& folder : bare_folders_) {
        skip(folder, "no image is in it: is its disk mounted?");
      }
    }
    sort_by_path(result_.files, [](const SourceFile& file) { return file.path; });
    sort_by_path(result_.skipped, [](const SkippedFile& skipped) { return skipped.file.path; });
    return std::move(result_);
  }

 private:
  template <typename Item, typename PathOf>
  static void sort_by_path(std::vector<Item>& items, PathOf path_of) {
    std::ranges::sort(items, {}, path_of);
    const auto same_path = [&](const Item& a, const Item& b) { return path_of(a) == path_of(b); };
    items.erase(std::unique(items.begin(), items.end(), same_path), items.end());
  }

  std::size_t found() const { return result_.files.size() + result_.skipped.size(); }

  // Returns false when the folder cannot be read to its end: what is missing from the list must
  // not be taken for gone. The folders below are collected first, so that a deep tree never holds
  // many folders open.
  bool add_folder(const fs::path& folder) {
    std::error_code error;
    // A folder that may be listed but not searched gives names of which nothing can be learnt.
    if (!fs::exists(folder / ".", error)) return false;
    std::vector<fs::path> below;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      std::error_code unknown;
      const fs::file_type type = entry->symlink_status(unknown).type();
      if (type == fs::file_type::none) {
        skip(entry->path(), unknown.message());  // perhaps a folder: what is below is not gone
      } else if (type == fs::file_type::directory) {
        below.push_back(entry->path());
      } else if (wanted(entry->path())) {
        add_file(entry->path());
      }
      after_each_();
    }
    for (const fs::path& path : below) {
      if (!add_folder(path)) skip(path, "folder cannot be read");
    }
    return !error;
  }

  bool wanted(const fs::path& path) const {
    const std::string name = lower_case(path.filename().native());
    return std::ranges::any_of(suffixes_,
                               [&](const std::string& suffix) { return name.ends_with(suffix); });
  }

  void add_file(const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
      const bool leads_nowhere = errno == ENOENT || errno == ELOOP;
      skip(path, std::generic_category().message(errno), leads_nowhere ? kNoFile : kUnreadable);
    } else if (S_ISREG(status.st_mode)) {
      result_.files.push_back(
          {path.native(), static_cast<std::uint64_t>(status.st_size),
           std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec});
    } else if (!S_ISDIR(status.st_mode)) {
      skip(path, "not a regular file", kNoFile);
    }
  }

  void skip(const fs::path& path, const std::string& detail, const char* reason = kUnreadable) {
    SkippedFile skipped;
    skipped.file.path = path.native();
    skipped.reason = reason;
    skipped.detail = detail;
    result_.skipped.push_back(std::move(skipped));
  }

  const std::function<void()>& after_each_;
  std::vector<std::string> suffixes_;
  std::vector<fs::path> bare_folders_;  // named ones with nothing in them
  ScanResult result_;
};

}  // namespace

ScanResult scan_folders(std::span<const std::string> folders,
                        std::span<const std::string> extensions,
                        const std::function<void()>& after_each) {
  Scanner scanner(extensions, after_each);
  for (const std::string& folder : folders) scanner.add_top(folder);
  return scanner.finish();
}

}  // namespace lookalike
