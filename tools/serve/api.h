#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "config/options.h"
#include "stages/decode/decode.h"
#include "tools/serve/access.h"
#include "tools/serve/http_server.h"
#include "tools/serve/shared_groups.h"
#include "tools/serve/shared_rejections.h"
#include "tools/serve/shared_searcher.h"

namespace lookalike {

// The page and the JSON API over an index: routes to answers. docs/openapi.json describes it.
// Answers are the JSON of the commands; errors are {"schema", "error": {"kind", "reason",
// "message"}}; what a library says of a photo that was sent goes to the log alone.
class Api : public HttpHandler {
 public:
  // Throws as SharedSearcher.
  Api(const RunConfig& config, AccessRules rules);

  std::optional<HttpResponse> admit(const HttpRequest& request) noexcept override;
  bool takes_long(const HttpRequest& request) noexcept override;
  HttpResponse answer(const HttpRequest& request) noexcept override;
  HttpResponse refuse(HttpRefusal why) noexcept override;

  const DeviceInfo& device() const { return searcher_.device(); }

 private:
  using Answer = HttpResponse (Api::*)(const HttpRequest& request, SearchState& state);
  enum class Takes {
    kNothing,  // answered on the thread of the network
    kUsual,
    kLong,  // HttpHandler::takes_long()
  };
  struct Route {
    std::string_view method;
    std::string_view path;  // "{id}" stands for a number
    Answer answer;
    Takes takes = Takes::kUsual;
  };
  static const Route kRoutes[];
  static const Route& find_route(const HttpRequest& request);

  HttpResponse query(const HttpRequest& request, SearchState& state);
  HttpResponse query_image(const HttpRequest& request, SearchState& state);
  HttpResponse photo_thumbnail(const HttpRequest& request, SearchState& state);
  HttpResponse images(const HttpRequest& request, SearchState& state);
  HttpResponse image(const HttpRequest& request, SearchState& state);
  HttpResponse thumbnail(const HttpRequest& request, SearchState& state);
  HttpResponse groups(const HttpRequest& request, SearchState& state);
  HttpResponse folders(const HttpRequest& request, SearchState& state);
  HttpResponse folder(const HttpRequest& request, SearchState& state);
  HttpResponse runs(const HttpRequest& request, SearchState& state);
  HttpResponse quarantine(const HttpRequest& request, SearchState& state);
  HttpResponse rejections(const HttpRequest& request, SearchState& state);
  HttpResponse reject(const HttpRequest& request, SearchState& state);
  HttpResponse take_back(const HttpRequest& request, SearchState& state);
  HttpResponse health(const HttpRequest& request, SearchState& state);
  HttpResponse metrics(const HttpRequest& request, SearchState& state);

  // One that a request names by its number, or by its content, which the index need not have.
  struct NamedImage;
  HttpResponse change_rejection(const NamedImage& first, const NamedImage& second,
                                bool is_rejected);
  LoadedFile sent_photo(const HttpRequest& request) const;
  MatchOptions asked_of(const HttpRequest& request) const;
  HttpResponse counted(HttpResponse response);
  template <typename Work>
  HttpResponse guarded(const HttpRequest& request, const Work& work) noexcept;

  // Counts a query.
  struct Timed;

  const RunConfig config_;
  const AccessRules rules_;
  SharedSearcher searcher_;
  SharedRejections rejections_;
  SharedGroups groups_;
  std::mutex mutex_;                       // guards what follows
  std::map<int, std::uint64_t> answered_;  // by status
  std::uint64_t queries_ = 0;
  double query_seconds_ = 0;
};

}  // namespace lookalike
