// Threads: the network's does all input and output and never waits for an answer. A complete
// request waits in the queue of its lane for a worker, which hands the answer back.

#include "tools/serve/http_server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <netdb.h>
#include <new>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "tools/serve/http_message.h"

namespace lookalike {
namespace {

using Clock = WorkLimits::Clock;
using std::chrono::milliseconds;

constexpr milliseconds kBetweenLooks{100};  // for late connections
constexpr double kHeadSeconds = 3;
constexpr double kIdleSeconds = 10;
constexpr double kDrainSeconds = 1;     // without a byte
constexpr double kLastWorkSeconds = 1;  // once requests have arrived
constexpr double kLastAnswersSeconds = 0.5;
constexpr std::size_t kReadBytes = 64 << 10;
constexpr std::size_t kLanes = 4;

// Numbers of descriptors for epoll; connections have larger ones.
constexpr std::uint64_t kListening = 0;
constexpr std::uint64_t kWoken = 1;

Clock::time_point after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// A request and its answer, shared with the worker that answers it.
struct Exchange {
  Exchange(std::uint64_t number, std::atomic<std::size_t>& all_bodies)
      : link(number), held(all_bodies) {}
  ~Exchange() { held -= request.body.size(); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  const std::uint64_t link;        // the number of its connection
  std::atomic<std::size_t>& held;  // bytes of all bodies
  const Clock::time_point begun = Clock::now();
  HttpRequest request{};
  HttpResponse response{};

  // Returns the limits of the answer or, for a stream, of its next part.
  std::shared_ptr<WorkLimits> limits() const {
    const std::lock_guard lock(mutex_);
    return limits_;
  }
  void renew_limits(Clock::time_point end) {
    const std::lock_guard lock(mutex_);
    limits_ = std::make_shared<WorkLimits>(std::min(end, cut_));
  }
  // Ends all work on it then.
  void cut(Clock::time_point end) {
    const std::lock_guard lock(mutex_);
    cut_ = std::min(cut_, end);
    limits_->shorten(end);
  }

 private:
  mutable std::mutex mutex_;  // guards what follows
  Clock::time_point cut_ = Clock::time_point::max();
  std::shared_ptr<WorkLimits> limits_ = std::make_shared<WorkLimits>(cut_);
};
using SharedExchange = std::shared_ptr<Exchange>;

// What a worker hands back of an exchange.
struct Delivery {
  enum class Kind { kAnswer, kPart, kEnd };  // the answer, or the head of a stream; a part; its end
  SharedExchange exchange;
  Kind kind = Kind::kAnswer;
  std::string part{};
};

enum class State {
  kHead,       // a head arrives, or nothing
  kBody,       // a body arrives
  kWorking,    // the request waits or is in work
  kStreaming,  // parts of an answer are sent as they come
  kSending,    // an answer is sent
  kDraining,   // what a refused client still sends is dropped, lest it lose the answer
};

// A connection.
struct Link {
  FileDescriptor socket;
  State state = State::kHead;
  Clock::time_point due{};
  bool is_let_in = false;  // has sent a request with access
  bool keeps_alive = false;
  bool drains = false;        // see State::kDraining
  std::uint64_t drained = 0;  // bytes
  Clock::time_point drain_end{};
  std::string peer{};  // see HttpRequest
  std::string received{};
  std::size_t checked = 0;  // bytes of `received` that are part of an incomplete head
  RequestHead head{};       // without its request
  ChunkedBody chunks{};
  SharedExchange exchange{};
  std::string unsent{};
  std::size_t sent = 0;  // bytes of `unsent`
};
using Links = std::map<std::uint64_t, Link>;  // by number, the oldest first

std::string address_text(const sockaddr& address, socklen_t size) {
  if (address.sa_family == AF_UNIX) return "unix";
  char host[NI_MAXHOST] = "";
  const int code = ::getnameinfo(&address, size, host, sizeof host, nullptr, 0, NI_NUMERICHOST);
  return code == 0 ? host : "unknown";
}

// Hands requests to workers, and takes their answers.
class Workers {
 public:
  //   wake  called on a worker when an answer is ready
  Workers(const HttpLimits& limits, HttpHandler& handler, std::function<void()> wake)
      : limits_(limits), handler_(handler), wake_(std::move(wake)) {
    for (std::size_t i = 0; i < limits.workers; ++i) start({HttpLane::kShort, HttpLane::kUsual});
    for (const HttpLane lane : {HttpLane::kShort, HttpLane::kLong, HttpLane::kLarge}) start({lane});
  }
  ~Workers() {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // False if too many wait already.
  bool add(const SharedExchange& exchange, HttpLane lane) {
    const std::lock_guard lock(mutex_);
    std::deque<SharedExchange>& queue = queues_.at(static_cast<std::size_t>(lane));
    if (queue.size() >= limits_.queue) return false;
    queue.push_back(exchange);
    changed_.notify_all();
    return true;
  }

  // Drops it if it waits.
  void forget(const SharedExchange& exchange) {
    const std::lock_guard lock(mutex_);
    for (auto& queue : queues_) std::erase(queue, exchange);
    idle_.notify_all();
  }

  std::vector<Delivery> take_delivered() {
    const std::lock_guard lock(mutex_);
    return std::exchange(delivered_, {});
  }

  // True once nothing is in work or waits.
  bool wait_idle(Clock::time_point end) {
    std::unique_lock lock(mutex_);
    return idle_.wait_until(lock, end, [&] {
      return in_work_ == 0 &&
             std::ranges::all_of(queues_, [](auto& queue) { return queue.empty(); });
    });
  }

 private:
  void start(std::vector<HttpLane> lanes) {
    threads_.emplace_back([this, lanes = std::move(lanes)] { work(lanes); });
  }

  std::deque<SharedExchange>* waiting(const std::vector<HttpLane>& lanes) {
    for (const HttpLane lane : lanes) {
      std::deque<SharedExchange>& queue = queues_.at(static_cast<std::size_t>(lane));
      if (!queue.empty()) return &queue;
    }
    return nullptr;
  }

  void work(const std::vector<HttpLane>& lanes) {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return is_over_ || waiting(lanes) != nullptr; });
      std::deque<SharedExchange>* const queue = waiting(lanes);
      if (queue == nullptr) return;
      const SharedExchange next = queue->front();
      queue->pop_front();
      ++in_work_;
      lock.unlock();
      std::optional<Delivery> made = make(next, lanes.front());
      lock.lock();
      --in_work_;
      const bool is_made = made.has_value();
      const bool goes_on = is_made && next->response.stream && made->kind != Delivery::Kind::kEnd;
      if (is_made) delivered_.push_back(*std::move(made));
      if (goes_on) queue_part(next, HttpLane::kUsual);
      idle_.notify_all();
      if (is_made) wake_();
    }
  }

  // Puts the next part of a stream behind the requests that wait, even if there are many. Called
  // under the lock.
  void queue_part(const SharedExchange& exchange, HttpLane lane) {
    queues_.at(static_cast<std::size_t>(lane)).push_back(exchange);
    changed_.notify_all();
  }

  // Makes the answer to a request, or the next part of its stream. Returns nothing if the request
  // was put into the lane of large images.
  std::optional<Delivery> make(const SharedExchange& exchange, HttpLane lane) {
    const std::shared_ptr<WorkLimits> limits = exchange->limits();
    if (lane == HttpLane::kLarge) limits->allow_large_images();
    if (exchange->response.stream) return make_part(exchange, *limits);
    std::optional<HttpResponse> answer = handler_.answer(exchange->request, *limits);
    if (!answer && add(exchange, HttpLane::kLarge)) return std::nullopt;
    exchange->response = answer ? *std::move(answer) : handler_.refuse(HttpRefusal::kBusy, {});
    exchange->renew_limits(after(limits_.request_seconds));
    return Delivery{.exchange = exchange};
  }

  std::optional<Delivery> make_part(const SharedExchange& exchange, const WorkLimits& limits) {
    std::optional<std::string> part = exchange->response.stream(limits);
    if (!part) {
      const std::lock_guard lock(mutex_);
      queue_part(exchange, HttpLane::kLarge);
      return std::nullopt;
    }
    const Delivery::Kind kind = part->empty() ? Delivery::Kind::kEnd : Delivery::Kind::kPart;
    exchange->renew_limits(after(limits_.request_seconds));
    return Delivery{.exchange = exchange, .kind = kind, .part = *std::move(part)};
  }

  const HttpLimits limits_;
  HttpHandler& handler_;
  const std::function<void()> wake_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::condition_variable idle_;
  std::array<std::deque<SharedExchange>, kLanes> queues_;
  std::vector<Delivery> delivered_;
  std::size_t in_work_ = 0;
  bool is_over_ = false;
  std::vector<std::jthread> threads_;  // last: they use the members above
};

class EpollServer : public HttpServer {
 public:
  EpollServer(int listening, const HttpLimits& limits, HttpHandler& handler)
      : limits_(limits),
        handler_(handler),
        listening_(listening),
        events_(::epoll_create1(EPOLL_CLOEXEC)),
        woken_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        workers_(limits, handler, [this] { wake(); }) {
    const bool is_ready = events_.is_open() && woken_.is_open() &&
                          watch(listening_, EPOLL_CTL_ADD, kListening, EPOLLIN) &&
                          watch(woken_, EPOLL_CTL_ADD, kWoken, EPOLLIN);
    if (!is_ready) throw Error(ErrorKind::kInternal, "serve: the HTTP server cannot be started");
    network_ = std::jthread([this] { run(); });
  }
  ~EpollServer() override { end_network(0); }

  bool stop(double seconds) override {
    end_network(seconds);
    return workers_.wait_idle(after(kLastAnswersSeconds));
  }

 private:
  void end_network(double seconds) {
    if (!network_.joinable()) return;
    stop_seconds_ = seconds;
    is_stopping_ = true;
    wake();
    network_.join();
  }

  void wake() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(woken_.number(), &one, sizeof one);
  }

  bool watch(const FileDescriptor& descriptor, int operation, std::uint64_t number,
             std::uint32_t events) const {
    epoll_event event{};
    event.events = events;
    event.data.u64 = number;
    return ::epoll_ctl(events_.number(), operation, descriptor.number(), &event) == 0;
  }
  void watch(Links::iterator link, std::uint32_t events) const {
    watch(link->second.socket, EPOLL_CTL_MOD, link->first, events);
  }

  void run() {
    std::array<epoll_event, 64> events{};
    Clock::time_point next_look = Clock::now() + kBetweenLooks;
    std::optional<Clock::time_point> end;  // set once the server stops
    while (!end || (!links_.empty() && Clock::now() < *end)) {
      const int count = ::epoll_wait(events_.number(), events.data(), events.size(),
                                     static_cast<int>(kBetweenLooks.count()));
      for (int i = 0; i < count; ++i) {
        const epoll_event& event = events.at(static_cast<std::size_t>(i));
        handle(event.data.u64, event.events);
      }
      for (const Delivery& made : workers_.take_delivered()) deliver(made);
      if (is_stopping_ && !end) end = begin_stop();
      if (Clock::now() < next_look) continue;
      next_look = Clock::now() + kBetweenLooks;
      cut_late();
      if (!end) watch(listening_, EPOLL_CTL_MOD, kListening, EPOLLIN);  // see accept_all()
    }
    for (auto& [number, link] : links_) abandon(link);
    links_.clear();
  }

  // Returns when the network's thread ends.
  Clock::time_point begin_stop() {
    listening_ = FileDescriptor();
    const Clock::time_point arrived = after(stop_seconds_);
    const Clock::time_point answered = after(stop_seconds_ + kLastWorkSeconds);
    stop_work_ = answered;
    const auto is_idle = [](const Link& link) {
      return link.state == State::kHead && link.received.empty();
    };
    for (auto link = links_.begin(); link != links_.end();) {
      const std::uint64_t number = link->first;
      Link& it = link->second;
      it.keeps_alive = false;
      if (it.exchange) it.exchange->cut(answered);
      const bool is_answered_later = it.state == State::kWorking || it.state == State::kStreaming;
      if (!is_answered_later) it.due = std::min(it.due, arrived);
      if (is_idle(it)) {
        handle(number, EPOLLIN);  // a request may have come
        link = links_.find(number);
        if (link != links_.end() && is_idle(link->second)) close(link);
      }
      link = links_.upper_bound(number);
    }
    return answered + std::chrono::duration_cast<Clock::duration>(
                          std::chrono::duration<double>(kLastAnswersSeconds));
  }

  void handle(std::uint64_t number, std::uint32_t events) {
    try {
      if (number == kListening) return accept_all();
      if (number == kWoken) return ignore_wake();
      const auto link = links_.find(number);
      if (link == links_.end()) return;
      const State state = link->second.state;
      if (state == State::kWorking || state == State::kStreaming) {
        if ((events & (EPOLLHUP | EPOLLERR)) != 0) return close(link);  // the client has left
        if (state == State::kStreaming) {
          send_more(link);
        } else {
          probe(link);
        }
      } else if (link->second.state == State::kSending) {
        send_more(link);
        proceed_further(number);
      } else {
        receive(link);
      }
    } catch (const std::bad_alloc&) {
      close(number);
    }
  }

  void ignore_wake() const {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t read = ::read(woken_.number(), &count, sizeof count);
  }

  void accept_all() {
    for (int i = 0; i < 64; ++i) {
      sockaddr_storage address{};
      auto* const any = reinterpret_cast<sockaddr*>(&address);
      socklen_t size = sizeof address;
      FileDescriptor socket(
          ::accept4(listening_.number(), any, &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!socket.is_open()) {
        // Without a descriptor left, waits for the next look rather than trying again at once.
        const bool is_full = errno == EMFILE || errno == ENFILE || errno == ENOBUFS;
        if (is_full && !make_room()) watch(listening_, EPOLL_CTL_MOD, kListening, 0);
        return;
      }
      while (count(false) >= std::max<std::size_t>(1, limits_.connections / 4) && make_room()) {
      }
      const std::uint64_t number = next_number_++;
      const auto link =
          links_
              .emplace(number, Link{.socket = std::move(socket), .peer = address_text(*any, size)})
              .first;
      set_due(link->second, kHeadSeconds);
      watch(link->second.socket, EPOLL_CTL_ADD, number, EPOLLIN);
    }
  }

  // Finds out whether a client that sends no more has left or waits for its answer: one that has
  // left makes the connection end with an error. An interim answer may come at any time (RFC 9110,
  // 15.2), but not before HTTP/1.1.
  void probe(Links::iterator link) {
    watch(link, 0);
    if (link->second.head.takes_chunks && !send_continue(link->second)) close(link);
  }

  static bool send_continue(const Link& link) {
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    const ssize_t sent =
        ::send(link.socket.number(), kContinue.data(), kContinue.size(), MSG_NOSIGNAL);
    return sent == static_cast<ssize_t>(kContinue.size()) || (sent < 0 && errno == EAGAIN);
  }

  std::size_t count(bool is_let_in) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        links_, [&](const auto& link) { return link.second.is_let_in == is_let_in; }));
  }

  // Closes the oldest connection that was not let in, unless its request has just come; false if
  // there is none.
  bool make_room() {
    const auto oldest = std::ranges::find_if(links_, [](const auto& numbered) {
      return !numbered.second.is_let_in && numbered.second.state != State::kWorking;
    });
    if (oldest == links_.end()) return false;
    const std::uint64_t number = oldest->first;
    if (oldest->second.state == State::kHead) receive(oldest);
    const auto still = links_.find(number);
    if (still != links_.end() && !still->second.is_let_in) close(still);
    return true;
  }

  // Closes the oldest idle connection that was let in; false if there is none.
  bool close_idle() {
    const auto oldest = std::ranges::find_if(links_, [](const auto& numbered) {
      return numbered.second.is_let_in && numbered.second.state == State::kHead;
    });
    if (oldest == links_.end()) return false;
    close(oldest);
    return true;
  }

  void set_due(Link& link, double seconds) const {
    link.due = after(std::min(seconds, limits_.request_seconds));
  }

  void cut_late() {
    const Clock::time_point now = Clock::now();
    for (auto link = links_.begin(); link != links_.end();) {
      const auto next = std::next(link);
      if (link->second.due < now) close(link);
      link = next;
    }
  }

  void abandon(Link& link) {
    if (!link.exchange) return;
    link.exchange->cut(Clock::now());
    workers_.forget(link.exchange);
    constexpr int kClientLeft = 499;  // as in nginx
    log(*link.exchange, kClientLeft);
  }
  void log(const Exchange& exchange, int status) noexcept {
    const std::chrono::duration<double> taken = Clock::now() - exchange.begun;
    handler_.log(exchange.request, status, taken.count());
  }
  void close(Links::iterator link) {
    abandon(link->second);
    links_.erase(link);  // closing its socket ends its events
  }
  void close(std::uint64_t number) {
    const auto link = links_.find(number);
    if (link != links_.end()) close(link);
  }

  // Reads what has come. May close the connection.
  void receive(Links::iterator link) {
    Link& it = link->second;
    const ssize_t count = ::recv(it.socket.number(), buffer_.data(), buffer_.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) return close(link);
    if (it.state == State::kDraining) return drain(link, static_cast<std::size_t>(count));
    it.received.append(buffer_.data(), static_cast<std::size_t>(count));
    const std::uint64_t number = link->first;
    proceed(link);
    proceed_further(number);
  }

  // Waits for what a refused client sends further, within limits. May close the connection.
  void drain(Links::iterator link, std::size_t count) {
    Link& it = link->second;
    it.drained += count;
    if (it.drained > limits_.bodies_bytes) return close(link);
    if (stop_work_) return;  // it has until then
    set_due(it, kDrainSeconds);
    it.due = std::min(it.due, it.drain_end);
  }

  // Reads further requests that came with one that was answered. The connection may be closed.
  void proceed_further(std::uint64_t number) {
    while (true) {
      const auto link = links_.find(number);
      if (link == links_.end() || link->second.state != State::kHead) return;
      if (link->second.received.size() == link->second.checked) return;
      proceed(link);
    }
  }

  // Reads a request from what was received, as far as that goes. May close the connection.
  void proceed(Links::iterator link) {
    Link& it = link->second;
    try {
      if (it.state == State::kHead) {
        if (!read_head(link)) return;
        it.state = State::kBody;
      }
      if (read_body(it)) finish(link);
    } catch (const HttpFault& fault) {
      refuse(link, fault.why(), fault.what());
    }
  }

  // True if a body may follow, false if the head is incomplete or was answered.
  bool read_head(Links::iterator link) {
    Link& it = link->second;
    if (it.checked <= 1) {  // empty lines before a request are allowed
      std::size_t lines = 0;
      while (it.received.compare(lines, 2, "\r\n") == 0) lines += 2;
      if (lines > 0) it.checked = 0;
      it.received.erase(0, lines);
      // They do not put off the end of an idle connection, whole or half.
      if (it.received.empty() || it.received == "\r") {
        it.checked = it.received.size();
        return false;
      }
    }
    const std::optional<std::size_t> size = head_size(it.received, it.checked);
    if (!size) {
      if (it.checked == 0 && it.is_let_in) set_due(it, kHeadSeconds);
      it.checked = it.received.size();
      return false;
    }
    it.head = parse_head(std::string_view(it.received).substr(0, *size));
    it.received.erase(0, *size);
    it.checked = 0;
    it.chunks = {};
    it.exchange = std::make_shared<Exchange>(link->first, held_);
    it.exchange->request = std::move(it.head.request);
    it.exchange->request.peer = it.peer;
    set_due(it, limits_.request_seconds);
    if (stop_work_) throw HttpFault(HttpRefusal::kStopping, "");
    const HttpRequest& request = it.exchange->request;
    std::optional<HttpResponse> answer = handler_.admit(request);
    if (!it.is_let_in && handler_.is_let_in(request)) {
      if (count(true) >= limits_.connections && !close_idle()) {
        throw HttpFault(HttpRefusal::kBusy, "");
      }
      it.is_let_in = true;
    }
    it.keeps_alive = it.is_let_in && it.head.keeps_alive;
    if (answer) {
      send(link, *answer, has_more(it));
      return false;
    }
    if (has_more(it) && request.method != "POST") {
      throw HttpFault(HttpRefusal::kMalformed, "only POST takes a body");
    }
    if (it.head.body_bytes > limits_.body_bytes) throw HttpFault(HttpRefusal::kTooLarge, "");
    if (it.head.awaits_continue && has_more(it) && it.received.empty()) {
      send_continue(it);
    }
    return true;
  }

  // True if a body follows the head.
  static bool has_more(const Link& link) {
    return link.head.is_chunked || link.head.body_bytes > 0;
  }

  // True once the body is complete.
  bool read_body(Link& it) {
    const auto add = [&](std::string_view content) {
      std::string& body = it.exchange->request.body;
      if (body.size() + content.size() > limits_.body_bytes) {
        throw HttpFault(HttpRefusal::kTooLarge, "");
      }
      if (held_ + content.size() > limits_.bodies_bytes) throw HttpFault(HttpRefusal::kBusy, "");
      body += content;
      held_ += content.size();
    };
    try {
      if (it.head.is_chunked) return it.chunks.read(it.received, add);
      const std::size_t missing = it.head.body_bytes - it.exchange->request.body.size();
      const std::size_t size = std::min(missing, it.received.size());
      add(std::string_view(it.received).substr(0, size));
      it.received.erase(0, size);
      return size == missing;
    } catch (const std::bad_alloc&) {
      throw HttpFault(HttpRefusal::kBusy, "");
    }
  }

  void finish(Links::iterator link) {
    Link& it = link->second;
    it.exchange->renew_limits(after(limits_.request_seconds));
    if (stop_work_) it.exchange->cut(*stop_work_);
    if (!workers_.add(it.exchange, handler_.lane(it.exchange->request))) {
      return send(link, handler_.refuse(HttpRefusal::kBusy, {}), false);
    }
    it.state = State::kWorking;
    it.due = Clock::time_point::max();
    watch(link, EPOLLRDHUP);
  }

  void deliver(const Delivery& made) {
    const std::uint64_t number = made.exchange->link;
    const auto link = links_.find(number);
    if (link == links_.end() || link->second.exchange != made.exchange) return;  // the client left
    try {
      if (made.kind != Delivery::Kind::kAnswer) {
        send_part(link, made.part, made.kind == Delivery::Kind::kEnd);
      } else if (made.exchange->response.stream) {
        begin_stream(link);
      } else {
        send(link, made.exchange->response, false);
      }
    } catch (const std::bad_alloc&) {
      close(number);
    }
    proceed_further(number);
  }

  void begin_stream(Links::iterator link) {
    Link& it = link->second;
    it.keeps_alive = it.keeps_alive && it.head.takes_chunks;
    it.drains = !it.received.empty();
    it.unsent = stream_head(it.exchange->response, it.keeps_alive, it.head.takes_chunks);
    it.sent = 0;
    it.state = State::kStreaming;
    send_more(link);
  }

  void send_part(Links::iterator link, const std::string& part, bool is_last) {
    Link& it = link->second;
    it.unsent.erase(0, it.sent);
    it.sent = 0;
    // A client that takes nothing is cut, whatever more there is for it.
    if (it.unsent.empty()) set_due(it, limits_.request_seconds);
    it.unsent += it.head.takes_chunks ? chunk_text(part) : part;
    if (is_last) {
      log(*it.exchange, it.exchange->response.status);
      it.exchange.reset();
      it.state = State::kSending;
    }
    send_more(link);
  }

  void refuse(Links::iterator link, HttpRefusal why, const std::string& detail) {
    send(link, handler_.refuse(why, detail), true);
  }

  //   has_rest  the client may send more, which is not read as a request
  void send(Links::iterator link, const HttpResponse& answer, bool has_rest) {
    Link& it = link->second;
    it.keeps_alive = it.keeps_alive && !has_rest;
    it.drains = has_rest || !it.received.empty();
    const bool is_head = it.exchange && it.exchange->request.method == "HEAD";
    it.unsent = answer_text(answer, it.keeps_alive, !is_head);
    it.sent = 0;
    if (it.exchange) {
      log(*it.exchange, answer.status);
    } else {
      HttpRequest unknown;
      unknown.peer = it.peer;
      handler_.log(unknown, answer.status, 0);
    }
    it.exchange.reset();
    it.state = State::kSending;
    set_due(it, it.is_let_in ? limits_.request_seconds : kHeadSeconds);
    send_more(link);
  }

  // Sends what the socket takes. May close the connection.
  void send_more(Links::iterator link) {
    Link& it = link->second;
    while (it.sent < it.unsent.size()) {
      const ssize_t count = ::send(it.socket.number(), it.unsent.data() + it.sent,
                                   it.unsent.size() - it.sent, MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return watch(link, EPOLLOUT);
      if (count <= 0) return close(link);
      it.sent += static_cast<std::size_t>(count);
    }
    it.unsent = {};
    it.sent = 0;
    if (it.state == State::kStreaming) {
      it.due = Clock::time_point::max();  // the worker has limits
      return watch(link, 0);
    }
    if (it.keeps_alive) {
      it.state = State::kHead;
      it.checked = 0;
      set_due(it, kIdleSeconds);
      return watch(link, EPOLLIN);
    }
    if (!it.drains) return close(link);
    it.received = {};
    it.state = State::kDraining;
    it.drain_end = after(limits_.request_seconds);
    set_due(it, kDrainSeconds);
    ::shutdown(it.socket.number(), SHUT_WR);
    watch(link, EPOLLIN);
  }

  const HttpLimits limits_;
  HttpHandler& handler_;
  std::atomic<std::size_t> held_ = 0;  // bytes of all bodies
  std::atomic<bool> is_stopping_ = false;
  std::atomic<double> stop_seconds_ = 0;

  // Used by the network's thread alone once that runs.
  FileDescriptor listening_;
  const FileDescriptor events_;
  const FileDescriptor woken_;
  Links links_;
  std::uint64_t next_number_ = kWoken + 1;
  std::vector<char> buffer_ = std::vector<char>(kReadBytes);
  std::optional<Clock::time_point> stop_work_{};  // set once the server stops

  Workers workers_;
  std::jthread network_;  // last: it uses the members above
};

}  // namespace

std::unique_ptr<HttpServer> start_http_server(int listening, const HttpLimits& limits,
                                              HttpHandler& handler) {
  return std::make_unique<EpollServer>(listening, limits, handler);
}

}  // namespace lookalike
