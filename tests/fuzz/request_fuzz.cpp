// The path of a request: any bytes on a connection are refused, or become requests within the
// limits, whose headers and bodies are then read as the API reads them.

#include <memory>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/files.h"
#include "tests/fuzz/fuzz_target.h"
#include "tools/serve/access.h"
#include "tools/serve/http_server.h"
#include "tools/serve/multipart.h"

namespace lookalike {

namespace {

constexpr HttpLimits kLimits = {.body_bytes = 2000,
                                .bodies_bytes = 4000,
                                .connections = 64,
                                .queue = 2,
                                .workers = 1,
                                .request_seconds = 5};

class Reader : public HttpHandler {
 public:
  std::optional<HttpResponse> admit(const HttpRequest& request) noexcept override {
    const AccessRules rules = {.token = "0123456789abcdef", .hosts = {"a"}};
    const Access access = check_access(rules, request.header("host"), request.header("origin"),
                                       request.header("authorization"));
    promise(access != Access::kAllowed ||
            request.header("authorization").substr(6) == " 0123456789abcdef");
    if (request.path == "/refused") return HttpResponse{403, "text/plain", "no"};
    return std::nullopt;
  }
  bool is_let_in(const HttpRequest& request) noexcept override { return request.path != "/page"; }
  HttpLane lane(const HttpRequest& request) noexcept override {
    return request.path == "/long" ? HttpLane::kLong : HttpLane::kUsual;
  }
  std::optional<HttpResponse> answer(const HttpRequest& request,
                                     const WorkLimits& limits) noexcept override {
    if (request.path == "/large" && !limits.allows_large_images()) return std::nullopt;
    promise(request.body.size() <= kLimits.body_bytes);
    const auto files = multipart_files(request.header("content-type"), request.body, 9);
    for (const MultipartFile& file : files) {
      promise(file.content.empty() || (file.content.data() >= request.body.data() &&
                                       file.content.data() + file.content.size() <=
                                           request.body.data() + request.body.size()));
    }
    HttpResponse response{200, "text/plain", request.path};
    if (files.size() > 1) {
      response.stream = [left = files.size()](const WorkLimits&) mutable {
        return std::optional(left-- == 0 ? std::string() : "part");
      };
    }
    return response;
  }
  HttpResponse refuse(HttpRefusal, const std::string&) noexcept override {
    return {400, "text/plain", "refused"};
  }
  void log(const HttpRequest&, int, double) noexcept override {}
};

// A server on a socket without a file.
class Server {
 public:
  Server() {
    address_.sun_family = AF_UNIX;
    const std::string name = "lookalike-fuzz-" + std::to_string(::getpid());
    name.copy(address_.sun_path + 1, sizeof address_.sun_path - 2);
    const int listening = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    promise(::bind(listening, any(), sizeof address_) == 0 && ::listen(listening, 16) == 0);
    server_ = start_http_server(listening, kLimits, reader_);
  }

  void take(std::string_view bytes) {
    const FileDescriptor client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    promise(::connect(client.number(), any(), sizeof address_) == 0);
    while (!bytes.empty()) {
      const ssize_t sent = ::send(client.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) break;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    // An answer comes at once or, to what is no whole request, not at all.
    const timeval patience = {.tv_sec = 0, .tv_usec = 3000};
    ::setsockopt(client.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    char buffer[4096];
    while (::recv(client.number(), buffer, sizeof buffer, 0) > 0) {
    }
  }

 private:
  const sockaddr* any() const { return reinterpret_cast<const sockaddr*>(&address_); }

  sockaddr_un address_{};
  Reader reader_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace
}  // namespace lookalike

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static lookalike::Server server;
  server.take({reinterpret_cast<const char*>(data), size});
  return 0;
}
