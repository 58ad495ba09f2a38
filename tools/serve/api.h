#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/options.h"
#include "tools/serve/access.h"
#include "tools/serve/access_log.h"
#include "tools/serve/found_groups.h"
#include "tools/serve/handlers.h"
#include "tools/serve/http_server.h"

namespace lookalike {

// The page and the JSON API over an index: checks access, finds the handler of a request
// (handlers.h) and turns what it throws into an answer. Answers are the JSON of the commands;
// errors are {"schema", "error": {"kind", "reason", "message"}}.
class Api : public HttpHandler {
 public:
  // Throws as SharedSearcher.
  Api(const RunConfig& config, AccessRules rules);

  std::optional<HttpResponse> admit(const HttpRequest& request) noexcept override;
  bool is_let_in(const HttpRequest& request) noexcept override;
  HttpLane lane(const HttpRequest& request) noexcept override;
  std::optional<HttpResponse> answer(const HttpRequest& request,
                                     const WorkLimits& limits) noexcept override;
  HttpResponse refuse(HttpRefusal why, const std::string& detail) noexcept override;
  void log(const HttpRequest& request, int status, double seconds) noexcept override;

  std::uint64_t answered();  // requests
  const DeviceInfo& device() const { return context_.searcher.device(); }

 private:
  HttpResponse counted(HttpResponse response);

  const AccessRules rules_;
  RefusedTokens refused_tokens_;  // used by the network's thread alone
  ServeContext context_;
  GroupsKeeper groups_keeper_{context_};
};

}  // namespace lookalike
