// Random sequences of changes to an index and its folders, compared after each step with a simple
// model of the index. tools/trial/sequence-test runs more of them.

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "base/path_set.h"
#include "pipeline/index/retrain.h"
#include "storage/index_check.h"
#include "tests/pipeline/index/index_run_fixture.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

// Too few for a calibration, which would take longer than everything else.
constexpr unsigned kContents = 36;
constexpr int kSteps = 24;

using Files = std::map<std::string, unsigned>;  // path to content

// Model of an index: its content, and the rules by which it changes.
struct Model {
  Files files;
  std::set<std::string> roots;
  std::map<std::string, std::string> withheld;  // path to root
  std::set<std::pair<std::string, std::string>> begun_moves;

  std::string root_of(const std::string& path) const {
    std::string innermost;
    for (const std::string& root : roots) {
      if (is_within(path, root) && root.size() > innermost.size()) innermost = root;
    }
    return innermost;
  }
  void forget_withheld_of(const std::string& root) {
    std::erase_if(withheld, [&](const auto& entry) { return entry.second == root; });
  }
  void erase(const std::string& path) {
    files.erase(path);
    withheld.erase(path);
  }
};

// True if a root lets this number of its files leave; else it withholds all of them.
bool may_leave(std::size_t removals, std::size_t files, bool empty) {
  return !empty && (removals <= 20 || static_cast<double>(removals) <= 0.2 * double(files));
}

enum class Result { kDone, kSomeMissing, kUsage, kInput };

class RandomRuns : public IndexRunTest, public testing::WithParamInterface<unsigned> {
 protected:
  RandomRuns() : random_(GetParam()) {
    config_.images.folders.clear();
    config_.codebook.words = 16;
    config_.extract.hessian_threshold = 10;
    for (const char* name : {"A", "A/inner", "B", "C"}) fs::create_directories(folder(name));
  }

  std::string folder(const std::string& name) const { return folder_.path() / name; }
  unsigned below(std::size_t limit) { return static_cast<unsigned>(random_() % limit); }

  // Returns the visible files.
  Files on_disk() const {
    Files seen;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      const std::string path = entry.path();
      const auto content = disk_.find(path);
      if (content != disk_.end()) seen[path] = content->second;
    }
    return seen;
  }
  void put(const std::string& path, unsigned content) {
    static std::map<unsigned, std::string> pictures;
    std::string& bytes = pictures[content];
    if (bytes.empty()) bytes = text(encode(".png", draw_picture(72, 64, content)));
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    disk_[path] = content;
  }
  std::string any_file() {
    const Files seen = on_disk();
    return seen.empty() ? std::string() : std::next(seen.begin(), below(seen.size()))->first;
  }
  std::string any_folder() {
    const std::vector<std::string> names = {"A", "A/inner", "B", "C"};
    return folder(names[below(names.size())]);
  }

  void add_files(std::size_t count) {
    const std::string to = any_folder();
    if (!fs::exists(to)) return;
    for (std::size_t i = 0; i < count; ++i) {
      put(fmt::format("{}/{}.png", to, next_name_++), below(kContents));
    }
  }
  void delete_files(std::size_t count, const std::string& below) {
    for (const auto& [path, content] : on_disk()) {
      if (count == 0 || !is_within(path, below)) continue;
      fs::remove(path);
      disk_.erase(path);
      --count;
    }
  }
  void rename_file() {
    const std::string from = any_file();
    const std::string to = fmt::format("{}/{}.png", any_folder(), next_name_++);
    if (from.empty() || !fs::exists(fs::path(to).parent_path())) return;
    fs::rename(from, to);
    disk_[to] = disk_.at(from);
    disk_.erase(from);
  }
  // Removes a top folder, replaces it by an empty one, or restores it.
  void toggle(const std::string& name, bool leave_empty) {
    const std::string path = folder(name);
    const std::string aside = folder_.path() / ("aside-" + name);
    if (fs::exists(aside)) {
      std::error_code ignored;
      fs::remove_all(path, ignored);  // what was put there meanwhile
      std::erase_if(disk_, [&](const auto& file) {
        return is_within(file.first, path) && !hidden_.contains(file.first);
      });
      fs::rename(aside, path);
      std::erase_if(hidden_, [&](const std::string& file) { return is_within(file, path); });
      return;
    }
    for (const auto& [file, content] : disk_) {
      if (is_within(file, path)) hidden_.insert(file);
    }
    fs::rename(path, aside);
    if (leave_empty) fs::create_directory(path);
  }

  template <typename Work>
  Result result_of(Work work) {
    try {
      return work();
    } catch (const Error& error) {
      last_error_ = error.what();
      if (error.kind() == ErrorKind::kUsage) return Result::kUsage;
      EXPECT_EQ(error.kind(), ErrorKind::kInput) << error.what();
      return Result::kInput;
    }
  }

  void index(const std::vector<std::string>& named, const std::vector<std::string>& confirmed) {
    SCOPED_TRACE(fmt::format("index {} confirm {}", named, confirmed));
    config_.images.folders = named;
    const Result result = result_of([&] {
      const auto report = run_index(config_, Progress::Style::kQuiet, [] { return false; },
                                    {.confirmed_roots = confirmed});
      EXPECT_TRUE(report.skipped.empty());
      return Result::kDone;
    });
    EXPECT_EQ(result, expect_index(named, confirmed)) << last_error_;
  }

  Result expect_index(std::vector<std::string> named, const std::vector<std::string>& confirmed) {
    if (named.empty() && model_.roots.empty()) return Result::kUsage;
    for (const std::string& root : confirmed) {
      if (!model_.roots.contains(root)) return Result::kUsage;
    }
    if (!named.empty()) named.insert(named.end(), confirmed.begin(), confirmed.end());
    std::set<std::string> scanned(named.begin(), named.end());
    for (const std::string& root : model_.roots) {
      const bool wanted = named.empty() || std::ranges::any_of(named, [&](const std::string& name) {
                            return is_within(root, name);
                          });
      if (wanted) scanned.insert(root);
    }
    for (const std::string& root : scanned) {
      if (!model_.roots.contains(root) && !fs::exists(root)) return Result::kInput;
    }
    model_.roots.insert(scanned.begin(), scanned.end());
    std::erase_if(scanned, [](const std::string& root) { return !fs::exists(root); });
    update(scanned, {confirmed.begin(), confirmed.end()});
    return Result::kDone;
  }

  void update(const std::set<std::string>& scanned, const std::set<std::string>& confirmed) {
    Files present = on_disk();
    std::erase_if(present,
                  [&](const auto& file) { return !scanned.contains(model_.root_of(file.first)); });
    std::map<std::string, std::size_t> before;
    for (const auto& [path, content] : model_.files) ++before[model_.root_of(path)];
    std::set<unsigned> read;
    for (const auto& [path, content] : present) {
      const auto known = model_.files.find(path);
      if (known != model_.files.end() && known->second == content) continue;
      read.insert(content);
      model_.files[path] = content;
      model_.withheld.erase(path);
    }
    std::map<std::string, std::vector<std::string>> gone;
    std::map<std::string, std::size_t> confirmed_removals;
    for (const auto& [path, content] : Files(model_.files)) {
      const std::string root = model_.root_of(path);
      if (!scanned.contains(root) || present.contains(path)) continue;
      const auto withheld = model_.withheld.find(path);
      const bool is_confirmed =
          confirmed.contains(root) && withheld != model_.withheld.end() && withheld->second == root;
      if (read.contains(content) || is_confirmed) {
        confirmed_removals[root] += read.contains(content) ? 0 : 1;
        model_.erase(path);
      } else {
        gone[root].push_back(path);
      }
    }
    for (const std::string& root : scanned) {
      const bool empty = std::ranges::none_of(
          present, [&](const auto& file) { return model_.root_of(file.first) == root; });
      model_.forget_withheld_of(root);
      for (const std::string& path : gone[root]) {
        if (may_leave(gone[root].size(), before[root] - confirmed_removals[root], empty)) {
          model_.erase(path);
        } else {
          model_.withheld[path] = root;
        }
      }
    }
  }

  void retrain() {
    std::set<unsigned> contents;
    for (const auto& [path, content] : retrained_files()) contents.insert(content);
    if (contents.size() < 6) return;  // too few features for the configured words
    SCOPED_TRACE("retrain");
    config_.images.folders.clear();
    ++config_.codebook.seed;  // other words
    const Result result = result_of([&] {
      retrain_index(config_, Progress::Style::kQuiet, [] { return false; });
      return Result::kDone;
    });
    EXPECT_EQ(result, expect_retrain()) << last_error_;
    if (result == Result::kDone) model_.begun_moves.clear();  // the new index has no record of them
  }

  // Returns the visible files in the index's folders, and its other visible files.
  Files retrained_files() const {
    Files files = on_disk();
    std::erase_if(files, [&](const auto& file) {
      return model_.root_of(file.first).empty() && !model_.files.contains(file.first);
    });
    return files;
  }

  Result expect_retrain() {
    if (model_.roots.empty() && model_.files.empty()) return Result::kUsage;
    if (!std::ranges::all_of(model_.roots, [](const auto& root) { return fs::exists(root); })) {
      return Result::kInput;
    }
    Files made = retrained_files();
    std::set<unsigned> contents;
    for (const auto& [path, content] : made) contents.insert(content);
    std::map<std::string, std::size_t> before;
    std::map<std::string, std::size_t> gone;
    for (const auto& [path, content] : model_.files) {
      const std::string root = model_.root_of(path);
      ++before[root];
      if (made.contains(path)) continue;
      if (root.empty()) return Result::kInput;
      if (!contents.contains(content)) ++gone[root];
    }
    for (const auto& [root, count] : gone) {
      const bool empty = std::ranges::none_of(
          made, [&](const auto& file) { return model_.root_of(file.first) == root; });
      if (!may_leave(count, before[root], empty)) return Result::kInput;
    }
    model_.files = std::move(made);
    model_.withheld.clear();
    return Result::kDone;
  }

  int run_command(const std::vector<std::string>& words) {
    std::vector<const char*> arguments = {"lookalike"};
    for (const std::string& word : words) arguments.push_back(word.c_str());
    return run_lookalike(static_cast<int>(arguments.size()), arguments.data());
  }

  void remove(const std::string& path) {
    SCOPED_TRACE("remove " + path);
    run_command({"remove", "--quiet", "--database", config_.store.database, path});
    const bool is_root = model_.roots.contains(path);
    std::erase_if(model_.roots, [&](const std::string& root) {
      const bool forgotten = is_root ? root == path : is_within(root, path);
      if (forgotten) model_.forget_withheld_of(root);
      return forgotten;
    });
    for (const auto& [file, content] : Files(model_.files)) {
      if (is_within(file, path) && !(is_root && !model_.root_of(file).empty())) model_.erase(file);
    }
  }

  // Renames a folder on disk and in the index.
  void move(const std::string& from, const std::string& to) {
    if (!fs::exists(from) || fs::exists(to)) return;
    SCOPED_TRACE(fmt::format("move {} {}", from, to));
    fs::rename(from, to);
    Files moved;
    std::erase_if(disk_, [&](const auto& file) {
      if (!is_within(file.first, from) || hidden_.contains(file.first)) return false;
      moved[to + file.first.substr(from.size())] = file.second;
      return true;
    });
    disk_.insert(moved.begin(), moved.end());
    const Result result = result_of([&] {
      const int code =
          run_command({"move", "--quiet", "--database", config_.store.database, from, to});
      return code == 0 ? Result::kDone : Result::kSomeMissing;
    });
    EXPECT_EQ(result, expect_move(from, to)) << last_error_;
    fs::rename(to, from);  // so that folders keep their names; the index has to follow again
    for (const auto& [path, content] : moved) {
      disk_.erase(path);
      disk_[from + path.substr(to.size())] = content;
    }
    const Result back = result_of([&] {
      const int code =
          run_command({"move", "--quiet", "--database", config_.store.database, to, from});
      return code == 0 ? Result::kDone : Result::kSomeMissing;
    });
    EXPECT_EQ(back, expect_move(to, from)) << last_error_;
  }

  Result expect_move(const std::string& from, const std::string& to) {
    std::set<std::string> staying;
    std::size_t moved = 0;
    for (const auto& [path, content] : Files(model_.files)) {
      if (!is_within(path, from)) continue;
      const std::string now = to + path.substr(from.size());
      const auto there = disk_.find(now);
      if (there == disk_.end() || there->second != content || hidden_.contains(now)) {
        staying.insert(path);
        continue;
      }
      model_.erase(path);
      model_.files[now] = content;
      ++moved;
    }
    // Nothing to move, but an earlier call began it, or left a folder there.
    const bool is_rest =
        std::ranges::any_of(model_.files,
                            [&](const auto& file) { return is_within(file.first, to); }) &&
        std::ranges::any_of(model_.roots,
                            [&](const std::string& root) { return is_within(root, from); });
    const bool is_repeated =
        moved + staying.size() == 0 && (model_.begun_moves.contains({from, to}) || is_rest);
    if (moved + staying.size() == 0 && !is_repeated) return Result::kInput;
    if (moved > 0 || is_repeated) {
      model_.begun_moves.emplace(from, to);
      for (const std::string& root : std::set<std::string>(model_.roots)) {
        if (!is_within(root, from)) continue;
        model_.roots.insert(to + root.substr(from.size()));
        if (std::ranges::any_of(staying, [&](const auto& file) { return is_within(file, root); })) {
          continue;
        }
        model_.roots.erase(root);
        model_.forget_withheld_of(root);
      }
    }
    return staying.empty() ? Result::kDone : Result::kSomeMissing;
  }

  void compare() {
    if (!fs::exists(config_.store.database)) {
      EXPECT_TRUE(model_.files.empty() && model_.roots.empty());
      return;
    }
    const IndexReader reader = IndexRunTest::index();
    Files files;
    std::map<ContentHash, unsigned> contents;
    reader.for_each_image([&](const StoredImage& image) {
      for (const std::string& path : image.paths) {
        const auto known = model_.files.find(path);
        files[path] = known == model_.files.end() ? kContents : known->second;
        // One image, one content.
        const auto [entry, added] = contents.emplace(image.content, files[path]);
        EXPECT_EQ(entry->second, files[path]) << path;
      }
    });
    EXPECT_EQ(files, model_.files);
    std::set<unsigned> distinct;
    for (const auto& [path, content] : model_.files) distinct.insert(content);
    EXPECT_EQ(reader.counts().images, distinct.size());
    std::set<std::string> roots;
    std::map<std::string, std::string> withheld;
    for (const IndexRoot& root : reader.roots()) {
      roots.insert(root.path);
      for (const std::string& file : root.withheld) withheld[file] = root.path;
    }
    EXPECT_EQ(roots, model_.roots);
    EXPECT_EQ(withheld, model_.withheld);
    EXPECT_THAT(check_index(config_.store.database), testing::IsEmpty());
  }

  void step() {
    switch (below(14)) {
      case 0:
      case 1:
        return add_files(1 + below(30));
      case 2:
        return delete_files(1 + below(3), folder_.path());
      case 3:
        return delete_files(25, folder(below(2) == 0 ? "A" : "B"));
      case 4:
        return rename_file();
      case 5:
        return toggle(std::vector<std::string>{"A", "B"}[below(2)], below(2) == 0);
      case 6: {
        const std::string path = any_file();
        if (!path.empty()) put(path, below(kContents));
        return;
      }
      case 7:
        return index({any_folder()}, {});
      case 8:  // one with something to confirm, if there is one
        return index({},
                     {model_.withheld.empty() ? any_folder() : model_.withheld.begin()->second});
      case 9: {
        const std::string file = any_file();
        return remove(below(2) == 0 || file.empty() ? any_folder() : file);
      }
      case 10:
        return move(any_folder(), folder_.path() / "elsewhere");
      case 11:
        return retrain();
      default:
        return index({}, {});
    }
  }

  std::mt19937 random_;
  Files disk_;                    // every file, also those set aside with their folder
  std::set<std::string> hidden_;  // the ones set aside
  unsigned next_name_ = 0;
  Model model_;
  std::string last_error_;
};

TEST_P(RandomRuns, LeaveInTheIndexWhatTheModelSays) {
  for (unsigned i = 0; i < 12; ++i) put(fmt::format("{}/first{}.png", folder("A"), i), i);
  index({folder("A")}, {});
  compare();
  for (int i = 0; i < kSteps && !HasFailure(); ++i) {
    SCOPED_TRACE(fmt::format("step {}", i));
    step();
    compare();
  }
}

unsigned sequences() {
  const char* const count = std::getenv("LOOKALIKE_SEQUENCES");
  return count == nullptr ? 12 : static_cast<unsigned>(std::atoi(count));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRuns, testing::Range(0U, sequences()));

}  // namespace
}  // namespace lookalike
