#include "pipeline/index/retrain.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/path_set.h"
#include "base/program.h"
#include "base/text.h"
#include "pipeline/flow/feature_cache.h"
#include "pipeline/index/removals.h"
#include "pipeline/index/run_codebook.h"
#include "pipeline/index/run_record.h"
#include "pipeline/index/update_plan.h"
#include "storage/index_reader.h"
#include "storage/schema.h"

namespace lookalike {
namespace {

// The command in the record of runs of DATABASE.retrain, which tells it from an index that another
// command made.
constexpr const char* kCommand = "retrain";

// True for the beginnings of an index without content, and for an index whose runs are all
// retrainings.
bool is_from_retraining(const std::string& beside) {
  std::error_code error;
  if (std::filesystem::file_size(beside, error) == 0) return true;
  try {
    const IndexReader index(beside);
    const std::vector<RunRecord> runs = index.runs(std::numeric_limits<std::int32_t>::max());
    return (!runs.empty() || index.settings().empty()) &&
           std::ranges::all_of(runs, [](const RunRecord& run) { return run.command == kCommand; });
  } catch (const EmptyIndex&) {
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Throws Error(kStorage) if DATABASE.retrain was not made by an earlier retraining.
void check_beside(const std::string& beside) {
  const auto refuse = [&](const char* what) {
    throw Error(ErrorKind::kStorage, fmt::format("{}: {}", printable(beside), what));
  };
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::symlink_status(beside, error).type();
  if (type == std::filesystem::file_type::not_found) return;
  // A link is allowed only where the user named it.
  if (type == std::filesystem::file_type::symlink) refuse("is a link, not a file");
  if (type != std::filesystem::file_type::regular || !is_from_retraining(beside)) {
    refuse("was not made by `lookalike retrain`, which would replace it: move it away");
  }
}

// Removes DATABASE.retrain, which check_beside() has passed, with the files beside it.
void remove_beside(const RunConfig& beside) {
  FeatureCache(beside).discard();
  for (const char* ending : {"", "-wal", "-shm"}) {
    std::error_code ignored;
    std::filesystem::remove(beside.store.database + ending, ignored);
  }
}

// True if the content of DATABASE.retrain was already taken over by a run that was killed before it
// removed the file.
bool is_swapped_in(const IndexWriter& writer, const std::string& beside) {
  try {
    const Settings settings = IndexReader(beside).settings();
    return !settings.empty() && settings == writer.settings();
  } catch (const Error&) {
    return false;
  }
}

// The sources of the new index: the folders of the old one, the named ones, and the files of the
// old one outside all of them.
struct Sources {
  std::vector<std::string> folders;
  IndexRunOptions options{.keep_settings = false, .command = kCommand};
};

Sources sources_of(const IndexWriter& writer, const ImagesOptions& images) {
  Sources sources;
  sources.folders = images.folders;
  for (IndexRoot& root : writer.roots()) sources.folders.push_back(std::move(root.path));
  PathSet folders;
  for (const std::string& folder : sources.folders) folders.insert(normal_path(folder));
  for (SourceFile& file : writer.files()) {
    if (folders.innermost(file.path)) continue;
    sources.options.lone_files.push_back(std::move(file.path));
  }
  return sources;
}

// True if an incomplete index has only folders and files that are wanted.
//   words  the hash of the codebook that it must have; empty for any
bool can_be_resumed(const std::string& beside, const Sources& sources, const std::string& words) {
  PathSet wanted;
  for (const std::string& folder : sources.folders) wanted.insert(normal_path(folder));
  for (const std::string& file : sources.options.lone_files) wanted.insert(file);
  bool all_wanted = true;
  try {
    const IndexReader incomplete(beside);
    const std::string has = codebook_hash_in(incomplete.settings());
    all_wanted = words.empty() || has.empty() || has == words;
    for (const IndexRoot& root : incomplete.roots()) all_wanted &= wanted.contains(root.path);
    incomplete.for_each_file([&](const std::string& file, std::int64_t) {
      all_wanted &= wanted.innermost(file) != nullptr;
    });
  } catch (const Error&) {
    return false;
  }
  return all_wanted;
}

IndexRunReport index_beside(const RunConfig& config, Progress::Style style, const StopRequest& stop,
                            const Sources& sources, const std::string& words) {
  if (std::filesystem::exists(config.store.database)) {
    try {
      if (can_be_resumed(config.store.database, sources, words)) {
        return run_index(config, style, stop, sources.options);
      }
    } catch (const OtherSettings&) {
      // An earlier retraining made it under other settings.
    }
    remove_beside(config);
  }
  return run_index(config, style, stop, sources.options);
}

[[noreturn]] void refuse(const std::string& path, const std::string& problem) {
  throw Error(ErrorKind::kInput,
              fmt::format("{}: {}, and its images would be lost from the index: make it readable, "
                          "or remove it with `lookalike remove`",
                          printable(path), problem));
}

// Throws for an image without a file, which cannot be read again.
void refuse_names(const IndexWriter& writer) {
  writer.for_each_file([](const std::string& name, std::int64_t) {
    if (is_path(name)) return;
    throw Error(ErrorKind::kInput,
                fmt::format("{}: was added without a file, which retraining would read: remove it "
                            "with `lookalike remove`, and add it again afterwards",
                            printable(name)));
  });
}

// Returns the files of the index that the new one lacks. Throws for files that are out of sight,
// which an index keeps but a new one cannot have.
std::vector<GoneFile> missing_files(const IndexWriter& writer, const std::string& database,
                                    const IndexWriter& made, const IndexRunReport& report,
                                    const PathSet& roots) {
  const OutOfSight out_of_sight(report.skipped);
  std::unordered_set<std::string> present;
  for (SourceFile& file : made.files()) present.insert(std::move(file.path));
  const IndexReader index(database);
  std::vector<GoneFile> missing;
  for (const SourceFile& file : writer.files()) {
    const SkippedFile* const skip = out_of_sight.covering(file.path);
    if (skip != nullptr) refuse(skip->file.path, skip->detail);
    if (present.contains(file.path)) continue;
    const std::string* const root = roots.innermost(file.path);
    if (root == nullptr) refuse(file.path, "is gone or unusable, and in no folder of the index");
    const auto image = index.image(*index.find(file.path));
    missing.push_back({file.path, *root, image && made.contains(image->content)});
  }
  return missing;
}

// Adds the files that the new index lacks to the report. Throws Error(kInput) when `lookalike
// index` would withhold their removal.
void account_for_missing(const IndexWriter& writer, const RunConfig& config,
                         const std::string& beside, IndexRunReport& report) {
  const IndexWriter made(beside);
  std::vector<ScannedFolder> scanned;
  PathSet roots;
  for (IndexRoot& root : made.roots()) {
    roots.insert(root.path);
    scanned.push_back({.path = root.path, .problem = {}, .devices = std::move(root.devices)});
  }
  std::map<std::string, GuardedRoot> guarded;
  for (const IndexRoot& root : writer.roots()) {
    guarded[root.path].remounted = remounted_folder(root, scanned);
  }
  for (const SourceFile& file : writer.files()) {
    if (const std::string* const root = roots.innermost(file.path)) ++guarded[*root].files;
  }
  for (const RootReport& root : report.roots) guarded[root.path].empty = root.files == 0;
  const Removals removals =
      decide_removals(missing_files(writer, config.store.database, made, report, roots), guarded,
                      config.images.max_removed_share);
  for (const auto& [root, withheld] : removals.withheld) {
    throw Error(
        ErrorKind::kInput,
        fmt::format("{}: retraining would lose {} gone or unusable: {}. If that is intended, run "
                    "`lookalike index` and confirm the removal",
                    printable(root), counted(withheld.files.size(), "file"), withheld.reason));
  }
  report.moved = removals.moved.size();
  report.removed = removals.removed.size();
}

}  // namespace

IndexRunReport retrain_index(const RunConfig& config, Progress::Style style,
                             const StopRequest& stop) {
  if (!std::filesystem::exists(config.store.database)) {
    throw Error(ErrorKind::kInput, config.store.database + ": no such index");
  }
  RunConfig beside = config;
  beside.store.database += ".retrain";
  beside.images.max_removed_share = 1;  // removals from an incomplete index lose nothing
  check_beside(beside.store.database);
  IndexWriter writer(config.store.database);
  refuse_names(writer);
  RunRecorder recorder(writer, kCommand);
  try {
    const IndexCounts before = writer.counts();
    const std::vector<SkippedFile> quarantine = writer.quarantine();
    if (is_swapped_in(writer, beside.store.database)) remove_beside(beside);
    const Sources sources = sources_of(writer, config.images);
    beside.images.folders = sources.folders;
    std::string& reuse = beside.codebook.reuse;
    std::string words = reuse.empty() ? "" : hash_of_codebook_file(reuse);
    if (!words.empty() && words == codebook_hash_in(writer.settings())) {
      logger()->info("codebook.reuse: the index has these words already; training new ones");
      reuse.clear();
      words.clear();
    }
    IndexRunReport report = index_beside(beside, style, stop, sources, words);
    if (!report.stopped) {
      account_for_missing(writer, config, beside.store.database, report);
      writer.replace_content(beside.store.database);
      remove_beside(beside);
    }
    report.newly_skipped = newly_skipped(report.skipped, quarantine);
    report.before = before;
    report.after = writer.counts();
    recorder.end(report);
    return report;
  } catch (const std::exception& error) {
    recorder.fail(error.what());
    throw;
  }
}

}  // namespace lookalike
