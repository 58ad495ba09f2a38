#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "pipeline/answers.h"
#include "tools/serve/handlers.h"
#include "tools/serve/request.h"

namespace lookalike {
namespace {

using Samples = std::vector<std::pair<std::string, double>>;  // labels, value

// Returns a metric in the text format of Prometheus.
std::string metric(const char* name, const char* type, const char* help, const Samples& samples) {
  std::string text = fmt::format("# HELP lookalike_serve_{0} {1}\n# TYPE lookalike_serve_{0} {2}\n",
                                 name, help, type);
  for (const auto& [labels, value] : samples) {
    text += fmt::format("lookalike_serve_{}{} {}\n", name, labels, value);
  }
  return text;
}

}  // namespace

HttpResponse show_index(const HttpRequest& request, SearchState& state, ServeContext& context) {
  check_parameters(request, {});
  const IndexCounts& counts = state.counts();
  const std::vector<RunRecord> runs = state.index().runs(1);
  std::size_t missing = 0;
  const std::vector<IndexRoot> roots = state.index().roots();
  for (const IndexRoot& root : roots) {
    std::error_code error;
    if (!std::filesystem::is_directory(root.path, error)) ++missing;
  }
  const std::size_t uncompared =
      context.config.graph.enabled ? state.index().images_to_compare().size() : 0;
  const std::string name = std::filesystem::path(context.config.store.database).stem().native();
  return json_response({{"name", text_of_path(name)},
                        {"images", counts.images},
                        {"files", counts.files},
                        {"folders", roots.size()},
                        {"missing_folders", missing},
                        {"withheld", counts.withheld},
                        {"quarantined", counts.quarantined},
                        {"uncompared", uncompared},
                        {"last_run", runs.empty() ? Json() : with_schema(run_answer(runs[0]))},
                        {"actions", allowed_actions(context)},
                        {"move_to", text_of_path(context.config.serve.move_to)},
                        {"request_seconds", context.config.serve.request_seconds}});
}

HttpResponse list_runs(const HttpRequest& request, SearchState& state, ServeContext& /*context*/) {
  check_parameters(request, {"limit"});
  const std::uint64_t limit = number(request, "limit", 20, 1, 1000);
  Json runs = Json::array();
  for (const RunRecord& record : state.index().runs(limit)) {
    runs.push_back(with_schema(run_answer(record)));
  }
  return json_response({{"runs", std::move(runs)}});
}

HttpResponse list_quarantine(const HttpRequest& request, SearchState& state,
                             ServeContext& /*context*/) {
  check_parameters(request, {"after", "limit"});
  const Slice slice(request, 100, 1000);
  Json page = quarantine_answer(state.index().quarantine(slice.after, slice.limit));
  const std::uint64_t end = slice.after + page["quarantine"].size();
  const std::uint64_t total = state.counts().quarantined;
  page["total"] = total;
  page["next"] = end < total ? Json(end) : Json();
  return json_response(page);
}

HttpResponse show_health(const HttpRequest& request, SearchState& state,
                         ServeContext& /*context*/) {
  check_parameters(request, {});
  return json_response(
      {{"status", "ok"}, {"images", state.counts().images}, {"state", state.number()}});
}

HttpResponse show_metrics(const HttpRequest& request, SearchState& state, ServeContext& context) {
  check_parameters(request, {});
  std::string text;
  {
    const std::lock_guard lock(context.counts.mutex);
    Samples answers;
    for (const auto& [status, count] : context.counts.answers) {
      answers.emplace_back(fmt::format("{{status=\"{}\"}}", status), count);
    }
    text += metric("requests_total", "counter", "Answered requests.", answers);
    text += metric("queries_total", "counter", "Photos and images looked up.",
                   {{"", context.counts.queries}});
    text += metric("query_seconds_total", "counter", "Time spent on queries.",
                   {{"", context.counts.query_seconds}});
  }
  text += metric("images", "gauge", "Indexed images.", {{"", state.counts().images}});
  text += metric("states_total", "counter", "Published states of the index that were opened.",
                 {{"", state.number()}});
  return with_policies({200, "text/plain; version=0.0.4", std::move(text)}, "no-store");
}

}  // namespace lookalike
