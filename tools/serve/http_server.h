#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// HTTP over a listening socket, within limits; independent of what is served.
namespace lookalike {

struct HttpRequest {
  std::string method{};                                  // "GET"
  std::string path{};                                    // decoded: "/v1/query"
  std::multimap<std::string, std::string> parameters{};  // of the query, decoded
  std::multimap<std::string, std::string> headers{};     // names in lower case
  std::string body{};

  // Returns the value of a header that was sent exactly once; empty otherwise.
  std::string_view header(const std::string& name) const {
    return headers.count(name) == 1 ? std::string_view(headers.find(name)->second)
                                    : std::string_view();
  }
};

struct HttpResponse {
  int status = 200;
  std::string content_type{};
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};
};

struct HttpLimits {
  std::size_t body_bytes = 0;    // per request
  std::size_t bodies_bytes = 0;  // for all requests together
  std::size_t connections = 1;   // further ones wait until one is closed
  std::size_t queue = 1;         // requests waiting for a worker
  // Requests that take long have one further worker and a queue of the same length to themselves.
  std::size_t workers = 1;
  // Time for receiving a body, after the headers, and for sending an answer. Headers have at most
  // 10 s, from the start of the connection or the end of the request before. Late connections are
  // cut.
  double request_seconds = 60;
};

// Why the server itself refuses a request.
enum class HttpRefusal { kMalformed, kNulInUrl, kTooLarge, kBusy, kStopping };

// Answers requests. Called from several threads; must not throw.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Called on the network's thread after the headers of a request; must not take long. An answer
  // ends the request, whose body is not read.
  virtual std::optional<HttpResponse> admit(const HttpRequest& request) noexcept = 0;
  // True if an admitted request may take much longer than most. Such requests are answered one
  // after another by a worker of their own, so that others need not wait for them.
  virtual bool takes_long(const HttpRequest& request) noexcept = 0;
  // Called on a worker with the whole request.
  virtual HttpResponse answer(const HttpRequest& request) noexcept = 0;
  virtual HttpResponse refuse(HttpRefusal why) noexcept = 0;
};

class HttpServer {
 public:
  virtual ~HttpServer() = default;  // as stop(0)
  // Closes the listening socket. Gives arriving requests and answers that are being sent at most
  // `seconds`; finishes requests in work and in the queue, however long that takes. Call it once.
  virtual void stop(double seconds) = 0;
};

// Starts serving. Takes ownership of the listening socket; the handler must outlive the server.
// Throws Error(kInternal).
std::unique_ptr<HttpServer> start_http_server(int listening, const HttpLimits& limits,
                                              HttpHandler& handler);

// What the module http_server.so exports.
struct HttpServerModule {
  // nullptr on failure.
  HttpServer* (*start)(int listening, const HttpLimits& limits, HttpHandler& handler);
};

}  // namespace lookalike
