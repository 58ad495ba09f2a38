#include "pipeline/duplicates/act.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/page_name.h"
#include "base/path_set.h"
#include "pipeline/duplicates/companions.h"
#include "pipeline/duplicates/totals.h"
#include "storage/index_reader.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

[[noreturn]] void leave(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::kInput, fmt::format("{}: {}", path, why));
}

bool is_as_it_was(const HeldFile& now, const SourceFile& file, const ContentHash& content) {
  return is_same_state(now.source(), file) || now.content() == content;
}

// Returns what is wrong with a file that should be as it was; nothing if it is.
std::optional<std::string> change_of(const SourceFile& file, const ContentHash& content) {
  if (!look_at(file.path)) return "is gone";
  try {
    if (is_as_it_was(HeldFile::behind_links(file.path), file, content)) return std::nullopt;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kStorage) return "cannot be read";
  }
  return "has changed";  // or it has just gone
}

// Holds the files of a step as they were when they were compared. Throws Error with what speaks
// against the step.
struct HeldStep {
  explicit HeldStep(const Needless& one)
      : file(one.file.path), stays(held_stayer(one)), is_exact(one.is_exact) {
    if (!is_as_it_was(file, one.file, one.content)) leave(one.file.path, "has changed");
  }
  Stayer stayer() const { return {stays ? &*stays : nullptr, is_exact}; }

  HeldFile file;
  std::optional<HeldFile> stays;
  bool is_exact;

 private:
  static std::optional<HeldFile> held_stayer(const Needless& one) {
    if (one.stays.path.empty()) return std::nullopt;
    if (const auto change = change_of(one.stays, one.stays_content)) {
      leave(one.file.path, fmt::format("stays, because {} {}", one.stays.path, *change));
    }
    return HeldFile::behind_links(one.stays.path);
  }
};

// Settles what a killed call has left of a file, if its folder exists.
void settle_file(const std::string& path, const AfterStep& after_step) {
  const fs::path folder = fs::path(path).parent_path();
  if (exists(folder)) settle(HeldFolder(folder), fs::path(path).filename(), after_step);
}

void move_away(const ActionStep& step, const std::string& folder, const AfterStep& after_step) {
  settle_file(step.needless.file.path, after_step);
  const HeldStep held(step.needless);
  std::error_code error;
  fs::create_directories(folder, error);  // opening it says what is wrong
  const fs::path to = fs::path(step.to).lexically_relative(folder);
  const HeldFolder new_folder =
      HeldFolder(folder).below(to.parent_path(), FolderLinks::kRefuse, true);
  move_file(held.file, new_folder, to.filename(), held.stayer(), after_step);
}

void make_hard_link(const Needless& one, const AfterStep& after_step) {
  settle_file(one.file.path, after_step);
  const HeldStep held(one);
  const HeldFile& stays = held.stays.value();
  if (const auto attribute = differing_attribute(held.file, stays)) {
    leave(one.file.path,
          fmt::format("stays, because its {} differs from that of {}", *attribute, one.stays.path));
  }
  replace_by_link(held.file, stays, after_step);
}

// Moves files back that have just moved, the last first. Returns what to say of those that stay
// away.
std::string moved_back(const std::vector<const ActionStep*>& moved, const AfterStep& after_step) {
  std::string away;
  for (auto step = moved.rbegin(); step != moved.rend(); ++step) {
    const fs::path path = (*step)->needless.file.path;
    try {
      move_file(HeldFile((*step)->to), HeldFolder(path.parent_path()), path.filename(), {},
                after_step);
    } catch (const Error& error) {
      away += fmt::format("; {}", error.what());
    }
  }
  return away;
}

// Moves a picture and its companions. Returns the paths of these.
std::vector<std::string> move_item(const ActionStep& step, const std::string& folder,
                                   CompanionFinder& finder, const AfterStep& after_step) {
  std::vector<const ActionStep*> moved;
  std::vector<std::string> companions;
  try {
    move_away(step, folder, after_step);
    moved.push_back(&step);
    for (const ActionStep& companion : step.companions) {
      const std::string& path = companion.needless.file.path;
      if (std::ranges::any_of(finder.other_owners(path, step.needless.file.path), exists)) continue;
      move_away(companion, folder, after_step);
      moved.push_back(&companion);
      companions.push_back(path);
    }
  } catch (const Error& error) {
    if (moved.empty()) throw;
    throw Error(error.kind(),
                fmt::format("{}: stays, because a file that belongs to it does: {}{}",
                            step.needless.file.path, error.what(), moved_back(moved, after_step)));
  }
  return companions;
}

// A place for a file in a folder that can be held.
struct OldPlace {
  const std::string* folder = nullptr;
  fs::path below;  // of the folder
  FolderLinks links = FolderLinks::kRefuse;

  std::string name() const { return below.filename(); }
  // Returns the folder of the file; nothing if it does not exist and is not to be made.
  std::optional<HeldFolder> hold(bool is_made) const {
    if (!is_made && !exists((fs::path(*folder) / below).parent_path())) return std::nullopt;
    return HeldFolder(*folder).below(below.parent_path(), links, is_made);
  }
};

std::optional<OldPlace> place_within(const std::string& path, const Reach& reach) {
  for (const std::string& folder : reach.folders) {
    if (path == folder || !is_within(path, folder)) continue;
    return OldPlace{&folder, fs::path(path).lexically_relative(folder), reach.links};
  }
  return std::nullopt;
}

OldPlace place_of(const std::string& path, const Reach& reach) {
  auto place = place_within(path, reach);
  if (!place) leave(path, "lies in no folder of the index");
  return *place;
}

// True if a file is a further name of the one that stays for it: of what the path of that leads to,
// or of what it led to when they were compared and has another name now.
bool is_linked(const struct stat& file, const Needless& one) {
  struct stat stays {};
  if (::stat(one.stays.path.c_str(), &stays) != 0) return file.st_ino == one.stays.inode;
  return is_same_inode(file, stays) ||
         (file.st_dev == stays.st_dev && file.st_ino == one.stays.inode);
}

// Gives a file its bytes alone again. Returns false if it has them already.
bool put_back_linked(const Needless& one, const Reach& reach, const AfterStep& after_step) {
  const OldPlace place = place_of(one.file.path, reach);
  const std::optional<HeldFolder> folder = place.hold(false);
  if (!folder) leave(one.file.path, "is gone");
  settle(*folder, place.name(), after_step);
  const HeldFile file(place.hold(false).value(), place.name());
  const bool was_linked = one.file.inode == one.stays.inode;  // before the step, by another one
  if (was_linked || !is_linked(file.status(), one)) return false;
  if (file.content() != one.content) {
    leave(one.file.path, "has changed, and so has the file that it is linked to");
  }
  replace_by_copy(file, one.file.modified_ns, after_step);
  return true;
}

// Removes the folders that moves have made and that are empty, up to `folder`.
void remove_empty_folders(const std::string& file, const std::string& folder) {
  for (fs::path at = fs::path(file).parent_path(); at != folder && is_within(at.native(), folder);
       at = at.parent_path()) {
    if (::rmdir(at.c_str()) != 0) return;
  }
}

// Puts a moved file back where nothing is, or drops it where the file itself is, as after a kill.
void put_back(const HeldFile& moved, const OldPlace& place, const Needless& one,
              const AfterStep& after_step) {
  if (moved.content() != one.content) {
    leave(one.file.path, fmt::format("stays away, because {} has other bytes now", moved.path()));
  }
  const HeldFolder folder = place.hold(true).value();
  settle(folder, place.name(), after_step);
  const auto there = folder.look_at(place.name());
  if (!there) return move_file(moved, folder, place.name(), {}, after_step);
  const auto stays_away = [&](const char* what) {
    leave(one.file.path,
          fmt::format("{} stands in its place, so the file stays {}", what, moved.path()));
  };
  if (S_ISLNK(there->st_mode)) stays_away("a symbolic link");
  if (!S_ISREG(there->st_mode)) stays_away("what is no regular file");
  const HeldFile file(place.hold(true).value(), place.name());
  if (file.source().modified_ns != one.file.modified_ns || file.content() != one.content) {
    stays_away("another file");
  }
  drop_copy(moved, file, after_step);
}

// Returns false if the file is at its place already.
bool put_back_moved(const ActionStep& step, const std::string& folder, const Reach& reach,
                    const AfterStep& after_step) {
  const std::string& path = step.needless.file.path;
  const OldPlace place = place_of(path, reach);
  const OldPlace new_place{&folder, fs::path(step.to).lexically_relative(folder)};
  bool was_moved = false;
  if (const std::optional<HeldFolder> away = new_place.hold(false)) {
    settle(*away, new_place.name(), after_step);
    was_moved = away->look_at(new_place.name()).has_value();
  }
  if (was_moved) {
    put_back(HeldFile(new_place.hold(false).value(), new_place.name()), place, step.needless,
             after_step);
  } else {
    const std::optional<HeldFolder> home = place.hold(false);
    if (home) settle(*home, place.name(), after_step);
    if (!home || !home->look_at(place.name())) {
      leave(path, fmt::format("is gone, and so is {}", step.to));
    }
  }
  remove_empty_folders(step.to, folder);
  return was_moved;
}

// Drops files that another one stays for: what stays for a file must not go itself.
void drop_needed(std::vector<Needless>& files) {
  std::set<std::string> needed;
  for (const Needless& one : files) needed.insert(one.stays.path);
  std::erase_if(files, [&](const Needless& one) { return needed.contains(one.file.path); });
}

// Calls take(step, report) for each step and reports what it throws. take() returns true if it did
// anything.
template <typename Take>
ActionReport taken(std::span<const ActionStep> steps, const AfterEach& after_each,
                   const Take& take) {
  ActionReport report;
  std::size_t count = 0;
  for (const ActionStep& step : steps) {
    try {
      if (take(step, report)) report.done.push_back(step.needless.file.path);
    } catch (const Error& error) {
      report.left.emplace_back(error.what());
    }
    if (!after_each(++count)) break;
  }
  return report;
}

// Calls take(companion) for each companion of a step and reports it.
template <typename Take>
void take_companions(const ActionStep& step, ActionReport& report, const Take& take) {
  for (const ActionStep& companion : step.companions) {
    try {
      if (take(companion)) report.companions.push_back(companion.needless.file.path);
    } catch (const Error& error) {
      report.left.emplace_back(error.what());
    }
  }
}

// Returns a companion as a step of its own; nothing if there is nothing to do, as for a hard link
// that a killed call has left, or if it cannot be read.
std::optional<ActionStep> companion_step(const Companion& companion, const Companion* equal,
                                         const ActionStep& picture) {
  try {
    const HeldFile file(companion.path);
    ActionStep step;
    step.needless.file = file.source();
    step.needless.content = file.content();
    if (equal != nullptr) {
      const HeldFile stays(equal->path);
      step.needless.stays = stays.source();
      step.needless.stays_content = step.needless.content;
      step.needless.is_exact = true;
      const bool is_linked = is_same_inode(file.status(), stays.status());
      if (picture.to.empty() && (is_linked || differing_attribute(file, stays))) {
        return std::nullopt;
      }
    } else if (picture.to.empty()) {
      return std::nullopt;
    }
    if (!picture.to.empty()) {
      step.to = fs::path(picture.to).parent_path() / fs::path(companion.path).filename();
    }
    return step;
  } catch (const Error&) {  // it has just gone
    return std::nullopt;
  }
}

// Returns a name with a number before the part in which a companion's name differs from that of its
// picture: photo.2.jpg, photo.2.jpg.xmp.
fs::path numbered(const fs::path& path, const std::string& picture_stem, int number) {
  if (number == 1) return path;
  const std::string name = path.filename();
  const std::string stem = name.starts_with(picture_stem) ? picture_stem : path.stem().native();
  return path.parent_path() / fmt::format("{}.{}{}", stem, number, name.substr(stem.size()));
}

}  // namespace

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
  for (Needless& one : files) {
    ActionStep& step = plan.steps.emplace_back();
    step.to = fs::path(folder) / fs::path(one.file.path).lexically_relative(base);
    step.needless = std::move(one);
  }
  return plan;
}

ActionPlan plan_hard_links(std::vector<Needless> files) {
  ActionPlan plan{.kind = ActionKind::kHardLink};
  drop_needed(files);
  for (Needless& one : files) {
    if (one.is_exact) plan.steps.push_back({.needless = std::move(one)});
  }
  return plan;
}

void add_companions(ActionPlan& plan) {
  CompanionFinder finder;
  std::map<std::string, std::size_t> place_of_step;
  std::set<std::string> needed;  // files that stay, such as a RAW file whose JPEG goes
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    place_of_step.emplace(plan.steps[i].needless.file.path, i);
    needed.insert(plan.steps[i].needless.stays.path);
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    ActionStep& step = plan.steps[i];
    step.companions.clear();
    const std::string& path = step.needless.file.path;
    std::vector<Companion> ours = finder.companions_of(path);
    std::erase_if(ours, [&](const Companion& one) { return needed.contains(one.path); });
    const std::vector<Companion> theirs = finder.companions_of(step.needless.stays.path);
    for (const Companion& companion : ours) {
      if (place_of_step.contains(companion.path)) continue;
      // Of several pictures that go, the last takes it along.
      const auto keeps_it = [&](const std::string& owner) {
        const auto at = place_of_step.find(owner);
        if (at != place_of_step.end()) return at->second > i;
        return std::ranges::find(ours, owner, &Companion::path) == ours.end();
      };
      if (std::ranges::any_of(finder.other_owners(companion.path, path), keeps_it)) continue;
      if (auto its = companion_step(companion, equal_companion(companion, theirs), step)) {
        step.companions.push_back(*std::move(its));
      }
    }
  }
}

void choose_free_names(ActionPlan& plan) {
  if (plan.kind != ActionKind::kMove) return;
  std::set<std::string> taken;
  for (ActionStep& step : plan.steps) {
    const std::string stem = fs::path(step.to).stem();
    const auto is_free = [&](int number, const std::string& name) {
      const std::string to = numbered(name, stem, number);
      return !taken.contains(to) && !exists(to);
    };
    std::vector<std::string*> names = {&step.to};
    for (ActionStep& companion : step.companions) names.push_back(&companion.to);
    int number = 1;
    while (!std::ranges::all_of(names, [&](auto* name) { return is_free(number, *name); })) {
      ++number;
    }
    for (std::string* name : names) {
      *name = numbered(*name, stem, number);
      taken.insert(*name);
    }
  }
}

ActionReport act(const ActionPlan& plan, const AfterEach& after_each, const AfterStep& after_step) {
  CompanionFinder finder;
  return taken(plan.steps, after_each, [&](const ActionStep& step, ActionReport& report) {
    if (plan.kind == ActionKind::kMove) {
      std::ranges::move(move_item(step, plan.folder, finder, after_step),
                        std::back_inserter(report.companions));
      return true;
    }
    make_hard_link(step.needless, after_step);
    take_companions(step, report, [&](const ActionStep& companion) {
      make_hard_link(companion.needless, after_step);
      return true;
    });
    return true;
  });
}

bool is_reached(const std::string& path, const Reach& reach) {
  return place_within(path, reach).has_value();
}

ActionReport undo(const ActionPlan& plan, const Reach& reach, const AfterEach& after_each,
                  const AfterStep& after_step) {
  const std::vector<ActionStep> last_first(plan.steps.rbegin(), plan.steps.rend());
  const auto put_back_one = [&](const ActionStep& step) {
    return plan.kind == ActionKind::kMove ? put_back_moved(step, plan.folder, reach, after_step)
                                          : put_back_linked(step.needless, reach, after_step);
  };
  return taken(last_first, after_each, [&](const ActionStep& step, ActionReport& report) {
    const bool was_away = put_back_one(step);
    take_companions(step, report, put_back_one);
    return was_away;
  });
}

std::size_t standing_steps(const ActionPlan& plan, const Reach& reach) {
  return static_cast<std::size_t>(std::ranges::count_if(plan.steps, [&](const ActionStep& step) {
    const SourceFile& file = step.needless.file;
    if (!place_within(file.path, reach)) return false;
    if (plan.kind == ActionKind::kMove) return exists(step.to);
    struct stat now {};
    return ::stat(file.path.c_str(), &now) == 0 && is_linked(now, step.needless);
  }));
}

}  // namespace lookalike
