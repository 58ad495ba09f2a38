#include "pipeline/groups/act.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <span>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/files.h"
#include "base/page_name.h"
#include "base/path_set.h"
#include "pipeline/groups/totals.h"
#include "storage/index_reader.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

bool is_link(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

bool is_same_file(const std::string& a, const std::string& b) {
  struct stat first {};
  struct stat second {};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool has_content(const std::string& path, const ContentHash& content) {
  const std::optional<std::string> bytes = read_file(path);
  return bytes && hash_content(bytes_of(*bytes)) == content;
}

// Returns what is wrong with a file that should be as it was; nothing if it is.
std::optional<std::string> change_of(const SourceFile& file, const ContentHash& content) {
  const std::optional<SourceFile> now = look_at(file.path);
  if (!now) return "is gone";
  if (is_same_state(*now, file) || has_content(file.path, content)) return std::nullopt;
  return "has changed";
}

// Returns why a step should not be taken; nothing if nothing speaks against it.
std::optional<std::string> objection_to(const ActionStep& step) {
  const Needless& one = step.needless;
  if (auto objection = objection_to(one)) return objection;
  if (is_link(one.file.path)) return "is a symbolic link";
  if (is_same_file(one.file.path, one.stays.path)) return "is another name of the file that stays";
  if (one.is_exact && !have_same_bytes(one.file.path, one.stays.path)) {
    return fmt::format("has other bytes than {}", one.stays.path);
  }
  return std::nullopt;
}

void remove_temporary(const ActionStep& step) {
  const std::string temporary = temporary_link_name(step.needless.file.path);
  if (is_same_file(temporary, step.needless.stays.path)) ::unlink(temporary.c_str());
}

void make_hard_link(const ActionStep& step, const AfterStep& after_step) {
  const std::string& file = step.needless.file.path;
  const std::string temporary = temporary_link_name(file);
  remove_temporary(step);
  if (::link(step.needless.stays.path.c_str(), temporary.c_str()) != 0) {
    fail_file(file, "cannot be made a hard link");
  }
  after_step();
  const std::optional<std::string> change = change_of(step.needless.file, step.needless.content);
  if (change || ::rename(temporary.c_str(), file.c_str()) != 0) {
    const int reason = errno;
    remove_temporary(step);
    if (change) throw Error(ErrorKind::kStorage, file + ": " + *change);
    errno = reason;
    fail_file(file, "cannot be replaced");
  }
  after_step();
}

// Gives a file its bytes alone again. Returns false if it has them already.
bool put_back_linked(const ActionStep& step, const AfterStep& after_step) {
  const SourceFile& file = step.needless.file;
  remove_temporary(step);
  const std::optional<SourceFile> now = look_at(file.path);
  if (!now) throw Error(ErrorKind::kStorage, file.path + ": is gone");
  const bool is_linked =
      now->inode == step.needless.stays.inode || is_same_file(file.path, step.needless.stays.path);
  if (!is_linked && now->modified_ns == file.modified_ns) return false;
  const std::optional<std::string> bytes = read_file(file.path);
  if (!bytes || hash_content(bytes_of(*bytes)) != step.needless.content) {
    if (!is_linked) return false;  // somebody has written another file
    throw Error(ErrorKind::kStorage,
                file.path + ": has changed, and so has the file that it is linked to");
  }
  if (is_linked) write_atomically(file.path, bytes_of(*bytes));
  after_step();
  [[maybe_unused]] const int owned = ::chown(file.path.c_str(), step.owner, step.group);
  ::chmod(file.path.c_str(), step.mode);
  constexpr std::int64_t kSecond = 1'000'000'000;
  const timespec times[] = {{0, UTIME_OMIT},
                            {file.modified_ns / kSecond, file.modified_ns % kSecond}};
  ::utimensat(AT_FDCWD, file.path.c_str(), times, 0);
  after_step();
  return true;
}

// Removes the folders that moves have made and that are empty, up to `folder`.
void remove_empty_folders(const std::string& file, const std::string& folder) {
  for (fs::path at = fs::path(file).parent_path(); at != folder && is_within(at.native(), folder);
       at = at.parent_path()) {
    if (::rmdir(at.c_str()) != 0) return;
  }
}

// Returns false if the file is at its place already.
bool put_back_moved(const ActionStep& step, const std::string& folder,
                    const AfterStep& after_step) {
  const std::string& file = step.needless.file.path;
  const bool was_moved = exists(step.to);
  if (was_moved) {
    move_file(step.to, file, after_step);
  } else if (!exists(file)) {
    throw Error(ErrorKind::kStorage, fmt::format("{}: is gone, and so is {}", file, step.to));
  } else {
    remove_unfinished_move(step.to);
  }
  remove_empty_folders(step.to, folder);
  return was_moved;
}

// Returns the first of the names NAME, NAME.2, ... before the ending that is free, or has the
// file's bytes, as after a move that was killed.
std::string free_name(const std::string& wanted, const std::string& file,
                      const std::set<std::string>& taken) {
  const fs::path path = wanted;
  for (int number = 1;; ++number) {
    std::string name = number == 1
                           ? path
                           : path.parent_path() / fmt::format("{}.{}{}", path.stem().native(),
                                                              number, path.extension().native());
    if (taken.contains(name)) continue;
    if (!exists(name) || (!is_link(name) && have_same_bytes(name, file))) return name;
  }
}

// Drops files that another one stays for: what stays for a file must not go itself.
void drop_needed(std::vector<Needless>& files) {
  std::set<std::string> needed;
  for (const Needless& one : files) needed.insert(one.stays.path);
  std::erase_if(files, [&](const Needless& one) { return needed.contains(one.file.path); });
}

// Calls take(step) for each step and reports what it throws. take() returns true if it did
// anything.
template <typename Take>
ActionReport taken(std::span<const ActionStep> steps, const AfterEach& after_each,
                   const Take& take) {
  ActionReport report;
  std::size_t count = 0;
  for (const ActionStep& step : steps) {
    try {
      if (take(step)) report.done.push_back(step.needless.file.path);
    } catch (const Error& error) {
      report.left.emplace_back(error.what());
    }
    if (!after_each(++count)) break;
  }
  return report;
}

}  // namespace

std::string temporary_link_name(const std::string& file) {
  const fs::path path = file;
  return path.parent_path() / fmt::format(".{}.lookalike-link", path.filename().native());
}

std::vector<Needless> needless_files(const Group& group, const IndexReader& index) {
  std::vector<Needless> files;
  const auto content_of = [&](const std::string& path) {
    return index.existing_image(index.find(path).value()).content;
  };
  for (const GroupFile& file : group.files) {
    if (!may_go(file)) continue;
    Needless& one = files.emplace_back();
    one.file = file.file;
    one.content = content_of(one.file.path);
    one.stays = group.files[file.related.value()].file;
    one.stays.path = page_of(one.stays.path).file;
    one.stays_content = content_of(one.stays.path);
    one.is_exact = file.kind == PairKind::kExact;
  }
  return files;
}

std::optional<std::string> objection_to(const Needless& needless) {
  if (auto change = change_of(needless.file, needless.content)) return change;
  if (const auto change = change_of(needless.stays, needless.stays_content)) {
    return fmt::format("stays, because {} {}", needless.stays.path, *change);
  }
  return std::nullopt;
}

ActionPlan plan_moves(std::vector<Needless> files, const std::string& folder,
                      const std::string& base) {
  ActionPlan plan{.kind = ActionKind::kMove, .folder = folder};
  drop_needed(files);
  std::set<std::string> taken;
  for (Needless& one : files) {
    const std::string wanted = fs::path(folder) / fs::path(one.file.path).lexically_relative(base);
    ActionStep& step = plan.steps.emplace_back();
    step.to = free_name(wanted, one.file.path, taken);
    step.needless = std::move(one);
    taken.insert(step.to);
  }
  return plan;
}

ActionPlan plan_hard_links(std::vector<Needless> files) {
  ActionPlan plan{.kind = ActionKind::kHardLink};
  drop_needed(files);
  for (Needless& one : files) {
    struct stat status {};
    if (!one.is_exact || ::stat(one.file.path.c_str(), &status) != 0) continue;
    plan.steps.push_back({.needless = std::move(one),
                          .mode = status.st_mode & 07777U,
                          .owner = status.st_uid,
                          .group = status.st_gid});
  }
  return plan;
}

ActionReport act(const ActionPlan& plan, const AfterEach& after_each, const AfterStep& after_step) {
  return taken(plan.steps, after_each, [&](const ActionStep& step) {
    if (const auto objection = objection_to(step)) {
      throw Error(ErrorKind::kInput, step.needless.file.path + ": " + *objection);
    }
    if (plan.kind == ActionKind::kMove) {
      move_file(step.needless.file.path, step.to, after_step);
    } else {
      make_hard_link(step, after_step);
    }
    return true;
  });
}

ActionReport undo(const ActionPlan& plan, const AfterEach& after_each,
                  const AfterStep& after_step) {
  const std::vector<ActionStep> last_first(plan.steps.rbegin(), plan.steps.rend());
  return taken(last_first, after_each, [&](const ActionStep& step) {
    return plan.kind == ActionKind::kMove ? put_back_moved(step, plan.folder, after_step)
                                          : put_back_linked(step, after_step);
  });
}

std::size_t standing_steps(const ActionPlan& plan) {
  return static_cast<std::size_t>(std::ranges::count_if(plan.steps, [&](const ActionStep& step) {
    return plan.kind == ActionKind::kMove
               ? exists(step.to)
               : is_same_file(step.needless.file.path, step.needless.stays.path);
  }));
}

}  // namespace lookalike
