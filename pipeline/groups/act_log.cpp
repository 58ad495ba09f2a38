#include "pipeline/groups/act_log.h"

#include <cerrno>
#include <chrono>
#include <optional>
#include <sys/stat.h>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "pipeline/parse_json.h"

namespace lookalike {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLogMark = "duplicates of lookalike";
constexpr int kLogVersion = 1;
constexpr FileKind kLogFile{.most_bytes = std::size_t{256} << 20U,
                            .may_be_link = false,
                            .beginning = R"({"log":"duplicates of lookalike",)"};
constexpr const char* kMove = "move";
constexpr const char* kHardLink = "hardlink";

Json json_of(const SourceFile& file, const ContentHash& content) {
  return {{"path", text_of_path(file.path)},
          {"size_bytes", file.size_bytes},
          {"modified_ns", file.modified_ns},
          {"changed_ns", file.changed_ns},
          {"inode", file.inode},
          {"content", to_hex(content)}};
}

void read(const Json& json, SourceFile& file, ContentHash& content) {
  file.path = path_of_text(json.at("path").get<std::string>());
  json.at("size_bytes").get_to(file.size_bytes);
  json.at("modified_ns").get_to(file.modified_ns);
  json.at("changed_ns").get_to(file.changed_ns);
  json.at("inode").get_to(file.inode);
  content = content_from(json.at("content").get<std::string>()).value();
}

Json json_of(const ActionStep& step, ActionKind kind) {
  const Needless& one = step.needless;
  Json json = {{"file", json_of(one.file, one.content)},
               {"stays", json_of(one.stays, one.stays_content)},
               {"exact", one.is_exact}};
  if (kind == ActionKind::kMove) {
    json["to"] = text_of_path(step.to);
  } else {
    json.update({{"mode", step.mode}, {"owner", step.owner}, {"group", step.group}});
  }
  return json;
}

ActionStep step_of(const Json& json, ActionKind kind) {
  ActionStep step;
  read(json.at("file"), step.needless.file, step.needless.content);
  read(json.at("stays"), step.needless.stays, step.needless.stays_content);
  json.at("exact").get_to(step.needless.is_exact);
  if (kind == ActionKind::kMove) {
    step.to = path_of_text(json.at("to").get<std::string>());
  } else {
    json.at("mode").get_to(step.mode);
    json.at("owner").get_to(step.owner);
    json.at("group").get_to(step.group);
  }
  return step;
}

ActionPlan parsed(const std::string& text) {
  const Json json = parse_json<Json>(text);
  if (json.at("log") != kLogMark) throw Error(ErrorKind::kInput, "is no log of lookalike");
  if (json.at("version") != kLogVersion) {
    throw Error(ErrorKind::kInput, fmt::format("is a log of version {}, and this program reads {}",
                                               json.at("version").dump(), kLogVersion));
  }
  ActionPlan plan;
  const bool is_move = json.at("action") == kMove;
  if (!is_move && json.at("action") != kHardLink) {
    throw Error(ErrorKind::kInput, "has an action that this program does not know");
  }
  plan.kind = is_move ? ActionKind::kMove : ActionKind::kHardLink;
  if (is_move) plan.folder = path_of_text(json.at("folder").get<std::string>());
  for (const Json& step : json.at("files")) plan.steps.push_back(step_of(step, plan.kind));
  return plan;
}

}  // namespace

std::string log_text(const ActionPlan& plan) {
  const bool is_move = plan.kind == ActionKind::kMove;
  Json head = {
      {"log", kLogMark}, {"version", kLogVersion}, {"action", is_move ? kMove : kHardLink}};
  if (is_move) head["folder"] = text_of_path(plan.folder);
  std::string text = head.dump();
  text.back() = ',';
  text += "\"files\":[";
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    text += i == 0 ? "\n" : ",\n";
    text += json_of(plan.steps[i], plan.kind).dump();
  }
  return text + "\n]}\n";
}

std::filesystem::path new_log_name(const std::filesystem::path& folder) {
  const auto now = std::chrono::system_clock::now();
  const std::string name = fmt::format("lookalike-{:%Y%m%dT%H%M%SZ}",
                                       fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
  for (int number = 1;; ++number) {
    std::filesystem::path log =
        folder / (number == 1 ? name + ".log" : fmt::format("{}.{}.log", name, number));
    struct stat status {};
    if (::lstat(log.c_str(), &status) != 0) return log;
  }
}

void write_log(const std::filesystem::path& file, const ActionPlan& plan) {
  AtomicFile log(file);
  log.write(bytes_of(log_text(plan)));
  if (!log.commit_new()) throw Error(ErrorKind::kStorage, file.string() + ": exists");
}

ActionPlan read_log(const std::filesystem::path& file) {
  const std::string name = printable(file.native());
  const std::optional<std::string> text = read_file(file, kLogFile);
  if (!text && errno == EBADMSG)
    throw Error(ErrorKind::kInput, name + ": is no log of lookalike, or damaged");
  if (!text) throw Error(ErrorKind::kInput, name + ": cannot be read: " + why_unread());
  try {
    return parsed(*text);
  } catch (const Error& error) {
    throw Error(ErrorKind::kInput, name + ": " + error.what());
  } catch (const std::exception&) {
    throw Error(ErrorKind::kInput, name + ": is no log of lookalike, or damaged");
  }
}

}  // namespace lookalike
