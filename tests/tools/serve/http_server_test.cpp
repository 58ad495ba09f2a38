#include "tools/serve/http_server.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/parse_number.h"
#include "tests/http_client.h"
#include "tests/temporary_folder.h"
#include "tests/wait_until.h"
#include "tools/serve/listener.h"

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Answers with the request, /stream with three lines, the second from the lane of large images and
// the third once is_open. Requests of /wait, /long and /large are held up until is_open, at most
// 60 s; those of /limited until their time is over. Strangers' requests are those of /page.
class Echo : public HttpHandler {
 public:
  class Parts {
   public:
    explicit Parts(Echo& echo) : echo_(&echo) {}
    std::optional<std::string> operator()(const WorkLimits& limits) {
      if (done_ == 3) return std::string();
      if (done_ == 1 && !limits.allows_large_images()) return std::nullopt;
      const LimitedWork limited(&limits);
      if (done_ == 2) wait_until([&] { return echo_->is_open.load() || is_overdue(); });
      ++echo_->parts;
      ++done_;
      return is_overdue() ? "late\n" : "part " + std::to_string(done_) + "\n";
    }

   private:
    Echo* echo_;
    int done_ = 0;
  };

  std::optional<HttpResponse> admit(const HttpRequest& request) noexcept override {
    ++admitted;
    if (request.path == "/forbidden") return HttpResponse{403, "text/plain", "no"};
    if (request.path == "/at-once" || request.path == "/page")
      return HttpResponse{200, "text/plain", "yes"};
    return std::nullopt;
  }
  bool is_let_in(const HttpRequest& request) noexcept override { return request.path != "/page"; }
  HttpLane lane(const HttpRequest& request) noexcept override {
    if (request.path == "/short") return HttpLane::kShort;
    return request.path == "/long" ? HttpLane::kLong : HttpLane::kUsual;
  }
  std::optional<HttpResponse> answer(const HttpRequest& request,
                                     const WorkLimits& limits) noexcept override {
    if (request.path == "/large" && !limits.allows_large_images()) return std::nullopt;
    ++working;
    if (request.path == "/wait" || request.path == "/long" || request.path == "/large") {
      wait_until([&] { return is_open.load(); });
    }
    if (request.path == "/limited") {
      const LimitedWork limited(&limits);
      if (!wait_until([] { return is_overdue(); })) return HttpResponse{500, "text/plain", ""};
      ++overdue;
      return HttpResponse{504, "text/plain", "late"};
    }
    if (request.path == "/stream") {
      return HttpResponse{.content_type = "text/plain", .stream = Parts(*this)};
    }
    std::string text = request.method + " " + request.path;
    for (const auto& [name, value] : request.parameters) {
      text.append(" ").append(name).append("=").append(value);
    }
    return HttpResponse{200, "text/plain", text + " " + std::to_string(request.body.size())};
  }
  HttpResponse refuse(HttpRefusal why, const std::string& detail) noexcept override {
    const int status = why == HttpRefusal::kMalformed      ? 400
                       : why == HttpRefusal::kHeadTooLarge ? 431
                       : why == HttpRefusal::kTooLarge     ? 413
                                                           : 503;
    return {status, "text/plain", detail};
  }
  void log(const HttpRequest& request, int status, double seconds) noexcept override {
    const std::lock_guard lock(mutex);
    logged.push_back(request.peer + " " + request.method + " " + request.path + " " +
                     std::to_string(status) + (seconds < 0 ? " before its time" : ""));
  }
  std::vector<std::string> lines() {
    const std::lock_guard lock(mutex);
    return logged;
  }

  std::atomic<int> admitted = 0;
  std::atomic<int> working = 0;
  std::atomic<int> overdue = 0;
  std::atomic<bool> is_open = false;
  std::atomic<int> parts = 0;  // of streams
  std::mutex mutex;            // guards what follows
  std::vector<std::string> logged;
};

class HttpServerTest : public testing::Test {
 protected:
  void start(HttpLimits limits = kLimits) {
    const Listener listener("127.0.0.1:0");
    const std::string& url = listener.url();
    port_ = parse_number<int>(url.substr(url.rfind(':') + 1)).value();
    server_ = start_http_server(listener.duplicate(), limits, echo_);
  }
  bool is_refused() const {
    try {
      const HttpConnection connection(port_);
      return false;
    } catch (const std::runtime_error&) {
      return true;
    }
  }
  HttpReply ask(const std::string& request) const {
    const HttpConnection connection(port_);
    connection.send(request);
    return connection.reply();
  }
  void wait_for_work(int count) const {
    ASSERT_TRUE(wait_until([&] { return echo_.working >= count; }));
  }
  void wait_for_admitted(int count) const {
    ASSERT_TRUE(wait_until([&] { return echo_.admitted >= count; }));
  }

  static constexpr HttpLimits kLimits = {.body_bytes = 100'000,
                                         .bodies_bytes = 250'000,
                                         .connections = 20,
                                         .queue = 2,
                                         .workers = 2,
                                         .request_seconds = 20};
  Echo echo_;
  int port_ = 0;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, HandsOverDecodedRequests) {
  start();
  EXPECT_EQ(ask(http_request("GET /a%20b?x=1%2C2&y=")).body, "GET /a b x=1,2 y= 0");
  EXPECT_EQ(ask(http_request("POST /p", {}, std::string(99'999, 'x'))).body, "POST /p 99999");
  EXPECT_EQ(ask(http_request("GET /at-once")).body, "yes");
  EXPECT_EQ(ask("POST /c HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
                .body,
            "POST /c 3");
}

TEST_F(HttpServerTest, RefusesBeforeItReadsTheBody) {
  start();
  const HttpConnection connection(port_);
  connection.send("POST /forbidden HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\n");
  EXPECT_EQ(connection.reply().status, 403);
  const HttpConnection large(port_);
  large.send("PUT /forbidden HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999\r\n\r\n");
  EXPECT_EQ(large.reply().status, 403) << "however large it is, and whatever the method";
  EXPECT_EQ(echo_.working, 0);
}

TEST_F(HttpServerTest, LimitsBodiesWhateverTheyClaim) {
  start();
  const HttpConnection claims(port_);
  claims.send("POST /p HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100001\r\n\r\n");
  EXPECT_EQ(claims.reply().status, 413);
  const HttpConnection chunked(port_);
  chunked.send(
      "POST /p HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      "Transfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 11; ++i) chunked.send("2710\r\n" + std::string(10'000, 'x') + "\r\n");
  chunked.send("0\r\n\r\n");
  EXPECT_EQ(chunked.reply().status, 413);
  EXPECT_EQ(echo_.working, 0);
}

// Sends a body that is too large, 20 kB every 0.1 s.
//   size  of the body
bool send_slowly(const HttpConnection& connection, int size) {
  connection.send("POST /p HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(size) +
                  "\r\n\r\n");
  for (int sent = 0; sent < size; sent += 20'000) {
    if (!connection.send(std::string(20'000, 'x'))) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return true;
}

TEST_F(HttpServerTest, ARefusedClientThatStillSendsGetsItsAnswer) {
  HttpLimits limits = kLimits;
  limits.bodies_bytes = 400'000;
  start(limits);
  const HttpConnection patient(port_);
  EXPECT_TRUE(send_slowly(patient, 300'000)) << "for 1.5 s";
  EXPECT_EQ(patient.reply().status, 413);
  const HttpConnection endless(port_);
  EXPECT_FALSE(send_slowly(endless, 2'000'000)) << "cut after bodies_bytes";
}

TEST_F(HttpServerTest, ARefusedClientHasTheTimeOfARequest) {
  HttpLimits limits = kLimits;
  limits.bodies_bytes = 1'000'000'000;
  limits.request_seconds = 1.5;
  start(limits);
  EXPECT_FALSE(send_slowly(HttpConnection(port_), 1'000'000)) << "for 5 s";
}

TEST_F(HttpServerTest, LimitsAllBodiesTogether) {
  start();
  const std::string start_of =
      "POST /p HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n";
  const HttpConnection first(port_);
  const HttpConnection second(port_);
  for (const auto* const held : {&first, &second}) held->send(start_of + std::string(99'999, 'x'));
  // With each answer the server has looked at all sockets: in the end it has read both bodies.
  for (int i = 0; i < 50; ++i) ask(http_request("GET /at-once"));
  EXPECT_EQ(ask(start_of + std::string(100'000, 'x')).status, 503);
  first.send("x");
  EXPECT_EQ(first.reply().status, 200);
  EXPECT_EQ(ask(start_of + std::string(100'000, 'x')).status, 200) << "released";
}

// True if the text is one answer: a second would begin with another status line.
bool is_one_answer(const HttpReply& reply) {
  return reply.status != 0 && reply.body.find("HTTP/1.1") == std::string::npos &&
         reply.headers.at("connection") == "close" &&
         reply.headers.at("content-length") == std::to_string(reply.body.size());
}

TEST_F(HttpServerTest, RefusesWhatTwoProgramsMayReadDifferently) {
  start();
  const std::string smuggled = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (const char* headers : {"Content-Length: 3\r\nTransfer-Encoding: chunked",
                              "Content-Length: 3\r\nContent-Length: 4",
                              "Content-Length: -1",
                              "Content-Length: 3x",
                              "Content-Length: 5, 5",
                              "Content-Length: 0x5",
                              "Content-Length: +5",
                              "Content-Length:",
                              "Content-Length: 99999999999999999999",
                              "Content-Length : 3",
                              "Content-Length\t: 3",
                              "Transfer-Encoding : chunked",
                              "Content-Length: 3\r\nTransfer-Encoding:\r\n chunked",
                              "X: a\r\n b",
                              " X: a",
                              "Transfer-Encoding: identity",
                              "Transfer-Encoding: gzip, chunked",
                              "X",
                              ": a",
                              "X: a\nY: b",
                              "Expect: 200-ok",
                              "Host: localhost"}) {
    const HttpReply reply = ask("POST /p HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers) +
                                "\r\n\r\n" + smuggled);
    EXPECT_EQ(reply.status, 400) << headers;
    EXPECT_TRUE(is_one_answer(reply)) << headers << reply.body;
  }
  EXPECT_EQ(echo_.admitted, 0);
  const HttpReply reply = ask(http_request("GET /p", {}, smuggled));
  EXPECT_EQ(reply.status, 400) << "only POST takes a body";
  EXPECT_TRUE(is_one_answer(reply));
  EXPECT_EQ(echo_.working, 0);
  EXPECT_TRUE(is_one_answer(ask(http_request("GET /at-once", {}, smuggled))));
  EXPECT_EQ(ask(http_request("GET /a")).status, 200);
}

TEST_F(HttpServerTest, RefusesChunksThatAreNot) {
  start();
  const std::string head =
      "POST /c HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& body :
       {"3;" + std::string(100'000, 'x') + "\r\nabc\r\n0\r\n\r\n", std::string("x\r\n"),
        std::string("3\nabc\r\n0\r\n\r\n"), std::string("3\r\nabcd\r\n0\r\n\r\n"),
        std::string("-1\r\n"), std::string("FFFFFFFFFFFFFFFFF\r\n"),
        "0\r\n" + std::string(100'000, 'x') + "\r\n\r\n"}) {
    const HttpReply reply = ask(head + body);
    EXPECT_EQ(reply.status, 400) << body.substr(0, 20);
    EXPECT_TRUE(is_one_answer(reply)) << body.substr(0, 20);
  }
  EXPECT_EQ(echo_.working, 0);
}

TEST_F(HttpServerTest, RefusesTooManyParametersAndHeaders) {
  start();
  std::string url = "GET /a?x=1";
  std::vector<std::string> headers;
  for (int i = 0; i < 600; ++i) {
    url += "&a" + std::to_string(i) + "=1";
    headers.push_back("X" + std::to_string(i) + ": 1");
  }
  for (const std::string& request : {http_request(url), http_request("GET /a", headers),
                                     http_request("GET /a?" + std::string(40'000, '&'))}) {
    const HttpReply reply = ask(request);
    EXPECT_THAT(reply.status, testing::AnyOf(400, 431));
    EXPECT_TRUE(is_one_answer(reply));
  }
  EXPECT_EQ(echo_.admitted, 0);
}

TEST_F(HttpServerTest, RefusesUrlsThatANulWouldCut) {
  start();
  for (const char* url :
       {"/a%00b", "/a?x=1%00z", "/a?x%00=1", "/at-once%00", "/a%", "/a%2", "/a%zz"}) {
    EXPECT_EQ(ask(http_request(std::string("GET ") + url)).status, 400) << url;
  }
  EXPECT_EQ(echo_.admitted, 0);
  EXPECT_EQ(ask(http_request("GET /a?x=%2500")).body, "GET /a x=%00 0") << "no NUL";
}

TEST_F(HttpServerTest, AnswersRequestsOfOneConnectionInTurn) {
  start();
  const HttpConnection connection(port_);
  std::string requests = "\r\n";  // some clients send one after a body
  for (int i = 0; i < 500; ++i) requests += "GET /at-once HTTP/1.1\r\nHost: localhost\r\n\r\n";
  requests += "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc";
  connection.send(requests + http_request("GET /b%00"));
  const std::string rest = connection.reply().body;
  EXPECT_EQ(echo_.admitted, 501);
  EXPECT_THAT(rest, HasSubstr("POST /a 3HTTP/1.1 400")) << "each is checked";
}

TEST_F(HttpServerTest, WaitsForABodyThatIsAnnounced) {
  start();
  const HttpConnection connection(port_);
  connection.send(
      "POST /p HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 3\r\n"
      "Expect: 100-continue\r\n\r\n");
  wait_for_admitted(1);
  EXPECT_EQ(ask(http_request("GET /at-once")).status, 200);  // by now the head has been answered
  connection.send("abc");
  const HttpReply reply = connection.reply();
  EXPECT_EQ(reply.status, 100);
  EXPECT_THAT(reply.body, HasSubstr("POST /p 3"));
}

TEST_F(HttpServerTest, AnswersHeadWithoutABody) {
  start();
  const HttpReply reply = ask(http_request("HEAD /at-once"));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("content-length"), "3");
  EXPECT_EQ(reply.body, "");
}

TEST_F(HttpServerTest, SurvivesWhatIsNoHttp) {
  start();
  const std::string many(100'000, 'a');
  for (const std::string& bytes :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), std::string("\0\xFF\x01", 3), many,
        "GET /" + many + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + many + "\r\n\r\n",
        std::string("GET / HTTP/1.1\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n")}) {
    HttpConnection(port_).send(bytes);  // then closed
    const HttpConnection half(port_);
    half.send(bytes.substr(0, bytes.size() / 2));
  }
  EXPECT_GE(ask("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + many + "\r\n\r\n").status, 400);
  EXPECT_EQ(ask(http_request("GET /a")).status, 200);
}

TEST_F(HttpServerTest, CutsSlowRequests) {
  HttpLimits limits = kLimits;
  limits.request_seconds = 0.3;
  start(limits);
  const HttpConnection headers(port_);
  const HttpConnection body(port_);
  body.send("POST /p HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n");
  // Single bytes do not keep a connection alive.
  EXPECT_TRUE(wait_until([&] {
    const bool one = headers.send("G");
    const bool other = body.send("x");
    return !one && !other;
  }));
  EXPECT_EQ(ask(http_request("GET /a")).status, 200);
}

TEST_F(HttpServerTest, EmptyLinesDoNotKeepAConnectionOpen) {
  HttpLimits limits = kLimits;
  limits.request_seconds = 0.3;
  start(limits);
  const HttpConnection whole(port_);
  const HttpConnection halves(port_);
  for (const HttpConnection* const connection : {&whole, &halves}) {
    connection->send("GET /at-once HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  bool is_second = false;
  EXPECT_TRUE(wait_until([&] {
    is_second = !is_second;
    const bool one = whole.send("\r\n");
    const bool other = halves.send(is_second ? "\r" : "\n");
    return !one && !other;
  }));
}

TEST_F(HttpServerTest, AnswersThatTakeLongAreNotCut) {
  HttpLimits limits = kLimits;
  limits.request_seconds = 0.1;
  start(limits);
  const HttpConnection waiting(port_);
  waiting.send(http_request("GET /wait"));
  wait_for_work(1);
  const HttpConnection later(port_);
  EXPECT_EQ(later.reply().status, 0) << "cut, although it is younger";
  echo_.is_open = true;
  EXPECT_EQ(waiting.reply().status, 200);
}

TEST_F(HttpServerTest, RefusesMoreThanTheQueueHolds) {
  start();
  std::vector<std::unique_ptr<HttpConnection>> waiting;
  const auto add = [&] {
    waiting.push_back(std::make_unique<HttpConnection>(port_));
    waiting.back()->send(http_request("GET /wait"));
  };
  add();
  add();
  wait_for_work(2);
  add();
  add();
  wait_for_admitted(4);
  EXPECT_EQ(ask(http_request("GET /wait")).status, 503);
  EXPECT_EQ(ask(http_request("GET /at-once")).status, 200) << "needs no worker";
  echo_.is_open = true;
  for (const auto& connection : waiting) EXPECT_EQ(connection->reply().status, 200);
  EXPECT_EQ(ask(http_request("GET /a")).status, 200);
}

TEST_F(HttpServerTest, RequestsThatTakeLongWaitForOneAnotherAlone) {
  start();
  std::vector<std::unique_ptr<HttpConnection>> waiting;
  for (int i = 0; i < 3; ++i) {
    waiting.push_back(std::make_unique<HttpConnection>(port_));
    waiting.back()->send(http_request("GET /long"));
    if (i == 0) wait_for_work(1);
  }
  wait_for_admitted(3);
  const HttpConnection other(port_);
  other.send(http_request("GET /a"));
  wait_for_work(2);
  if (HasFailure()) echo_.is_open = true;  // otherwise the next waits a minute
  EXPECT_EQ(other.reply().body, "GET /a 0") << "others have their workers";
  EXPECT_EQ(echo_.working, 2) << "one after another";
  EXPECT_EQ(ask(http_request("GET /long")).status, 503) << "two wait, as in the queue of others";
  echo_.is_open = true;
  for (const auto& connection : waiting) EXPECT_EQ(connection->reply().status, 200);
}

TEST_F(HttpServerTest, LargeImagesHaveAWorkerOfTheirOwn) {
  start();
  std::vector<std::unique_ptr<HttpConnection>> waiting;
  for (int i = 0; i < 3; ++i) {
    waiting.push_back(std::make_unique<HttpConnection>(port_));
    waiting.back()->send(http_request("GET /large"));
    wait_for_work(1);  // before the queue takes the others
  }
  wait_for_admitted(3);
  EXPECT_EQ(ask(http_request("GET /a")).body, "GET /a 0") << "others do not wait for them";
  EXPECT_EQ(echo_.working, 2) << "one after another";
  echo_.is_open = true;
  for (const auto& connection : waiting) EXPECT_EQ(connection->reply().status, 200);
}

TEST_F(HttpServerTest, SendsAStreamPartByPart) {
  start();
  const std::string first = "7\r\npart 1\n\r\n7\r\npart 2\n\r\n";
  const HttpConnection connection(port_);
  connection.send(http_request("POST /stream", {}, "x"));
  ASSERT_TRUE(wait_until([&] { return echo_.parts == 2; })) << "the third waits";
  EXPECT_EQ(ask(http_request("GET /a")).body, "GET /a 0") << "meanwhile";
  echo_.is_open = true;
  const HttpReply reply = connection.reply();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("transfer-encoding"), "chunked");
  EXPECT_EQ(reply.headers.count("content-length"), 0U);
  EXPECT_EQ(reply.body, first + "7\r\npart 3\n\r\n0\r\n\r\n");
  const HttpConnection second(port_);
  second.send("POST /stream HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx" +
              http_request("GET /b"));
  EXPECT_THAT(second.reply().body, HasSubstr("GET /b 0")) << "over the same connection";
  EXPECT_EQ(ask("POST /stream HTTP/1.0\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx").body,
            "part 1\npart 2\npart 3\n")
      << "which knows no chunks";
}

TEST_F(HttpServerTest, EachPartOfAStreamHasTheTimeOfARequest) {
  start({.body_bytes = 10,
         .bodies_bytes = 10,
         .connections = 9,
         .queue = 9,
         .workers = 1,
         .request_seconds = 0.5});
  EXPECT_THAT(ask(http_request("POST /stream", {}, "x")).body, HasSubstr("late\n\r\n0\r\n"));
}

TEST_F(HttpServerTest, LogsEachAnswerOnce) {
  start();
  echo_.is_open = true;
  ask(http_request("GET /a?token=secret"));
  ask(http_request("GET /forbidden"));
  ask(http_request("POST /stream", {}, "x"));
  ask("nonsense\r\n\r\n");
  EXPECT_THAT(echo_.lines(), ElementsAre("127.0.0.1 GET /a 200", "127.0.0.1 GET /forbidden 403",
                                         "127.0.0.1 POST /stream 200", "127.0.0.1   400"));
}

TEST_F(HttpServerTest, LogsAClientThatLeaves) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "socket";
  const Listener listener("unix:" + path);
  server_ = start_http_server(listener.duplicate(), kLimits, echo_);
  {
    const HttpConnection leaving(path);
    leaving.send(http_request("GET /wait"));
    wait_for_work(1);
  }
  EXPECT_TRUE(wait_until([&] { return !echo_.lines().empty(); }));
  EXPECT_THAT(echo_.lines(), ElementsAre("unix GET /wait 499"));
  echo_.is_open = true;
}

TEST_F(HttpServerTest, TellsAClientThatLeavesFromOneThatOnlyWaits) {
  start();
  const HttpConnection waiting(port_);
  waiting.send(http_request("GET /wait"));
  waiting.end_sending();
  const HttpConnection old(port_);
  old.send("GET /wait HTTP/1.0\r\n\r\n");
  old.end_sending();
  wait_for_work(2);
  for (std::size_t i = 1; i <= 5; ++i) {  // more than the queue holds
    HttpConnection(port_).send(http_request("GET /wait"));
    EXPECT_TRUE(wait_until([&] { return echo_.lines().size() == i; }));
  }
  EXPECT_THAT(echo_.lines(), testing::Each("127.0.0.1 GET /wait 499"));
  echo_.is_open = true;
  EXPECT_EQ(old.reply().status, 200) << "which knows no interim answers";
  const HttpReply reply = waiting.reply();
  EXPECT_EQ(reply.status, 100);
  EXPECT_THAT(reply.body, HasSubstr("HTTP/1.1 200"));
  EXPECT_THAT(reply.body, testing::EndsWith("GET /wait 0"));
}

TEST_F(HttpServerTest, ShortRequestsDoNotWaitForUsualOnes) {
  start();
  std::vector<std::unique_ptr<HttpConnection>> waiting;
  for (std::size_t i = 0; i < kLimits.workers; ++i) {
    waiting.push_back(std::make_unique<HttpConnection>(port_));
    waiting.back()->send(http_request("GET /wait"));
  }
  wait_for_work(static_cast<int>(kLimits.workers));
  EXPECT_EQ(ask(http_request("GET /short")).status, 200);
  echo_.is_open = true;
  for (const auto& connection : waiting) EXPECT_EQ(connection->reply().status, 200);
}

TEST_F(HttpServerTest, WorkHasTheTimeOfARequest) {
  HttpLimits limits = kLimits;
  limits.request_seconds = 0.2;
  start(limits);
  EXPECT_EQ(ask(http_request("GET /limited")).status, 504);
}

TEST_F(HttpServerTest, WorkForAClientThatLeavesIsOver) {
  HttpLimits limits = kLimits;
  limits.request_seconds = 3600;
  const TemporaryFolder folder;
  const std::string path = folder.path() / "socket";
  const Listener listener("unix:" + path);
  server_ = start_http_server(listener.duplicate(), limits, echo_);
  {
    const HttpConnection connection(path);
    connection.send(http_request("GET /limited"));
    wait_for_work(1);
  }
  EXPECT_TRUE(wait_until([&] { return echo_.overdue == 1; }));
}

TEST_F(HttpServerTest, IdleConnectionsGiveWayToRequests) {
  HttpLimits limits = kLimits;
  limits.connections = 8;
  limits.request_seconds = 3600;
  start(limits);
  std::vector<std::unique_ptr<HttpConnection>> idle;
  for (int i = 0; i < 100; ++i) {
    idle.push_back(std::make_unique<HttpConnection>(port_));
    if (i % 2 == 0) idle.back()->send("GET /slow HTTP/1.1\r\nX:");
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(ask(http_request("GET /a")).status, 200);
  EXPECT_EQ(idle.front()->reply().status, 0) << "the oldest is cut";
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2)) << "at once";
}

TEST_F(HttpServerTest, OnlyThoseWhoWereLetInMayStay) {
  start();
  const HttpConnection stranger(port_);
  stranger.send("GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const HttpReply reply = stranger.reply();
  EXPECT_EQ(reply.body, "yes");
  EXPECT_EQ(reply.headers.at("connection"), "close");
}

TEST_F(HttpServerTest, RefusesRequestsBeyondTheLimitOfConnections) {
  HttpLimits limits = kLimits;
  limits.connections = 2;
  start(limits);
  const HttpConnection first(port_);
  first.send(http_request("GET /wait"));
  wait_for_work(1);
  const HttpConnection idle(port_);
  idle.send("GET /at-once HTTP/1.1\r\nHost: localhost\r\n\r\n");
  wait_for_admitted(2);
  const HttpConnection third(port_);
  third.send(http_request("GET /wait"));
  EXPECT_EQ(idle.reply().body, "yes") << "and then cut";
  wait_for_work(2);
  EXPECT_EQ(ask(http_request("GET /a")).status, 503);
  echo_.is_open = true;
  EXPECT_EQ(first.reply().status, 200);
  EXPECT_EQ(third.reply().status, 200);
}

TEST_F(HttpServerTest, AClientThatLeavesDoesNoHarm) {
  start();
  for (int i = 0; i < 2; ++i) HttpConnection(port_).send(http_request("GET /wait"));
  // They may have left before a worker took what they asked.
  ASSERT_TRUE(wait_until([&] { return echo_.lines().size() == 2; }));
  echo_.is_open = true;
  EXPECT_EQ(ask(http_request("GET /a")).status, 200);
}

TEST_F(HttpServerTest, StopFinishesWhatIsUnderWay) {
  start();
  const HttpConnection waiting(port_);
  waiting.send(http_request("GET /wait"));
  wait_for_work(1);
  std::jthread opener([&] {
    EXPECT_TRUE(wait_until([&] { return is_refused(); })) << "new clients are refused meanwhile";
    echo_.is_open = true;
  });
  EXPECT_TRUE(server_->stop(10));
  EXPECT_EQ(waiting.reply().status, 200);
}

TEST_F(HttpServerTest, StopCutsTheTimeOfWork) {
  HttpLimits limits = kLimits;
  limits.request_seconds = 3600;
  start(limits);
  const HttpConnection limited(port_);
  limited.send(http_request("GET /limited"));
  wait_for_work(1);
  EXPECT_TRUE(server_->stop(0));
  EXPECT_EQ(limited.reply().status, 504);
}

TEST_F(HttpServerTest, StopDoesNotWaitForWorkThatDoesNotEnd) {
  start();
  const HttpConnection stuck(port_);
  stuck.send(http_request("GET /wait"));
  wait_for_work(1);
  EXPECT_FALSE(server_->stop(0));
  echo_.is_open = true;
}

}  // namespace
}  // namespace lookalike
