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

// HTTP over a listening socket, within limits. Knows nothing of what is served.
namespace lookalike {

struct HttpRequest {
  std::string method{};                                  // "GET"
  std::string path{};                                    // decoded: "/v1/query"
  std::multimap<std::string, std::string> parameters{};  // decoded, of the query
  std::multimap<std::string, std::string> headers{};     // names in lower case
  std::string body{};

  // The value of a header that was sent once; empty otherwise.
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
  std::size_t body_bytes = 0;    // of one request
  std::size_t bodies_bytes = 0;  // of all requests together
  std::size_t connections = 1;   // further ones wait until one is closed
  std::size_t queue = 1;         // requests that wait for a worker
  // Those that take long have one worker more and a queue of the same length, of their own.
  std::size_t workers = 1;
  // For receiving a body, from the end of its headers, and for sending an answer. Headers have 10 s
  // of it at most, from the start of the connection or the end of the request before. The
  // connection is then cut.
  double request_seconds = 60;
};

// Why the server itself refuses a request.
enum class HttpRefusal { kMalformed, kNulInUrl, kTooLarge, kBusy, kStopping };

// What answers requests. Called from several threads; must not throw.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Called when the headers of a request are there, on the thread of the network, so it must not
  // take long: an answer ends the request, and its body is not read.
  virtual std::optional<HttpResponse> admit(const HttpRequest& request) noexcept = 0;
  // Whether a request that was admitted may take much longer than most. Such requests are answered
  // one after another, by a worker of their own: however many there are, others need not wait.
  virtual bool takes_long(const HttpRequest& request) noexcept = 0;
  // Called with the whole request, on a worker.
  virtual HttpResponse answer(const HttpRequest& request) noexcept = 0;
  virtual HttpResponse refuse(HttpRefusal why) noexcept = 0;
};

class HttpServer {
 public:
  virtual ~HttpServer() = default;  // as stop(0)
  // Closes the listening socket, waits at most so long for requests that are arriving or being
  // sent, answers those in work and in the queue, however long that takes, and ends. To be called
  // once.
  virtual void stop(double seconds) = 0;
};

// Serves from now on. Takes the listening socket; the handler must outlive the server. Throws
// Error(kInternal).
std::unique_ptr<HttpServer> start_http_server(int listening, const HttpLimits& limits,
                                              HttpHandler& handler);

// What the module http_server.so exports.
struct HttpServerModule {
  // nullptr on failure.
  HttpServer* (*start)(int listening, const HttpLimits& limits, HttpHandler& handler);
};

}  // namespace lookalike
