#pragma once

#include <functional>
#include <string>

#include "base/error.h"
#include "pipeline/json.h"
#include "storage/index_types.h"
#include "tools/serve/access.h"
#include "tools/serve/http_server.h"

namespace lookalike {

// Ends a request with an error that the client sees.
class Refused : public Error {
 public:
  //   reason   one word for programs
  //   allowed  the methods of the path, for status 405
  Refused(int status, ErrorKind kind, std::string reason, const std::string& message,
          std::string allowed = {})
      : Error(kind, message),
        status_(status),
        reason_(std::move(reason)),
        allowed_(std::move(allowed)) {}
  int status() const { return status_; }
  const std::string& reason() const { return reason_; }
  const std::string& allowed() const { return allowed_; }

 private:
  int status_;
  std::string reason_;
  std::string allowed_;
};

// Throws Refused unless the API may be used.
void require_allowed(Access access);

// Adds security headers: scripts, styles and pictures come from this server alone, no page may
// frame another, and browsers must not guess types.
//   cache  the header Cache-Control
HttpResponse with_policies(HttpResponse response, const char* cache);

HttpResponse json_response(const Json& json);
//   more  members of the object besides "error"
HttpResponse error_response(const Refused& why, const Json& more = Json::object());

// Returns what work() returns, or an answer for what it throws.
//   more  as for error_response()
HttpResponse guarded(const HttpRequest& request, const std::function<HttpResponse()>& work,
                     const Json& more = Json::object()) noexcept;

// Returns the entry of an image in a list.
Json listed_image(const StoredImage& image, const std::string& path);

}  // namespace lookalike
