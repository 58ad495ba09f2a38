#include "tools/serve/api.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "base/content_hash.h"
#include "base/files.h"
#include "base/path_set.h"
#include "base/text.h"
#include "base/work_limits.h"
#include "pipeline/device/open_session.h"
#include "pipeline/searcher.h"
#include "stages/decode/large_image_lock.h"
#include "tools/serve/response.h"
#include "tools/serve/web_files.h"

namespace lookalike {
namespace {

struct Route {
  std::string_view method;
  std::string_view path;  // "{id}" stands for a number
  Handler* handler;
  std::optional<HttpLane> lane = HttpLane::kShort;  // none: answered on the network's thread
};

constexpr Route kRoutes[] = {
    {"POST", "/v1/query", query_photo, HttpLane::kUsual},
    {"GET", "/v1/query", query_image, HttpLane::kUsual},
    {"POST", "/v1/explain", explain_photo, HttpLane::kUsual},
    {"GET", "/v1/explain", explain_image, HttpLane::kUsual},
    {"POST", "/v1/thumbnail", photo_thumbnail, HttpLane::kUsual},
    {"GET", "/v1/images", list_images, HttpLane::kUsual},
    {"GET", "/v1/images/{id}", show_image},
    {"GET", "/v1/images/{id}/metadata", show_metadata},
    {"GET", "/v1/images/{id}/neighbours", list_neighbours, HttpLane::kLong},
    {"GET", "/v1/images/{id}/thumbnail", image_thumbnail},
    {"GET", "/v1/groups", list_groups, HttpLane::kLong},
    {"GET", "/v1/folders", list_folders},
    {"GET", "/v1/folder", show_folder},
    {"GET", "/v1/subfolders", suggest_folders, HttpLane::kUsual},
    {"GET", "/v1/index", show_index},
    {"GET", "/v1/runs", list_runs},
    {"GET", "/v1/quarantine", list_quarantine},
    {"POST", "/v1/actions", act_on_files, HttpLane::kLong},
    {"GET", "/v1/actions", list_actions},
    {"POST", "/v1/undo", undo_action, HttpLane::kLong},
    {"POST", "/v1/rejections", add_rejection, HttpLane::kUsual},
    {"GET", "/v1/rejections", list_rejections},
    {"DELETE", "/v1/rejections", take_back_rejection, HttpLane::kUsual},
    {"GET", "/v1/health", show_health, std::nullopt},
    {"GET", "/metrics", show_metrics, std::nullopt},
};

constexpr const char* kReading = "GET, HEAD";

Refused wrong_method(const std::string& allowed) {
  return {405, ErrorKind::kUsage, "method", fmt::format("the path allows {}", allowed), allowed};
}

bool matches(const std::vector<std::string_view>& parts, std::string_view pattern) {
  return std::ranges::equal(parts, split(pattern, '/'),
                            [](std::string_view part, std::string_view wanted) {
                              return part == wanted || (wanted == "{id}" && !part.empty());
                            });
}

// Returns the path of a request below serve.base, from which a proxy may or may not have removed
// that folder.
std::string_view path_below(const std::string& base, const HttpRequest& request) {
  const std::string_view path = request.path;
  return path.starts_with(base + '/') ? path.substr(base.size()) : path;
}

//   path  as path_below()
const Route& find_route(const HttpRequest& request, std::string_view path) {
  const auto parts = split(path, '/');
  // The server drops the body of an answer to HEAD.
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  std::vector<std::string_view> allowed;
  for (const Route& route : kRoutes) {
    if (!matches(parts, route.path)) continue;
    if (route.method == method) return route;
    allowed.push_back(route.method == "GET" ? kReading : route.method);
  }
  if (!allowed.empty()) throw wrong_method(fmt::format("{}", fmt::join(allowed, ", ")));
  throw Refused(404, ErrorKind::kUsage, "path", "unknown path; see /v1/openapi.json");
}

const WebFile* find_file(std::string_view path) {
  const auto files = web_files();
  const auto found = std::ranges::find(files, path == "/" ? "/index.html" : path, &WebFile::path);
  return found == files.end() ? nullptr : &*found;
}

HttpResponse file_response(const WebFile& file, const HttpRequest& request) {
  if (request.method != "GET" && request.method != "HEAD") throw wrong_method(kReading);
  return with_policies({200, std::string(file.content_type), std::string(file.content)},
                       "no-cache");
}

std::string_view origin_of(const HttpRequest& request, bool is_page) {
  if (request.headers.count("origin") > 1) return "null";
  return sending_origin(request.header("origin"), request.header("sec-fetch-site"),
                        request.header("sec-fetch-mode"), is_page);
}

// Anybody may ask whether the server answers.
bool is_health(const HttpRequest& request, std::string_view path) {
  return path == "/v1/health" && find_route(request, path).handler == show_health;
}

// Leads from serve.base to the page, whose addresses are relative to that folder.
HttpResponse redirection(const std::string& base) {
  HttpResponse response =
      with_policies({308, "text/plain", "The page is below this folder.\n"}, "no-cache");
  response.headers.emplace_back("Location", base + '/');
  return response;
}

// Returns the file of the dates of an index, by the paths of its databases.
std::filesystem::path file_of_dates(const RunConfig& config) {
  const std::filesystem::path folder = own_cache_folder("dates");
  if (folder.empty()) return folder;
  std::string paths;
  for (const std::filesystem::path& database : searched_databases(config)) {
    paths += normal_path(database.native()) + '\0';
  }
  return folder / to_hex(hash_content(bytes_of(paths)));
}

}  // namespace

ServeContext::ServeContext(const RunConfig& run, bool requests_need_token)
    : config(run),
      needs_token(requests_need_token),
      searcher(run),
      thumbnails(own_cache_folder("thumbnails"),
                 std::uint64_t{run.serve.thumbnail_cache_mib} << 20U),
      dates(file_of_dates(run)) {}

Api::Api(const RunConfig& config, AccessRules rules)
    : rules_(std::move(rules)), context_(config, !rules_.token.empty()) {}

void Api::log(const HttpRequest& request, int status, double seconds) noexcept {
  if (context_.config.serve.access_log || spdlog::should_log(spdlog::level::debug)) {
    log_access(request, status, seconds);
  }
}

std::uint64_t Api::answered() {
  const std::lock_guard lock(context_.counts.mutex);
  std::uint64_t all = 0;
  for (const auto& [status, count] : context_.counts.answers) all += count;
  return all;
}

HttpResponse Api::counted(HttpResponse response) {
  const std::lock_guard lock(context_.counts.mutex);
  ++context_.counts.answers[response.status];
  return response;
}

std::optional<HttpResponse> Api::admit(const HttpRequest& request) noexcept {
  HttpResponse response = guarded(request, [&]() -> HttpResponse {
    const std::string_view host = request.header("host");
    const std::string& base = context_.config.serve.base;
    const std::string_view path = path_below(base, request);
    const std::string_view origin = origin_of(request, path == "/" || path == base);
    // The health checks of load balancers speak HTTP/1.0. Browsers always send a host.
    if (!request.headers.contains("host") && is_health(request, path)) {
      return json_response({{"status", "ok"}});
    }
    if (!base.empty() && path == base) {
      require_allowed(check_host(rules_, host, origin));
      return redirection(base);
    }
    if (const WebFile* const file = find_file(path)) {
      require_allowed(check_host(rules_, host, origin));
      return file_response(*file, request);
    }
    const Access access = check_access(rules_, host, origin, request.header("authorization"));
    if (access == Access::kNoToken) {
      if (!request.header("authorization").empty()) refused_tokens_.add(request.peer);
      if (is_health(request, path)) return json_response({{"status", "ok"}});
    }
    require_allowed(access);
    const Route& route = find_route(request, path);
    if (route.lane) return {.status = 0};
    return route.handler(request, *context_.searcher.state(), context_);
  });
  if (response.status == 0) return std::nullopt;  // a worker answers it
  return counted(std::move(response));
}

bool Api::is_let_in(const HttpRequest& request) noexcept {
  return check_access(rules_, request.header("host"), origin_of(request, false),
                      request.header("authorization")) == Access::kAllowed;
}

HttpLane Api::lane(const HttpRequest& request) noexcept {
  return *find_route(request, path_below(context_.config.serve.base, request))
              .lane;  // does not throw: the request was admitted
}

std::optional<HttpResponse> Api::answer(const HttpRequest& request,
                                        const WorkLimits& limits) noexcept {
  HttpResponse response = guarded(request, [&]() -> HttpResponse {
    const LimitedWork limited(&limits);
    if (is_overdue()) {
      throw Refused(503, ErrorKind::kUsage, "overloaded",
                    "no worker was free within serve.request_seconds; try again later");
    }
    const std::shared_ptr<SearchState> state = context_.searcher.state();
    try {
      const std::string_view path = path_below(context_.config.serve.base, request);
      return find_route(request, path).handler(request, *state, context_);
    } catch (const LargeImage&) {
      return {.status = 0};
    }
  });
  if (response.status == 0) return std::nullopt;
  return counted(std::move(response));
}

HttpResponse Api::refuse(HttpRefusal why, const std::string& detail) noexcept {
  const auto refused = [&]() -> Refused {
    switch (why) {
      case HttpRefusal::kMalformed:
        return {400, ErrorKind::kUsage, "malformed",
                fmt::format("not a request of HTTP/1.1: {}", detail)};
      case HttpRefusal::kHeadTooLarge:
        return {431, ErrorKind::kUsage, "too_large", detail};
      case HttpRefusal::kTooLarge:
        return {413, ErrorKind::kInput, "too_large",
                fmt::format("the photo exceeds serve.max_body_mib = {}",
                            context_.config.serve.max_body_mib)};
      case HttpRefusal::kStopping:
        return {503, ErrorKind::kUsage, "stopping", "the server is stopping"};
      case HttpRefusal::kBusy:
        break;
    }
    return {503, ErrorKind::kUsage, "overloaded", "too many requests are waiting; try again later"};
  };
  return counted(error_response(refused()));
}

}  // namespace lookalike
