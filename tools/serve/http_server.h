#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/work_limits.h"

// HTTP over a listening socket, within limits; independent of what is served.
namespace lookalike {

struct HttpRequest {
  std::string method{};                                  // "GET"
  std::string path{};                                    // decoded: "/v1/query"
  std::multimap<std::string, std::string> parameters{};  // of the query, decoded
  std::multimap<std::string, std::string> headers{};     // names in lower case
  std::string body{};
  std::string peer{};  // the client's address; "unix" on a Unix socket

  // Returns the value of a header that was sent exactly once; empty otherwise.
  std::string_view header(const std::string& name) const {
    return headers.count(name) == 1 ? std::string_view(headers.find(name)->second)
                                    : std::string_view();
  }
};

// Returns the next part of an answer's body, empty at its end; nothing if it met a large image
// where the limits exclude those. Called on workers, each time with new limits; must not throw. May
// keep references into the request.
using HttpStream = std::function<std::optional<std::string>(const WorkLimits& limits)>;

struct HttpResponse {
  int status = 200;
  std::string content_type{};
  std::string body{};  // unused if there is a stream
  std::vector<std::pair<std::string, std::string>> headers{};
  HttpStream stream{};  // sent part by part; other requests have their turn between parts
};

struct HttpLimits {
  std::size_t body_bytes = 0;    // per request
  std::size_t bodies_bytes = 0;  // for all requests together
  // Connections of clients with access, over which a request with access has come. A further one
  // replaces the connection that has been idle for longest; if none is idle, its request is
  // refused. Other clients may have a quarter as many connections, at least one; a new one replaces
  // the oldest.
  std::size_t connections = 1;
  std::size_t queue = 1;    // requests of each HttpLane that wait for a worker
  std::size_t workers = 1;  // besides those that lanes have to themselves
  // Time for receiving a body, after the headers, for the work until the answer, or each part of a
  // stream, is ready, and for sending it. Headers have at most 3 s, and a connection is idle for at
  // most 10 s. A refused client may go on sending for this time, and bodies_bytes, lest it lose the
  // answer. Late connections are cut.
  double request_seconds = 60;
};

// Why the server itself refuses a request.
enum class HttpRefusal { kMalformed, kHeadTooLarge, kTooLarge, kBusy, kStopping };

// Where a request waits, so that none waits for much longer work than its own.
enum class HttpLane {
  kShort,  // the usual workers, and one that takes nothing else
  kUsual,  // the usual workers
  kLong,   // a worker of its own
  kLarge,  // another one: large images
};

// Answers requests. Called from several threads; must not throw.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Called on the network's thread after the headers of a request; must not take long. An answer
  // ends the request, whose body is not read.
  virtual std::optional<HttpResponse> admit(const HttpRequest& request) noexcept = 0;
  // True for a request with access, whose connection may be kept.
  virtual bool is_let_in(const HttpRequest& request) noexcept = 0;
  // Returns the lane of an admitted request, with its body.
  virtual HttpLane lane(const HttpRequest& request) noexcept = 0;
  // Called on a worker with the whole request, under its limits, which end early when the server
  // stops or the client leaves. Returns nothing if it met a large image where the limits exclude
  // those: the request then waits in the lane for them.
  virtual std::optional<HttpResponse> answer(const HttpRequest& request,
                                             const WorkLimits& limits) noexcept = 0;
  //   detail  what is wrong with a malformed request
  virtual HttpResponse refuse(HttpRefusal why, const std::string& detail) noexcept = 0;
  // Called on the network's thread when an answer begins to be sent, a stream ends, or the client
  // has left before that (status 499).
  //   request  has a method and a path unless it was malformed
  //   seconds  since the end of the headers
  virtual void log(const HttpRequest& request, int status, double seconds) noexcept = 0;
};

class HttpServer {
 public:
  virtual ~HttpServer() = default;  // as stop(0), but waits for the workers
  // Closes the listening socket. Gives requests `seconds` to arrive, one second more to be
  // answered, and another for the answers to be taken. False if a worker does not end in time: the
  // process must then exit without destroying the server. Call it once.
  virtual bool stop(double seconds) = 0;
};

// Starts serving on a socket that does not block. Takes ownership of it; the handler must outlive
// the server. Throws Error(kInternal).
std::unique_ptr<HttpServer> start_http_server(int listening, const HttpLimits& limits,
                                              HttpHandler& handler);

}  // namespace lookalike
