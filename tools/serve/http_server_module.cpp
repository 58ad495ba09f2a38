// Threads: libmicrohttpd's does all input and output and never waits for an answer. A complete
// request is suspended, waits in a queue for a worker, and is resumed with its answer. Requests
// that take long have a queue and a worker of their own.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <microhttpd.h>
#include <mutex>
#include <new>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "base/text.h"
#include "tools/serve/http_server.h"

namespace lookalike {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kConnectionBytes = 32 << 10;  // bounds the headers
constexpr std::chrono::milliseconds kBetweenLooks{200};
constexpr double kHeaderSeconds = 10;  // also for a connection without a request

template <typename Add>
void for_each_value(MHD_Connection* connection, MHD_ValueKind kind, Add add) {
  const auto visit = [](void* to, MHD_ValueKind, const char* name, const char* value) {
    (*static_cast<Add*>(to))(name, value == nullptr ? "" : value);
    return MHD_YES;
  };
  MHD_get_connection_values(connection, kind, visit, &add);
}

// Marks, in place of an Exchange, a request whose URL contains a NUL: libmicrohttpd would cut its
// path and parameters there.
char nul_in_url;

// A request and its answer.
struct Exchange {
  HttpRequest request;
  std::optional<HttpResponse> response{};
  std::optional<HttpRefusal> refusal{};  // set when its body exceeds a limit
};

class MicroHttpServer : public HttpServer {
 public:
  MicroHttpServer(const HttpLimits& limits, HttpHandler& handler)
      : limits_(limits), handler_(handler) {}
  ~MicroHttpServer() override {
    if (daemon_ != nullptr) MicroHttpServer::stop(0);
  }

  bool start(int listening) {
    daemon_ = MHD_start_daemon(
        MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, nullptr, nullptr, on_request,
        this, MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_CONNECTION_LIMIT,
        static_cast<unsigned>(limits_.connections), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        kConnectionBytes, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK, on_url,
        nullptr, MHD_OPTION_NOTIFY_COMPLETED, on_completed, this, MHD_OPTION_NOTIFY_CONNECTION,
        on_connection, this, MHD_OPTION_END);
    if (daemon_ == nullptr) return false;
    for (std::size_t i = 0; i < limits_.workers; ++i) {
      workers_.emplace_back([this] { work(waiting_); });
    }
    workers_.emplace_back([this] { work(waiting_long_); });
    watch_ = std::jthread([this](const std::stop_token& stop) { cut_late(stop); });
    return true;
  }

  void stop(double seconds) override {
    const MHD_socket listening = MHD_quiesce_daemon(daemon_);
    stop_listening(listening);
    {
      std::unique_lock lock(mutex_);
      stopping_ = true;
      const auto wait = std::chrono::duration<double>(seconds);
      changed_.wait_for(lock, wait, [&] { return exchanges_ == 0; });
      workers_stop_ = true;  // what is in the queue is still answered
      changed_.notify_all();
    }
    workers_.clear();
    watch_ = {};
    MHD_stop_daemon(daemon_);
    daemon_ = nullptr;
    if (listening != MHD_INVALID_SOCKET) ::close(listening);
  }

 private:
  struct Waiting {
    MHD_Connection* connection;
    Exchange* exchange;
  };
  struct Link {
    int socket = -1;
    Clock::time_point due{};
  };

  // Refuses new clients from now on, unless another process, such as systemd, listens as well.
  // libmicrohttpd's thread may still use the descriptor, so a socket that does not listen replaces
  // it.
  static void stop_listening(MHD_socket listening) {
    const int idle = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (idle < 0 || listening == MHD_INVALID_SOCKET) return;
    ::dup3(idle, listening, O_CLOEXEC);
    ::close(idle);
  }

  static MicroHttpServer& self(void* server) { return *static_cast<MicroHttpServer*>(server); }

  static void* on_url(void*, const char* url, MHD_Connection*) {
    return std::strstr(url, "%00") == nullptr ? nullptr : &nul_in_url;
  }

  static MHD_Result on_request(void* server, MHD_Connection* connection, const char* path,
                               const char* method, const char*, const char* data, std::size_t* size,
                               void** state) {
    try {
      if (*state == nullptr || *state == &nul_in_url) {
        return self(server).begin(connection, path, method, state);
      }
      auto* const exchange = static_cast<Exchange*>(*state);
      if (*size > 0) {
        self(server).receive(*exchange, {data, *size});
        *size = 0;
        return MHD_YES;
      }
      return self(server).finish(connection, *exchange);
    } catch (const std::bad_alloc&) {
      return MHD_NO;  // cuts the connection: exceptions must not pass through C
    }
  }

  MHD_Result begin(MHD_Connection* connection, const char* path, const char* method, void** state) {
    auto* const exchange = new Exchange{.request = {.method = method, .path = path}};
    const bool has_nul = *state == &nul_in_url;
    *state = exchange;
    HttpRequest& request = exchange->request;
    for_each_value(connection, MHD_HEADER_KIND, [&](const char* name, const char* value) {
      std::string lower(name);
      std::ranges::transform(lower, lower.begin(), lower_case);
      request.headers.emplace(std::move(lower), value);
    });
    for_each_value(connection, MHD_GET_ARGUMENT_KIND, [&](const char* name, const char* value) {
      request.parameters.emplace(name, value);
    });
    set_due(connection, limits_.request_seconds);
    bool stopping = false;
    {
      const std::lock_guard lock(mutex_);
      ++exchanges_;
      stopping = stopping_;
    }
    if (stopping) return refuse(connection, HttpRefusal::kStopping);
    if (has_nul) return refuse(connection, HttpRefusal::kNulInUrl);
    if (const auto why = fault_of(request)) return refuse(connection, *why);
    std::optional<HttpResponse> answered = handler_.admit(request);
    if (answered && answered->status >= 400) return send(connection, *answered, true);
    exchange->response = std::move(answered);
    return MHD_YES;
  }

  // Finds requests that two programs may read differently, and bodies declared as too large.
  std::optional<HttpRefusal> fault_of(const HttpRequest& request) const {
    const bool is_chunked = request.headers.contains("transfer-encoding");
    const std::size_t lengths = request.headers.count("content-length");
    if (lengths > 1 || (is_chunked && lengths > 0)) return HttpRefusal::kMalformed;
    const std::string_view text = request.header("content-length");
    const bool is_number = text.find_first_not_of("0123456789") == text.npos;
    if (!is_number || (lengths == 1 && text.empty())) return HttpRefusal::kMalformed;
    if (request.method != "POST" && (is_chunked || (!text.empty() && text != "0"))) {
      return HttpRefusal::kMalformed;
    }
    if (text.size() > 15) return HttpRefusal::kTooLarge;
    if (!text.empty() && std::stoull(std::string(text)) > limits_.body_bytes) {
      return HttpRefusal::kTooLarge;
    }
    return std::nullopt;
  }

  void receive(Exchange& exchange, std::string_view data) {
    if (exchange.refusal) return;
    if (exchange.request.body.size() + data.size() > limits_.body_bytes) {
      exchange.refusal = HttpRefusal::kTooLarge;
    } else if (held_ + data.size() > limits_.bodies_bytes) {
      exchange.refusal = HttpRefusal::kBusy;
    }
    if (exchange.refusal) {
      release(exchange);
      return;
    }
    try {
      exchange.request.body += data;
      held_ += data.size();
    } catch (const std::bad_alloc&) {
      exchange.refusal = HttpRefusal::kBusy;
      release(exchange);
    }
  }

  void release(Exchange& exchange) {
    held_ -= exchange.request.body.size();
    std::string().swap(exchange.request.body);  // assigning would keep the memory
  }

  MHD_Result finish(MHD_Connection* connection, Exchange& exchange) {
    if (exchange.response) return send(connection, *exchange.response, false);
    if (exchange.refusal) return refuse(connection, *exchange.refusal);
    const bool is_long = handler_.takes_long(exchange.request);
    {
      const std::lock_guard lock(mutex_);
      std::deque<Waiting>& queue = is_long ? waiting_long_ : waiting_;
      if (workers_stop_) {
        exchange.refusal = HttpRefusal::kStopping;
      } else if (queue.size() < limits_.queue) {
        links_[connection].due = Clock::time_point::max();
        MHD_suspend_connection(connection);
        queue.push_back({connection, &exchange});
        changed_.notify_all();
        return MHD_YES;
      }
    }
    return refuse(connection, exchange.refusal.value_or(HttpRefusal::kBusy));
  }

  MHD_Result refuse(MHD_Connection* connection, HttpRefusal why) {
    return send(connection, handler_.refuse(why), true);
  }

  //   close  the rest of the request is not read
  MHD_Result send(MHD_Connection* connection, const HttpResponse& answer, bool close) {
    MHD_Response* const response = MHD_create_response_from_buffer(
        answer.body.size(), const_cast<char*>(answer.body.data()), MHD_RESPMEM_MUST_COPY);
    if (response == nullptr) return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer.content_type.c_str());
    for (const auto& [name, value] : answer.headers) {
      MHD_add_response_header(response, name.c_str(), value.c_str());
    }
    if (close) MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    set_due(connection, limits_.request_seconds);
    const MHD_Result result =
        MHD_queue_response(connection, static_cast<unsigned>(answer.status), response);
    MHD_destroy_response(response);
    return result;
  }

  static void on_completed(void* server, MHD_Connection* connection, void** state,
                           MHD_RequestTerminationCode) {
    MicroHttpServer& it = self(server);
    it.set_due(connection, kHeaderSeconds);
    if (*state == nullptr || *state == &nul_in_url) return;
    auto* const exchange = static_cast<Exchange*>(*state);
    it.release(*exchange);
    delete exchange;
    *state = nullptr;
    const std::lock_guard lock(it.mutex_);
    --it.exchanges_;
    it.changed_.notify_all();
  }

  static void on_connection(void* server, MHD_Connection* connection, void**,
                            MHD_ConnectionNotificationCode code) {
    MicroHttpServer& it = self(server);
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
      const std::lock_guard lock(it.mutex_);
      it.links_.erase(connection);
      return;
    }
    const auto* const info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    {
      const std::lock_guard lock(it.mutex_);
      it.links_[connection].socket = info == nullptr ? -1 : info->connect_fd;
    }
    it.set_due(connection, kHeaderSeconds);
  }

  void set_due(MHD_Connection* connection, double seconds) {
    const std::chrono::duration<double> time(std::min(seconds, limits_.request_seconds));
    const std::lock_guard lock(mutex_);
    const auto link = links_.find(connection);
    if (link == links_.end()) return;
    link->second.due = Clock::now() + std::chrono::duration_cast<Clock::duration>(time);
  }

  // Cuts late connections; libmicrohttpd only limits silence. Its thread takes a cut for the
  // client's end, and closes a socket only after on_connection().
  void cut_late(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      watching_.wait_for(lock, stop, kBetweenLooks, [] { return false; });
      for (auto& [connection, link] : links_) {
        if (link.due < Clock::now()) ::shutdown(link.socket, SHUT_RDWR);
      }
    }
  }

  void work(std::deque<Waiting>& queue) {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return workers_stop_ || !queue.empty(); });
      if (queue.empty()) return;
      const Waiting next = queue.front();
      queue.pop_front();
      lock.unlock();
      HttpResponse response = handler_.answer(next.exchange->request);
      next.exchange->response = std::move(response);
      MHD_resume_connection(next.connection);
      lock.lock();
    }
  }

  const HttpLimits limits_;
  HttpHandler& handler_;
  MHD_Daemon* daemon_ = nullptr;
  std::size_t held_ = 0;  // bytes of all bodies; used by the network's thread alone

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::condition_variable_any watching_;
  std::deque<Waiting> waiting_;
  std::deque<Waiting> waiting_long_;
  std::map<MHD_Connection*, Link> links_;
  std::size_t exchanges_ = 0;  // requests under way
  bool stopping_ = false;
  bool workers_stop_ = false;

  std::vector<std::jthread> workers_;
  std::jthread watch_;
};

HttpServer* start(int listening, const HttpLimits& limits, HttpHandler& handler) {
  auto server = std::make_unique<MicroHttpServer>(limits, handler);
  return server->start(listening) ? server.release() : nullptr;
}

}  // namespace

extern "C" {
extern const HttpServerModule LOOKALIKE_MODULE_EXPORTS;
const HttpServerModule LOOKALIKE_MODULE_EXPORTS = {start};
}

}  // namespace lookalike
