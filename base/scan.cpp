#include "base/scan.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <set>
#include <string_view>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files.h"
#include "base/ignore_rules.h"
#include "base/path_set.h"
#include "base/system_folders.h"
#include "base/text.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnreadable = "unreadable";
constexpr const char* kNotAFile = "not_a_file";
constexpr const char* kFolderUnreadable = "cannot be read";
constexpr const char* kPatternsUnreadable = "is not scanned: its .lookalikeignore cannot be read";

void skip(const fs::path& path, const char* reason, const std::string& detail, ScanResult& result) {
  SkippedFile& skipped = result.skipped.emplace_back();
  skipped.file.path = path.native();
  skipped.reason = reason;
  skipped.detail = detail;
}

FolderDevice device_of(const fs::path& folder, const struct stat& status) {
  struct statvfs system {};
  const bool known = ::statvfs(folder.c_str(), &system) == 0;
  return {folder.native(), status.st_dev, known ? system.f_fsid : 0};
}

bool is_hidden(const fs::path& path) {
  return path.filename().native().front() == '.';
}

// Sets `rules` if the folder has a .lookalikeignore. Returns false if it cannot be read.
bool read_own_rules(const fs::path& folder, const IgnoreRules& above,
                    std::optional<IgnoreRules>& rules) {
  std::error_code error;
  const fs::path name = folder / ".lookalikeignore";
  const fs::file_type type = fs::symlink_status(name, error).type();
  if (type == fs::file_type::not_found) return true;
  constexpr FileKind kIgnoreFile{.most_bytes = std::size_t{1} << 20U};
  const std::optional<std::string> lines = read_file(name, kIgnoreFile);
  if (!lines) return false;
  rules = above;
  rules->add(*lines, folder.native());
  return true;
}

IgnoreRules excluded_by(const ScanRules& rules, const std::string& folder) {
  IgnoreRules excluded;
  for (const std::string& pattern : rules.exclude) excluded.add(pattern, folder);
  return excluded;
}

class Scanner {
 public:
  Scanner(std::span<const std::string> folders, const ScanRules& rules, Omissions& left_out,
          const std::function<void()>& after_each)
      : rules_(rules), left_out_(left_out), after_each_(after_each) {
    for (const std::string& folder : folders) named_.insert(normal_path(folder));
  }

  void add_named(const std::string& folder) {
    ScannedFolder& named = result_.folders.emplace_back();
    named.path = normal_path(folder);
    root_ = result_.folders.size() - 1;
    std::error_code error;
    if (!fs::is_directory(named.path, error)) {
      named.problem = fs::exists(named.path, error) ? "not a folder" : "no such folder";
    } else {
      named.problem = add_folder(named.path, nullptr, excluded_by(rules_, named.path));
    }
  }

  // Scans the folders that links lead to, by the path of the link, or counts them as left out. Call
  // it after add_named(): folders that were scanned already are neither.
  void follow_links() {
    are_links_ = true;
    while (!links_.empty()) {
      std::vector<Link> links = std::exchange(links_, {});
      std::ranges::sort(links, {}, [](const Link& link) { return link.path.native(); });
      for (const Link& link : links) {
        if (was_scanned(link.path)) continue;
        if (rules_.follow_links) {
          root_ = link.root;
          add_below(link.path, link.above, link.ignored);
        } else {
          left_out_.linked_folders.push_back(link.path.native());
        }
      }
    }
  }

  ScanResult finish() {
    sort_by_path(result_.files, [](const SourceFile& file) { return file.path; });
    sort_by_path(result_.skipped, [](const SkippedFile& skipped) { return skipped.file.path; });
    return std::move(result_);
  }

 private:
  // A link to a folder, to be scanned later.
  struct Link {
    fs::path path;
    std::size_t root = 0;  // place of its folder in the result
    dev_t above = 0;
    IgnoreRules ignored;
  };

  template <typename Item, typename PathOf>
  static void sort_by_path(std::vector<Item>& items, PathOf path_of) {
    std::ranges::sort(items, {}, path_of);
    const auto same_path = [&](const Item& a, const Item& b) { return path_of(a) == path_of(b); };
    items.erase(std::unique(items.begin(), items.end(), same_path), items.end());
  }

  // Scans a folder whose parent is on the device `above`; nullptr for a folder given to the scan.
  // Returns why the folder cannot be read to its end, or nothing: files missing from an incomplete
  // list must not count as removed. Unreadable patterns count as an unreadable folder. Enters
  // subfolders after reading all entries, so that a deep tree keeps few folders open; skips those
  // given to the scan.
  std::string add_folder(const fs::path& folder, const dev_t* above,
                         const IgnoreRules& ignored_above) {
    // "/." fails for a folder that may be listed but not searched.
    struct stat status {};
    if (::stat((folder / ".").c_str(), &status) != 0) return kFolderUnreadable;
    const bool is_first = scanned_.emplace(status.st_dev, status.st_ino).second;
    if (!is_first && are_links_) return "";
    if (above == nullptr || *above != status.st_dev) {
      result_.folders[root_].devices.push_back(device_of(folder, status));
    }
    std::error_code error;
    std::optional<IgnoreRules> own;
    if (!read_own_rules(folder, ignored_above, own)) return kPatternsUnreadable;
    const IgnoreRules& ignored = own ? *own : ignored_above;
    std::vector<fs::path> below;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      std::error_code unknown;
      const fs::file_type type = entry->symlink_status(unknown).type();
      if (type == fs::file_type::none) {
        // It may be a folder with files.
        skip(entry->path(), kUnreadable, unknown.message(), result_);
      } else if (type == fs::file_type::symlink && fs::is_directory(entry->path(), unknown)) {
        add_link({entry->path(), root_, status.st_dev, ignored});
      } else if (type == fs::file_type::directory) {
        const bool is_named = named_.contains(entry->path().native());
        if (!is_named && !leaves_out(entry->path(), true, ignored)) below.push_back(entry->path());
      } else if (!is_image_name(entry->path(), rules_.extensions)) {
        count_other_type(entry->path());
      } else if (!leaves_out(entry->path(), false, ignored)) {
        add_file(entry->path().native(), result_);
      }
      after_each_();
    }
    for (const fs::path& path : below) add_below(path, status.st_dev, ignored);
    return error ? kFolderUnreadable : "";
  }

  void add_below(const fs::path& folder, dev_t above, const IgnoreRules& ignored) {
    const std::string problem = add_folder(folder, &above, ignored);
    if (!problem.empty()) skip(folder, kUnreadable, "folder " + problem, result_);
  }

  void add_link(Link link) {
    if (leads_up(link.path) || leaves_out(link.path, true, link.ignored)) return;
    links_.push_back(std::move(link));
  }

  // True if a link leads to a folder that holds it.
  static bool leads_up(const fs::path& link) {
    std::error_code error;
    const fs::path target = fs::canonical(link, error);
    if (error) return false;
    const fs::path holder = fs::canonical(link.parent_path(), error);
    return is_within(holder.native(), target.native());
  }

  bool was_scanned(const fs::path& folder) const {
    struct stat status {};
    return ::stat(folder.c_str(), &status) == 0 &&
           scanned_.contains({status.st_dev, status.st_ino});
  }

  bool leaves_out(const fs::path& path, bool is_folder, const IgnoreRules& ignored) {
    if (is_folder && is_system_folder(path.filename().native())) {
      ++left_out_.system_folders;
      return true;
    }
    if (is_hidden(path) && !rules_.hidden) {
      ++left_out_.hidden;
      return true;
    }
    if (!ignored.ignores(path.native(), is_folder)) return false;
    ++left_out_.excluded;
    return true;
  }

  void count_other_type(const fs::path& path) {
    if (path.filename().native().front() == '.') return;
    std::string ending = in_lower_case(path.extension().native());
    ending.erase(0, 1);  // the dot
    ++left_out_.other_types[ending];
  }

  const ScanRules& rules_;
  Omissions& left_out_;
  const std::function<void()>& after_each_;
  PathSet named_;
  std::size_t root_ = 0;  // place in the result of the folder that is being scanned
  std::vector<Link> links_;
  bool are_links_ = false;  // the folders being scanned were links
  std::set<std::pair<dev_t, ino_t>> scanned_;
  ScanResult result_;
};

constexpr const char* kVideo = "video";

// Returns what a file of an ending is called: "video", "PDF", "without ending".
std::string kind_of(const std::string& ending) {
  constexpr std::array<std::string_view, 14> kVideos = {"3gp", "avi", "flv",  "insv", "m2ts",
                                                        "m4v", "mkv", "mov",  "mp4",  "mpeg",
                                                        "mpg", "mts", "webm", "wmv"};
  if (ending.empty()) return "without ending";
  if (std::ranges::find(kVideos, ending) != kVideos.end()) return kVideo;
  std::string kind = printable(ending);
  std::ranges::transform(kind, kind.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
  return kind;
}

}  // namespace

bool is_same_file_system(const FolderDevice& before, const FolderDevice& now) {
  const bool both_have_one = before.file_system != 0 && now.file_system != 0;
  return both_have_one ? before.file_system == now.file_system : before.device == now.device;
}

bool may_hide_files(const SkippedFile& skipped) {
  return skipped.reason == kUnreadable;
}

std::string other_types_text(const Omissions& left_out) {
  std::map<std::string, std::size_t> kinds;
  for (const auto& [ending, count] : left_out.other_types) kinds[kind_of(ending)] += count;
  std::vector<std::pair<std::string, std::size_t>> types(kinds.begin(), kinds.end());
  if (types.empty()) return {};
  std::ranges::stable_sort(types, std::ranges::greater(),
                           [](const auto& type) { return type.second; });
  constexpr std::size_t kMostListed = 8;
  std::size_t files = 0;
  std::string listed;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto& [kind, count] = types[i];
    files += count;
    if (i > kMostListed) continue;
    listed += i == 0 ? "" : ", ";
    listed += i == kMostListed ? "..."
              : kind == kVideo ? counted(count, kind)
                               : fmt::format("{} {}", count, kind);
  }
  return fmt::format("{} left out ({})", counted(files, "other file"), listed);
}

std::string linked_folders_text(const Omissions& left_out) {
  const std::vector<std::string>& links = left_out.linked_folders;
  if (links.empty()) return {};
  constexpr std::size_t kMostListed = 3;
  std::vector<std::string> listed;
  for (std::size_t i = 0; i < std::min(links.size(), kMostListed); ++i) {
    listed.push_back(printable(links[i]));
  }
  if (links.size() > kMostListed) listed.emplace_back("...");
  return fmt::format("{} not followed: {}; index what {} to as well, or set images.follow_links",
                     links.size() == 1 ? "1 link to a folder is"
                                       : fmt::format("{} links to folders are", links.size()),
                     fmt::join(listed, ", "), links.size() == 1 ? "it leads" : "they lead");
}

Error no_images(std::span<const std::string> folders, const Omissions& left_out) {
  std::vector<std::string> reasons;
  for (const std::string& text : {other_types_text(left_out), linked_folders_text(left_out)}) {
    if (!text.empty()) reasons.push_back(text);
  }
  return {ErrorKind::kInput,
          fmt::format("no images under {}{}{}; `lookalike formats` lists what is read",
                      printable(fmt::format("{}", fmt::join(folders, ", "))),
                      reasons.empty() ? "" : ": ", fmt::join(reasons, "; "))};
}

LeftOut why_left_out(const std::string& file, const std::string& folder, const ScanRules& rules) {
  if (!is_image_name(file, rules.extensions)) return LeftOut::kByEnding;
  const IgnoreRules excluded = excluded_by(rules, folder);
  IgnoreRules ignored = excluded;
  fs::path at = folder;
  for (const fs::path& name : fs::path(file).lexically_relative(folder)) {
    std::optional<IgnoreRules> own;
    if (read_own_rules(at, ignored, own) && own) ignored = *std::move(own);
    at /= name;
    const bool is_folder = at != file;
    std::error_code unknown;
    if (is_folder && !rules.follow_links && fs::is_symlink(at, unknown)) return LeftOut::kByLink;
    if (is_folder && is_system_folder(at.filename().native())) return LeftOut::kInSystemFolder;
    if (is_hidden(at) && !rules.hidden) return LeftOut::kHidden;
    if (excluded.ignores(at.native(), is_folder)) return LeftOut::kByPattern;
    if (ignored.ignores(at.native(), is_folder)) return LeftOut::kByIgnoreFile;
  }
  return LeftOut::kNot;
}

void add_file(const std::string& path, ScanResult& result) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    const bool broken_link = errno == ENOENT || errno == ELOOP;
    skip(path, broken_link ? kNotAFile : kUnreadable, std::generic_category().message(errno),
         result);
  } else if (S_ISREG(status.st_mode)) {
    result.files.push_back(source_file(path, status));
  } else if (!S_ISDIR(status.st_mode)) {
    skip(path, kNotAFile, "not a regular file", result);
  }
}

bool is_image_name(const fs::path& file, std::span<const std::string> extensions) {
  const std::string_view name = file.native();
  return std::ranges::any_of(extensions, [&](const std::string& extension) {
    if (name.size() <= extension.size()) return false;
    const std::string_view end = name.substr(name.size() - extension.size());
    return *(end.data() - 1) == '.' &&
           std::ranges::equal(end, extension, {}, lower_case, lower_case);
  });
}

ScanResult scan_folders(std::span<const std::string> folders, const ScanRules& rules,
                        Omissions& left_out, const std::function<void()>& after_each) {
  Scanner scanner(folders, rules, left_out, after_each);
  PathSet done;
  for (const std::string& folder : folders) {
    const std::string path = normal_path(folder);
    if (done.contains(path)) continue;
    done.insert(path);
    scanner.add_named(path);
  }
  scanner.follow_links();
  return scanner.finish();
}

}  // namespace lookalike
