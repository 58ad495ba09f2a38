#include "tools/serve/http_server.h"

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/parse_number.h"
#include "tests/http_client.h"
#include "tests/wait_until.h"
#include "tools/serve/listener.h"

namespace lookalike {
namespace {

// Answers with the request. Requests of /wait and /long are held up until is_open, at most 60 s.
class Echo : public HttpHandler {
 public:
  std::optional<HttpResponse> admit(const HttpRequest& request) noexcept override {
    ++admitted;
    if (request.path == "/forbidden") return HttpResponse{403, "text/plain", "no"};
    if (request.path == "/at-once") return HttpResponse{200, "text/plain", "yes"};
    return std::nullopt;
  }
  bool takes_long(const HttpRequest& request) noexcept override { return request.path == "/long"; }
  HttpResponse answer(const HttpRequest& request) noexcept override {
    ++working;
    if (request.path == "/wait" || request.path == "/long") {
      wait_until([&] { return is_open.load(); });
    }
    std::string text = request.method + " " + request.path;
    for (const auto& [name, value] : request.parameters) text += " " + name + "=" + value;
    return {200, "text/plain", text + " " + std::to_string(request.body.size())};
  }
  HttpResponse refuse(HttpRefusal why) noexcept override {
    const int status = why == HttpRefusal::kMalformed || why == HttpRefusal::kNulInUrl ? 400
                       : why == HttpRefusal::kTooLarge                                 ? 413
                                                                                       : 503;
    return {status, "text/plain", ""};
  }

  std::atomic<int> admitted = 0;
  std::atomic<int> working = 0;
  std::atomic<bool> is_open = false;
};

class HttpServerTest : public testing::Test {
 protected:
  void start(HttpLimits limits = kLimits) {
    const Listener listener("127.0.0.1:0");
    const std::string url = listener.url();
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

TEST_F(HttpServerTest, RefusesWhatTwoProgramsMayReadDifferently) {
  start();
  for (const char* headers :
       {"Content-Length: 3\r\nTransfer-Encoding: chunked", "Content-Length: 3\r\nContent-Length: 4",
        "Content-Length: -1", "Content-Length: 3x", "Content-Length: 99999999999999999999"}) {
    const HttpReply reply = ask("POST /p HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                                std::string(headers) + "\r\n\r\nabc");
    EXPECT_TRUE(reply.status == 400 || reply.status == 413 || reply.status == 0)
        << headers << reply.status;
  }
  EXPECT_EQ(ask(http_request("GET /p", {}, "body")).status, 400);
  EXPECT_EQ(echo_.working, 0);
  EXPECT_EQ(ask(http_request("GET /a")).status, 200);
}

TEST_F(HttpServerTest, RefusesUrlsThatANulWouldCut) {
  start();
  for (const char* url : {"/a%00b", "/a?x=1%00z", "/a?x%00=1", "/at-once%00"}) {
    EXPECT_EQ(ask(http_request(std::string("GET ") + url)).status, 400) << url;
  }
  EXPECT_EQ(echo_.admitted, 0);
  // Two requests over one connection: each is checked.
  const HttpConnection connection(port_);
  connection.send("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n");
  connection.send(http_request("GET /b%00"));
  EXPECT_THAT(connection.reply().body, testing::HasSubstr("HTTP/1.1 400"));
  EXPECT_EQ(ask(http_request("GET /a?x=%2500")).body, "GET /a x=%00 0") << "no NUL";
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

TEST_F(HttpServerTest, ConnectionsBeyondTheLimitWait) {
  HttpLimits limits = kLimits;
  limits.connections = 2;
  start(limits);
  std::optional<HttpConnection> first(port_);
  first->send("GET");
  const HttpConnection second(port_);
  const HttpConnection third(port_);
  third.send(http_request("GET /a"));
  for (int requests = 1; requests <= 3; ++requests) {  // the server looks at all sockets meanwhile
    second.send("GET /at-once HTTP/1.1\r\nHost: localhost\r\n\r\n");
    wait_for_admitted(requests);
  }
  EXPECT_EQ(echo_.admitted, 3) << "of the second connection";
  first.reset();
  EXPECT_EQ(third.reply().status, 200);
}

TEST_F(HttpServerTest, AClientThatLeavesDoesNoHarm) {
  start();
  for (int i = 0; i < 2; ++i) HttpConnection(port_).send(http_request("GET /wait"));
  wait_for_work(2);
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
  server_->stop(10);
  EXPECT_EQ(waiting.reply().status, 200);
}

}  // namespace
}  // namespace lookalike
