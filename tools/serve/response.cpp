#include "tools/serve/response.h"

#include <exception>
#include <new>
#include <string_view>

#include <spdlog/spdlog.h>

#include "base/text.h"
#include "base/work_limits.h"

namespace lookalike {
namespace {

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return "usage";
    case ErrorKind::kInput:
      return "input";
    case ErrorKind::kDevice:
      return "device";
    case ErrorKind::kStorage:
      return "storage";
    case ErrorKind::kInternal:
      break;
  }
  return "internal";
}

HttpResponse json_with_status(int status, const Json& json) {
  return with_policies({status, "application/json", json_text(with_schema(json)) + "\n"},
                       "no-store");
}

}  // namespace

void require_allowed(Access access) {
  switch (access) {
    case Access::kAllowed:
      return;
    case Access::kUnknownHost:
      throw Refused(421, ErrorKind::kUsage, "host",
                    "unknown name of this server; serve.hosts lists further names");
    case Access::kForeignOrigin:
      throw Refused(403, ErrorKind::kUsage, "origin", "the request comes from another site's page");
    case Access::kNoToken:
      throw Refused(401, ErrorKind::kUsage, "token",
                    "missing or wrong token in the header Authorization");
  }
}

HttpResponse with_policies(HttpResponse response, const char* cache) {
  response.headers.insert(
      response.headers.end(),
      {{"Content-Security-Policy",
        "default-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"},
       {"X-Content-Type-Options", "nosniff"},
       {"Referrer-Policy", "no-referrer"},
       {"Cross-Origin-Resource-Policy", "same-origin"},
       {"Cache-Control", cache}});
  return response;
}

HttpResponse json_response(const Json& json) {
  return json_with_status(200, json);
}

HttpResponse error_response(const Refused& why, const Json& more) {
  Json json = more;
  json["error"] = {
      {"kind", name_of(why.kind())}, {"reason", why.reason()}, {"message", why.what()}};
  HttpResponse response = json_with_status(why.status(), json);
  if (why.status() == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (why.status() == 405) response.headers.emplace_back("Allow", why.allowed());
  if (why.status() == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

HttpResponse guarded(const HttpRequest& request, const std::function<HttpResponse()>& work,
                     const Json& more) noexcept {
  const auto failed = [&](ErrorKind kind, const char* what) {
    spdlog::error("{} {}: {}", request.method, printable(request.path), what);
    return error_response(
        Refused(500, kind, "failed", "the request failed; see the log of the server"), more);
  };
  try {
    return work();
  } catch (const Refused& refused) {
    return error_response(refused, more);
  } catch (const Overdue&) {
    return error_response(
        Refused(504, ErrorKind::kDevice, "late",
                "the answer was not ready in time: serve.request_seconds limits it, and a server "
                "that stops"),
        more);
  } catch (const Busy& busy) {
    return error_response(Refused(503, busy.kind(), "busy", printable(busy.what())), more);
  } catch (const Error& error) {
    return failed(error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    return error_response(
        Refused(503, ErrorKind::kDevice, "memory", "out of memory; try again later"), more);
  } catch (const std::exception& error) {
    return failed(ErrorKind::kInternal, error.what());
  }
}

Json listed_image(const StoredImage& image, const std::string& path) {
  return {{"id", image.id},
          {"path", text_of_path(path)},
          {"page", image.page},
          {"width", image.width},
          {"height", image.height},
          {"blank", image.blank},
          {"features", image.feature_count}};
}

}  // namespace lookalike
