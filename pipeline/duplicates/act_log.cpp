#include "pipeline/duplicates/act_log.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/path_set.h"
#include "base/text.h"
#include "pipeline/duplicates/act_lock.h"
#include "pipeline/json.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kLogMark = "duplicates of lookalike";
constexpr std::string_view kLogStart = R"({"log":"duplicates of lookalike",)";
constexpr int kLogVersion = 2;
constexpr const char* kMove = "move";
constexpr const char* kHardLink = "hardlink";
constexpr std::size_t kMaxBytes = std::size_t{256} << 20U;  // some 400,000 files
constexpr std::size_t kHeadBytes = std::size_t{1} << 16U;   // hold the start of a log

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorKind::kInput, why);
}

Json json_of(const SourceFile& file, const ContentHash& content) {
  return {{"path", text_of_path(file.path)},
          {"size_bytes", file.size_bytes},
          {"modified_ns", file.modified_ns},
          {"changed_ns", file.changed_ns},
          {"inode", file.inode},
          {"content", to_hex(content)}};
}

// Returns a path that has the form of normal_path(), as all in a log have.
std::string path_in(const Json& json) {
  std::string path = path_of_text(json.get<std::string>());
  if (!path.starts_with('/') || normal_path(path) != path) refuse("has a path that is not whole");
  return path;
}

void read(const Json& json, SourceFile& file, ContentHash& content) {
  file.path = path_in(json.at("path"));
  json.at("size_bytes").get_to(file.size_bytes);
  json.at("modified_ns").get_to(file.modified_ns);
  json.at("changed_ns").get_to(file.changed_ns);
  json.at("inode").get_to(file.inode);
  content = content_from(json.at("content").get<std::string>()).value();
}

Json json_of(const ActionStep& step, ActionKind kind) {
  const Needless& one = step.needless;
  Json json = {{"file", json_of(one.file, one.content)}};
  if (!one.stays.path.empty()) json["stays"] = json_of(one.stays, one.stays_content);
  json["exact"] = one.is_exact;
  if (kind == ActionKind::kMove) json["to"] = text_of_path(step.to);
  for (const ActionStep& companion : step.companions) {
    json["companions"].push_back(json_of(companion, kind));
  }
  return json;
}

// Reads steps whose new names were below one folder and are below another one.
struct StepReader {
  ActionKind kind{};
  std::string was{};
  fs::path is{};

  ActionStep step_of(const Json& json) const {
    ActionStep step = item_of(json);
    read(json.at("stays"), step.needless.stays, step.needless.stays_content);
    if (json.contains("companions")) {
      for (const Json& companion : json.at("companions")) {
        ActionStep& its = step.companions.emplace_back(item_of(companion));
        if (!companion.contains("stays")) continue;
        read(companion.at("stays"), its.needless.stays, its.needless.stays_content);
      }
    }
    return step;
  }

 private:
  ActionStep item_of(const Json& json) const {
    ActionStep step;
    read(json.at("file"), step.needless.file, step.needless.content);
    json.at("exact").get_to(step.needless.is_exact);
    if (kind == ActionKind::kHardLink) return step;
    const std::string to = path_in(json.at("to"));
    if (to == was || !is_within(to, was)) refuse("moves files out of its folder");
    step.to = is / fs::path(to).lexically_relative(was);
    return step;
  }
};

// Parses the text of a log. New names are moved to the folder, or stay as they are without one.
ActionPlan parsed(std::string_view text, const std::optional<fs::path>& folder) {
  std::optional<ActionPlan> plan;
  StepReader reader;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    const Json json = parse_json<Json>(line);
    if (plan) {
      plan->steps.push_back(reader.step_of(json));
      continue;
    }
    if (json.at("log") != kLogMark) refuse("is no log of lookalike");
    if (json.at("version") != kLogVersion) {
      refuse(fmt::format("is a log of version {}, and this program reads {}",
                         json.at("version").dump(), kLogVersion));
    }
    plan.emplace();
    const bool is_move = json.at("action") == kMove;
    if (!is_move && json.at("action") != kHardLink) {
      refuse("has an action that this program does not know");
    }
    plan->kind = is_move ? ActionKind::kMove : ActionKind::kHardLink;
    for (const Json& database : json.at("index")) plan->databases.emplace_back(path_in(database));
    if (is_move) {
      const std::string was = path_in(json.at("folder"));
      plan->folder = folder ? folder->native() : was;
      reader.was = was;
    }
    reader.kind = plan->kind;
    reader.is = plan->folder;
  }
  return plan.value();
}

FileDescriptor open_own(const fs::path& file) {
  FileDescriptor opened = open_regular(file, false);
  struct stat status {};
  if (!opened.is_open() || ::fstat(opened.number(), &status) != 0) {
    if (errno == ELOOP) refuse("is a symbolic link");
    if (errno == EISDIR || errno == ENOTSUP) refuse("is no regular file");
    refuse("cannot be read: " + std::generic_category().message(errno));
  }
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
    refuse("belongs to another user, and could name any file");
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    refuse("can be written by other users, and could name any file: see who did, then chmod go-w");
  }
  if (status.st_size > static_cast<off_t>(kMaxBytes)) refuse("is damaged, or no log of lookalike");
  return opened;
}

// Reads a file that holds the text of a log from a line near its start on.
std::string text_of_log(const FileDescriptor& file) {
  std::string text;
  const auto read = [&](std::size_t bytes) {
    if (append_bytes(file, bytes, text)) return;
    refuse("cannot be read: " + std::generic_category().message(errno));
  };
  read(kHeadBytes);
  const std::size_t at = text.starts_with(kLogStart) ? 0 : text.find('\n' + std::string(kLogStart));
  if (at == std::string::npos) refuse("is damaged, or no log of lookalike");
  read(kMaxBytes);
  return text.substr(at);
}

// Runs work(), which reads a log, and adds its name to what that throws.
template <typename Work>
auto named(const fs::path& file, const Work& work) {
  const std::string name = printable(file.native());
  try {
    return work();
  } catch (const Error& error) {
    throw Error(ErrorKind::kInput, name + ": " + error.what());
  } catch (const std::exception&) {
    throw Error(ErrorKind::kInput, name + ": is damaged, or no log of lookalike");
  }
}

fs::path folder_of(const fs::path& file) {
  return resolved(fs::absolute(file).parent_path());
}

}  // namespace

std::string log_text(const ActionPlan& plan) {
  const bool is_move = plan.kind == ActionKind::kMove;
  Json databases = Json::array();
  for (const fs::path& database : plan.databases) {
    databases.push_back(text_of_path(normal_path(database.native())));
  }
  Json head = {{"log", kLogMark},
               {"version", kLogVersion},
               {"action", is_move ? kMove : kHardLink},
               {"index", std::move(databases)}};
  if (is_move) head["folder"] = text_of_path(plan.folder);
  std::string text = head.dump() + '\n';
  for (const ActionStep& step : plan.steps) text += json_of(step, plan.kind).dump() + '\n';
  return text;
}

fs::path new_log_name(const fs::path& folder) {
  const auto now = std::chrono::system_clock::now();
  const std::string name = fmt::format("lookalike-{:%Y%m%dT%H%M%SZ}",
                                       fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
  for (int number = 1;; ++number) {
    fs::path log = folder / (number == 1 ? name + ".log" : fmt::format("{}.{}.log", name, number));
    struct stat status {};
    if (::lstat(log.c_str(), &status) != 0) return log;
  }
}

std::unique_ptr<AtomicFile> write_log(const fs::path& file, const ActionPlan& plan) {
  const std::string text = log_text(plan);
  if (text.size() > kMaxBytes) {
    throw Error(ErrorKind::kStorage,
                fmt::format("{}: {} files are too many for one log: act on a folder at a time",
                            file.string(), plan.steps.size()));
  }
  auto log = std::make_unique<AtomicFile>(file, FileAccess::kOwner);
  log->write(bytes_of(text));
  if (!log->commit_new()) throw Error(ErrorKind::kStorage, file.string() + ": exists");
  try {  // others may be able to write on this file system
    named(file, [&] { return open_own(file); });
  } catch (const Error&) {
    ::unlink(file.c_str());
    throw;
  }
  return log;
}

ActionPlan read_log(const fs::path& file) {
  return named(file, [&] { return parsed(text_of_log(open_own(file)), folder_of(file)); });
}

TakenLog take_log(const fs::path& file) {
  FileDescriptor lock = named(file, [&] { return open_own(file); });
  if (!wait_for_lock(lock, ActionLock::kPatience)) {
    throw Busy(printable(file.native()) + ": another process is moving or linking its files");
  }
  ActionPlan plan = named(file, [&] { return parsed(text_of_log(lock), folder_of(file)); });
  return {std::move(lock), std::move(plan)};
}

ActionPlan read_plan(const fs::path& file) {
  return named(file, [&] { return parsed(text_of_log(open_own(file)), std::nullopt); });
}

}  // namespace lookalike
