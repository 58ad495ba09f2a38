#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/page_name.h"
#include "base/path_set.h"
#include "base/text.h"
#include "base/work_limits.h"
#include "pipeline/duplicates/act_log.h"
#include "pipeline/duplicates/act_run.h"
#include "pipeline/duplicates/totals.h"
#include "pipeline/searcher.h"
#include "tools/serve/found_groups.h"
#include "tools/serve/request.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxLogs = 100;  // listed, the latest first
constexpr const char* kMove = "move";
constexpr const char* kHardLink = "hardlink";

// Requires that clients may act on files at all.
void require_actions(const ServeContext& context) {
  if (!allowed_actions(context).empty()) return;
  throw Refused(403, ErrorKind::kUsage, "actions",
                context.config.serve.allow_actions && !context.needs_token
                    ? "a server without a token acts on no files"
                    : "serve.allow_actions does not allow this");
}

std::string move_folder(const ServeContext& context) {
  const std::string& folder = context.config.serve.move_to;
  return folder.empty() ? folder : normal_path(folder);
}

// Returns the folders in which this server writes logs.
std::vector<fs::path> folders_of_logs(const ServeContext& context) {
  std::vector<fs::path> folders = {resolved(context.config.store.database).parent_path()};
  if (const std::string folder = move_folder(context); !folder.empty())
    folders.emplace_back(folder);
  return folders;
}

bool is_log_name(std::string_view name) {
  return name.starts_with("lookalike-") && name.ends_with(".log");
}

std::int64_t modified_ns(const fs::path& file) {
  return look_at(file.native()).value_or(SourceFile{}).modified_ns;
}

// Returns the logs in the folders of this server, the latest first.
std::vector<fs::path> logs(const ServeContext& context) {
  std::set<std::pair<std::int64_t, fs::path>> found;  // with the time
  for (const fs::path& folder : folders_of_logs(context)) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (entry.is_regular_file(error) && is_log_name(entry.path().filename().native())) {
        found.emplace(modified_ns(entry.path()), entry.path());
      }
    }
  }
  std::vector<fs::path> latest_first;
  latest_first.reserve(found.size());
  for (const auto& [time, log] : found) latest_first.push_back(log);
  std::ranges::reverse(latest_first);
  return latest_first;
}

// Returns what clients call a log: its path, since both folders may have logs of one name.
std::string id_of(const fs::path& log) {
  return text_of_path(log.native());
}

// A file of a group, and the group.
struct Placed {
  const Group* group;
  const GroupFile* file;
};

std::map<std::string_view, Placed> files_by_path(const FoundGroups& found) {
  std::map<std::string_view, Placed> files;
  for (const Group& group : found.with_files()) {
    for (const GroupFile& file : group.files) files[file.file.path] = {&group, &file};
  }
  return files;
}

// The files that a request names, each with the one that stays for it, as far as they are of one
// group and of known content.
class NamedFiles {
 public:
  NamedFiles(const FoundGroups& found, const IndexReader& index)
      : index_(index), files_(files_by_path(found)) {}

  // Adds a file, or says why it is left as it is.
  void add(const std::string& path, const std::string& stays) {
    const auto file = files_.find(path);
    const auto other = files_.find(stays);
    if (file == files_.end() || other == files_.end() ||
        file->second.group != other->second.group || path == stays) {
      return leave(path, fmt::format("is in no group with {}", stays));
    }
    const GroupFile& goes = *file->second.file;
    const GroupFile& kept = *other->second.file;
    if (goes.proposal == Proposal::kUnknown || kept.proposal == Proposal::kUnknown) {
      return leave(path, "or the file that stays is gone or has changed since it was indexed");
    }
    const bool has_pages = page_of(path).number > 1 || index_.find(page_name(path, 2));
    if (has_pages && !may_go(goes)) return leave(path, "has pages that are not proposed to go");
    Needless& one = needless.emplace_back();
    one.file = goes.file;
    one.content = index_.existing_image(goes.image).content;
    one.stays = kept.file;
    one.stays.path = page_of(kept.file.path).file;
    one.stays_content = index_.existing_image(kept.image).content;
    one.is_exact = goes.image == kept.image;
  }

  std::vector<Needless> needless;
  std::vector<std::string> left;  // as in ActionReport

 private:
  void leave(const std::string& path, const std::string& why) {
    left.push_back(fmt::format("{}: {}", path, why));
  }

  const IndexReader& index_;
  const std::map<std::string_view, Placed> files_;
};

Refused wrong_body(const char* wanted) {
  return {400, ErrorKind::kUsage, "body", fmt::format("the body must be JSON: {}", wanted)};
}

// Returns a text of an object in a request; nothing if it has none.
std::optional<std::string> text_in(const Json& object, const char* name) {
  const Json value = object.is_object() ? object.value(name, Json()) : Json();
  return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
}

ActionKind wanted_kind(const Json& body, const ServeContext& context) {
  const std::string name = text_in(body, "action").value_or("");
  const std::vector<std::string> allowed = allowed_actions(context);
  if (std::ranges::find(allowed, name) != allowed.end()) {
    return name == kMove ? ActionKind::kMove : ActionKind::kHardLink;
  }
  if (name == kMove) {
    throw Refused(403, ErrorKind::kUsage, "actions", "serve.move_to names no folder");
  }
  throw wrong_body(R"({"action": "move" or "hardlink", "files": [{"path", "stays"}, ...]})");
}

Json path_texts(const std::vector<std::string>& paths) {
  Json texts = Json::array();
  for (const std::string& path : paths) texts.push_back(text_of_path(path));
  return texts;
}

// Stops work when the time of the request is over, and counts what it reached.
AfterEach until_overdue(std::size_t& reached) {
  return [&reached](std::size_t steps) {
    reached = steps;
    return !is_overdue();
  };
}

Json report_json(const ActionReport& report, const std::vector<std::string>& left,
                 std::size_t pending, const fs::path& log) {
  Json sentences = Json::array();
  for (const auto* const some : {&left, &report.left}) {
    for (const std::string& sentence : *some) sentences.push_back(printable(sentence));
  }
  return {{"done", path_texts(report.done)},
          {"left", std::move(sentences)},
          {"pending", pending},
          {"log", log.empty() ? Json() : Json(id_of(log))}};
}

// Runs work(); what cannot be written is told to the client.
template <typename Work>
auto written(const Work& work) {
  try {
    return work();
  } catch (const Busy&) {
    throw;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kStorage) throw;
    throw Refused(507, error.kind(), "not_written", printable(error.what()));
  }
}

}  // namespace

std::vector<std::string> allowed_actions(const ServeContext& context) {
  const ServeOptions& options = context.config.serve;
  if (!options.allow_actions || !context.needs_token) return {};
  if (options.move_to.empty()) return {kHardLink};
  return {kMove, kHardLink};
}

HttpResponse act_on_files(const HttpRequest& request, SearchState& state, ServeContext& context) {
  check_parameters(request, {});
  require_actions(context);
  const Json body = json_body(request);
  const ActionKind kind = wanted_kind(body, context);
  const auto named = body.find("files");
  if (named == body.end() || !named->is_array())
    throw wrong_body(R"("files" must be a list of {"path", "stays"})");
  const std::shared_ptr<const FoundGroups> found = current_groups(state, context);
  NamedFiles files(*found, state.index());
  for (const Json& one : *named) {
    const std::optional<std::string> path = text_in(one, "path");
    const std::optional<std::string> stays = text_in(one, "stays");
    if (!path || !stays) throw wrong_body(R"("files" must be a list of {"path", "stays"})");
    files.add(path_of_text(*path), path_of_text(*stays));
  }
  const std::string folder = kind == ActionKind::kMove ? move_folder(context) : std::string();
  if (kind == ActionKind::kMove) {
    const auto objection = objection_to_folder(folder, state.index(), context.config.images);
    if (objection) throw Refused(403, ErrorKind::kUsage, "actions", "serve.move_to: " + *objection);
  }
  std::vector<std::string> paths;
  for (const Needless& one : files.needless) paths.push_back(one.file.path);
  const ActionPlan plan =
      plan_action(kind, std::move(files.needless), folder, state.index(), context.config);
  std::set<std::string_view> planned;
  for (const ActionStep& step : plan.steps) planned.insert(step.needless.file.path);
  const char* const why = kind == ActionKind::kMove ? "stays, since another file goes for it"
                                                    : "is no exact copy, or stays for another file";
  for (const std::string& path : paths) {
    if (!planned.contains(path)) files.left.push_back(fmt::format("{}: {}", path, why));
  }
  if (plan.steps.empty()) return json_response(report_json({}, files.left, 0, {}));
  std::size_t reached = 0;
  const auto [report, log, steps] = checked([&] {
    return written([&] { return carry_out(plan, context.config.images, until_overdue(reached)); });
  });
  context.groups.set(nullptr);  // they look at their files once
  spdlog::info("{} {} for {}; log {}", counted(report.done.size(), "file"),
               kind == ActionKind::kMove ? "moved" : "made hard links", request.peer,
               printable(log.native()));
  return json_response(report_json(report, files.left, steps - reached, log));
}

HttpResponse list_actions(const HttpRequest& request, SearchState& state, ServeContext& context) {
  check_parameters(request, {});
  require_actions(context);
  Json actions = Json::array();
  const Reach reach = reach_of(state.index(), context.config.images);
  for (const fs::path& log : logs(context)) {
    if (actions.size() == kMaxLogs) break;
    check_time();
    try {
      const ActionPlan plan = read_log(log);
      std::uint64_t bytes = 0;
      for (const ActionStep& step : plan.steps) bytes += step.needless.file.size_bytes;
      actions.push_back({{"log", id_of(log)},
                         {"action", plan.kind == ActionKind::kMove ? kMove : kHardLink},
                         {"modified_ns", modified_ns(log)},
                         {"files", plan.steps.size()},
                         {"bytes", bytes},
                         {"standing", standing_steps(plan, reach)}});
    } catch (const Error&) {
      continue;  // another program's, or one that others can write
    }
  }
  return json_response({{"actions", std::move(actions)}});
}

HttpResponse undo_action(const HttpRequest& request, SearchState& /*state*/,
                         ServeContext& context) {
  check_parameters(request, {});
  require_actions(context);
  const Json body = json_body(request);
  const std::optional<std::string> id = text_in(body, "log");
  if (!id) throw wrong_body(R"({"log": PATH})");
  const std::vector<fs::path> known = logs(context);
  const auto log = std::ranges::find(known, *id, id_of);
  if (log == known.end()) {
    throw Refused(404, ErrorKind::kInput, "no_log",
                  "there is no such log of moved or linked files");
  }
  std::size_t reached = 0;
  const CarriedOut undone = checked([&] {
    return written([&] {
      return undo_log(*log, searched_databases(context.config), context.config.images,
                      until_overdue(reached));
    });
  });
  context.groups.set(nullptr);
  spdlog::info("{} put back for {}; log {}", counted(undone.report.done.size(), "file"),
               request.peer, printable(log->native()));
  return json_response(report_json(undone.report, {}, undone.steps - reached, *log));
}

}  // namespace lookalike
