#include "tools/serve/http_message.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lookalike {
namespace {

RequestHead parsed(const std::string& line, const std::string& headers = "") {
  return parse_head(line + "\r\nHost: localhost\r\n" + headers + "\r\n");
}

TEST(HeadSize, EndsWithTheEmptyLine) {
  const std::string head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  for (std::size_t i = 0; i < head.size(); ++i) {
    EXPECT_EQ(head_size(head.substr(0, i)), std::nullopt) << i;
  }
  EXPECT_EQ(head_size(head + "GET"), head.size());
  EXPECT_EQ(head_size(head, head.size() - 1), head.size()) << "looks at new bytes alone";
}

TEST(HeadSize, RefusesWhatNeedsNoWaiting) {
  using namespace std::string_literals;
  for (const std::string& bytes :
       {"GET / HTTP/1.1\n"s, "GET / HTTP/1.1\rHost"s, "\x16\x03\x01"s, "GET /\0"s, "GET /\x7F"s}) {
    EXPECT_THROW(head_size(bytes), HttpFault) << bytes;
  }
  EXPECT_EQ(head_size(std::string(kMaxHeadBytes - 1, 'a')), std::nullopt);
  EXPECT_THROW(head_size(std::string(kMaxHeadBytes, 'a')), HttpFault);
}

TEST(ParseHead, DecodesTheUrl) {
  const HttpRequest request = parsed("GET /a%20b+c/%C3%A4?x=1%2C2&y=&z&x=a+b&& HTTP/1.1").request;
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.path, "/a b+c/\xC3\xA4");
  EXPECT_EQ(request.parameters, (std::multimap<std::string, std::string>{
                                    {"x", "1,2"}, {"x", "a b"}, {"y", ""}, {"z", ""}}));
}

TEST(ParseHead, TakesTheHostOfAWholeUrl) {
  const HttpRequest request = parsed("GET http://a:80/b%20c?x=1 HTTP/1.1").request;
  EXPECT_EQ(request.header("host"), "a:80") << "in place of the header";
  EXPECT_EQ(request.path, "/b c");
  EXPECT_EQ(request.parameters.count("x"), 1U);
  EXPECT_EQ(parsed("GET HTTPS://a?x=1 HTTP/1.1").request.path, "/");
  EXPECT_EQ(parsed("GET http://a HTTP/1.1").request.path, "/");
  EXPECT_EQ(parse_head("GET http://a/ HTTP/1.0\r\n\r\n").request.header("host"), "a");
  EXPECT_EQ(parsed("GET /http://a/ HTTP/1.1").request.header("host"), "localhost");
  EXPECT_EQ(parsed("GET /a?b=http://c/ HTTP/1.1").request.header("host"), "localhost");
}

TEST(ParseHead, TrimsValuesAndLowersNames) {
  const HttpRequest request = parsed("GET / HTTP/1.1", "X-A:\t a b \r\nX-B:\r\n").request;
  EXPECT_EQ(request.header("x-a"), "a b");
  EXPECT_EQ(request.headers.count("x-b"), 1U);
}

TEST(ParseHead, SaysHowTheBodyComes) {
  EXPECT_EQ(parsed("POST / HTTP/1.1", "Content-Length: 005\r\n").body_bytes, 5U);
  EXPECT_TRUE(parsed("POST / HTTP/1.1", "Transfer-Encoding: Chunked\r\n").is_chunked);
  EXPECT_TRUE(parsed("POST / HTTP/1.1", "Expect: 100-Continue\r\n").awaits_continue);
  EXPECT_TRUE(parsed("GET / HTTP/1.1").keeps_alive);
  EXPECT_FALSE(parsed("GET / HTTP/1.0").keeps_alive);
  EXPECT_FALSE(parsed("GET / HTTP/1.1", "Connection: x, Close\r\n").keeps_alive);
  EXPECT_EQ(parsed("GET / HTTP/1.1", "Content-Length: 0\r\n").body_bytes, 0U);
}

TEST(ParseHead, RefusesWhatIsNoRequest) {
  for (const char* line :
       {"GET", "GET /", "GET / HTTP/1.1 ", "GET  HTTP/1.1", "GET / HTTP/2.0", "GET / http/1.1",
        "G(T / HTTP/1.1", "GET /a b HTTP/1.1", " GET / HTTP/1.1", "GET /\t HTTP/1.1"}) {
    EXPECT_THROW(parsed(line), HttpFault) << line;
  }
  EXPECT_THROW(parse_head("GET / HTTP/1.1\r\n\r\n"), HttpFault) << "no Host";
  EXPECT_NO_THROW(parse_head("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_THROW(parsed("POST / HTTP/1.0", "Transfer-Encoding: chunked\r\n"), HttpFault);
}

TEST(ChunkedBody, IsReadWhateverItsPieces) {
  const std::string text =
      "3;name=\"value\"\r\nabc\r\n00A \r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nGET";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    ChunkedBody chunks;
    std::string received;
    std::string body;
    bool is_over = false;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      received += text.substr(at, piece);
      is_over = chunks.read(received, [&](std::string_view content) { body += content; });
    }
    EXPECT_TRUE(is_over);
    EXPECT_EQ(body, "abc0123456789");
    EXPECT_EQ(received, "GET") << "the next request";
  }
}

TEST(AnswerText, StatesItsLength) {
  const HttpResponse answer = {404, "text/plain", "none", {{"X-A", "b"}}};
  const std::string text = answer_text(answer, false, true);
  EXPECT_THAT(text, testing::StartsWith("HTTP/1.1 404 Not Found\r\nDate: "));
  EXPECT_THAT(text, testing::HasSubstr("\r\nContent-Length: 4\r\nX-A: b\r\nConnection: close\r\n"));
  EXPECT_THAT(text, testing::EndsWith("\r\n\r\nnone"));
  EXPECT_THAT(answer_text(answer, true, false), testing::EndsWith("X-A: b\r\n\r\n"));
}

}  // namespace
}  // namespace lookalike
