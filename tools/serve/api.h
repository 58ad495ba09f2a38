#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "config/options.h"
#include "tools/serve/access.h"
#include "tools/serve/http_server.h"
#include "tools/serve/shared_groups.h"
#include "tools/serve/shared_searcher.h"

namespace lookalike {

// The page and the JSON API over an index: routes to answers. docs/openapi.json describes it.
// Answers are the JSON of the commands; errors are {"schema", "error": {"kind", "reason",
// "message"}}, and what a library says goes to the log alone.
class Api : public HttpHandler {
 public:
  // Throws as SharedSearcher.
  Api(const RunConfig& config, AccessRules rules);

  std::optional<HttpResponse> admit(const HttpRequest& request) noexcept override;
  HttpResponse answer(const HttpRequest& request) noexcept override;
  HttpResponse refuse(HttpRefusal why) noexcept override;

  const DeviceInfo& device() const { return searcher_.device(); }

 private:
  using State = std::shared_ptr<SearchState>;
  using Answer = HttpResponse (Api::*)(const HttpRequest& request, const State& state);
  struct Route {
    std::string_view method;
    std::string_view path;  // "{id}" stands for a number
    Answer answer;
    bool at_once = false;  // on the thread of the network
  };
  static const Route kRoutes[];
  static const Route* find_route(const HttpRequest& request, bool& is_path_known);

  HttpResponse query(const HttpRequest& request, const State& state);
  HttpResponse query_image(const HttpRequest& request, const State& state);
  HttpResponse images(const HttpRequest& request, const State& state);
  HttpResponse image(const HttpRequest& request, const State& state);
  HttpResponse thumbnail(const HttpRequest& request, const State& state);
  HttpResponse groups(const HttpRequest& request, const State& state);
  HttpResponse folders(const HttpRequest& request, const State& state);
  HttpResponse runs(const HttpRequest& request, const State& state);
  HttpResponse quarantine(const HttpRequest& request, const State& state);
  HttpResponse reject(const HttpRequest& request, const State& state);
  HttpResponse take_back(const HttpRequest& request, const State& state);
  HttpResponse health(const HttpRequest& request, const State& state);
  HttpResponse metrics(const HttpRequest& request, const State& state);

  HttpResponse change_rejection(const State& state, std::uint64_t a, std::uint64_t b,
                                bool is_rejected);
  MatchOptions asked_of(const HttpRequest& request) const;
  HttpResponse counted(HttpResponse response);
  template <typename Work>
  HttpResponse guarded(const HttpRequest& request, const Work& work) noexcept;

  // Counts a query.
  struct Timed;

  const RunConfig config_;
  const AccessRules rules_;
  SharedSearcher searcher_;
  SharedGroups groups_;
  std::mutex mutex_;                       // guards what follows
  std::map<int, std::uint64_t> answered_;  // by status
  std::uint64_t queries_ = 0;
  double query_seconds_ = 0;
};

}  // namespace lookalike
