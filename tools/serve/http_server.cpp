#include "tools/serve/http_server.h"

#include "base/error.h"
#include "base/module.h"

namespace lookalike {

// In a module, because libmicrohttpd loads GnuTLS and eight more libraries, which no other command
// needs.
std::unique_ptr<HttpServer> start_http_server(int listening, const HttpLimits& limits,
                                              HttpHandler& handler) {
  const auto* const module = static_cast<const HttpServerModule*>(load_module("http_server.so"));
  std::unique_ptr<HttpServer> server(module->start(listening, limits, handler));
  if (!server) throw Error(ErrorKind::kInternal, "serve: the HTTP server cannot be started");
  return server;
}

}  // namespace lookalike
