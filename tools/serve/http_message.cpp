#include "tools/serve/http_message.h"

#include <algorithm>
#include <ctime>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/parse_number.h"
#include "base/text.h"

namespace lookalike {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::size_t kMaxLengthDigits = 19;       // fit in 64 bits
constexpr std::size_t kMaxChunkLineBytes = 1024;   // with the extensions
constexpr std::size_t kMaxTrailerBytes = 4 << 10;  // of all lines

[[noreturn]] void fail(const std::string& what) {
  throw HttpFault(HttpRefusal::kMalformed, what);
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == '\x7F';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// True for a token of RFC 9110, 5.6.2.
bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    const char lower = lower_case(c);
    return is_digit(c) || (lower >= 'a' && lower <= 'z') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == text.npos ? std::string_view()
                            : text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = lower_case(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Decodes %XX, and a plus to a blank in parameters.
std::string decoded(std::string_view text, bool is_parameter) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += is_parameter && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
    if (low < 0) fail("the URL contains a % that two hexadecimal digits do not follow");
    if (high + low == 0) fail("the URL contains a NUL (%00)");
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return result;
}

void parse_parameters(std::string_view query, HttpRequest& request) {
  while (!query.empty()) {
    const std::string_view one = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), one.size() + 1));
    if (one.empty()) continue;
    if (request.parameters.size() == kMaxParameters) {
      fail(fmt::format("the URL has more than {} parameters", kMaxParameters));
    }
    const std::size_t name_end = std::min(one.find('='), one.size());
    const std::string_view value = one.substr(std::min(name_end + 1, one.size()));
    request.parameters.emplace(decoded(one.substr(0, name_end), true), decoded(value, true));
  }
}

// Removes and returns the scheme and the host of a URL that is sent whole, as to a proxy. Returns
// the host alone, nothing for a path.
std::optional<std::string_view> cut_host(std::string_view& url) {
  const std::size_t host = url.find("://") + 3;
  const std::string scheme = in_lower_case(url.substr(0, host));
  if (scheme != "http://" && scheme != "https://") return std::nullopt;
  const std::size_t end = std::min(url.find_first_of("/?", host), url.size());
  const std::string_view name = url.substr(host, end - host);
  url.remove_prefix(end);
  return name;
}

// Returns the minor version: 0 or 1.
//   host  set for a URL that names it
int parse_request_line(std::string_view line, HttpRequest& request,
                       std::optional<std::string>& host) {
  const std::size_t method_end = line.find(' ');
  const std::size_t url_end = line.rfind(' ');
  const std::string_view method = line.substr(0, method_end);
  if (url_end == line.npos || url_end <= method_end + 1 || !is_token(method)) {
    fail("the request does not begin with a method, a URL and a version");
  }
  std::string_view url = line.substr(method_end + 1, url_end - method_end - 1);
  const std::string_view version = line.substr(url_end + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") fail("the version must be HTTP/1.1 or 1.0");
  if (url.find_first_of(" \t") != url.npos) fail("the URL contains a blank");
  host = cut_host(url);
  const std::size_t path_end = std::min(url.find('?'), url.size());
  request.method = method;
  request.path = host && path_end == 0 ? "/" : decoded(url.substr(0, path_end), false);
  parse_parameters(url.substr(std::min(path_end + 1, url.size())), request);
  return version.back() - '0';
}

void parse_header(std::string_view line, HttpRequest& request) {
  if (line.starts_with(' ') || line.starts_with('\t')) {
    fail("a header is continued on a second line");
  }
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  if (colon == line.npos || !is_token(name)) {
    fail("a header does not begin with a name and a colon, without a blank between them");
  }
  if (request.headers.size() == kMaxHeaders) {
    fail(fmt::format("more than {} headers", kMaxHeaders));
  }
  request.headers.emplace(in_lower_case(name), trimmed(line.substr(colon + 1)));
}

// Reads how the body is sent.
void parse_framing(int minor_version, RequestHead& head) {
  const HttpRequest& request = head.request;
  const std::size_t lengths = request.headers.count("content-length");
  const std::size_t codings = request.headers.count("transfer-encoding");
  if (lengths + codings > 1) fail("more than one Content-Length or Transfer-Encoding");
  if (codings == 1) {
    const std::string coding = in_lower_case(request.header("transfer-encoding"));
    if (coding != "chunked" || minor_version == 0) fail("Transfer-Encoding must be chunked");
    head.is_chunked = true;
  }
  if (lengths == 1) {
    const std::string_view text = request.header("content-length");
    if (text.empty() || text.size() > kMaxLengthDigits || !std::ranges::all_of(text, is_digit)) {
      fail(fmt::format("Content-Length must be a number of at most {} digits", kMaxLengthDigits));
    }
    head.body_bytes = parse_number<std::uint64_t>(text).value();
  }
}

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 507:
      return "Insufficient Storage";
    default:
      return "";  // RFC 9112 lets it be empty
  }
}

//   framing  a header that says how the body ends; empty: the connection closes, or there is none
std::string head_text(const HttpResponse& answer, const std::string& framing, bool keeps_alive) {
  std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nDate: {:%a, %d %b %Y %H:%M:%S} GMT\r\nContent-Type: {}\r\n", answer.status,
      reason_of(answer.status), fmt::gmtime(std::time(nullptr)), answer.content_type);
  if (!framing.empty()) text.append(framing).append(kLineEnd);
  for (const auto& [name, value] : answer.headers) {
    text.append(name).append(": ").append(value).append(kLineEnd);
  }
  if (!keeps_alive) text += "Connection: close\r\n";
  return text.append(kLineEnd);
}

}  // namespace

std::optional<std::size_t> head_size(std::string_view received, std::size_t checked) {
  const std::string_view head = received.substr(0, kMaxHeadBytes);
  for (std::size_t i = checked; i < head.size(); ++i) {
    const char before = i == 0 ? '\0' : head[i - 1];
    if ((head[i] == '\n') != (before == '\r')) fail("a line does not end with CR and LF");
    if (head[i] == '\n' && i >= 3 && head.substr(i - 3, 3) == "\r\n\r") return i + 1;
    if (is_control(head[i]) && kLineEnd.find(head[i]) == kLineEnd.npos && head[i] != '\t') {
      fail("the headers contain a control character");
    }
  }
  if (received.size() < kMaxHeadBytes) return std::nullopt;
  throw HttpFault(HttpRefusal::kHeadTooLarge,
                  fmt::format("the URL and the headers exceed {} bytes", kMaxHeadBytes));
}

RequestHead parse_head(std::string_view head) {
  RequestHead parsed;
  HttpRequest& request = parsed.request;
  int minor_version = 1;
  std::optional<std::string> host;
  bool is_first = true;
  while (!head.starts_with(kLineEnd)) {
    const std::string_view line = head.substr(0, head.find(kLineEnd));
    head.remove_prefix(line.size() + kLineEnd.size());
    if (is_first) {
      minor_version = parse_request_line(line, request, host);
    } else {
      parse_header(line, request);
    }
    is_first = false;
  }
  const std::size_t hosts = request.headers.count("host");
  if (hosts > 1 || (hosts == 0 && minor_version == 1)) fail("one header Host is needed");
  if (host) {  // it counts, whatever the header says (RFC 9112, 3.2.2)
    request.headers.erase("host");
    request.headers.emplace("host", *host);
  }
  parse_framing(minor_version, parsed);
  const std::string expected = in_lower_case(request.header("expect"));
  if (request.headers.contains("expect") && expected != "100-continue") {
    fail("Expect must be 100-continue");
  }
  parsed.takes_chunks = minor_version == 1;
  parsed.awaits_continue = !expected.empty() && minor_version == 1;
  bool closes = minor_version == 0;
  const auto [first, last] = request.headers.equal_range("connection");
  for (auto header = first; header != last; ++header) {
    for (const std::string_view option : split(header->second, ',')) {
      closes |= in_lower_case(trimmed(option)) == "close";
    }
  }
  parsed.keeps_alive = !closes;
  return parsed;
}

// Reads the line that ends a chunk, states the size of the next, or belongs to the trailer. False
// while it is incomplete.
bool ChunkedBody::read_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  if (line.size() > kMaxChunkLineBytes) fail("a chunk's extension or trailer is too long");
  if (end == rest.npos) return false;
  if (!line.ends_with('\r')) fail("a line of a chunk does not end with CR and LF");
  const std::string_view text = line.substr(0, end - 1);
  if (std::ranges::any_of(text, [](char c) { return is_control(c) && c != '\t'; })) {
    fail("a chunk's line contains a control character");
  }
  rest.remove_prefix(end + 1);
  if (state_ == State::kContentEnd) {
    if (!text.empty()) fail("a chunk is longer than its size");
    state_ = State::kSize;
  } else if (state_ == State::kTrailer) {
    trailer_bytes_ += text.size();
    if (trailer_bytes_ > kMaxTrailerBytes) fail("the trailer is too long");
    if (text.empty()) state_ = State::kEnd;
  } else {
    constexpr std::size_t kMaxDigits = 15;
    std::size_t digits = 0;
    left_ = 0;
    for (; digits < text.size() && hex_digit(text[digits]) >= 0; ++digits) {
      if (digits == kMaxDigits) fail("a chunk is too large");
      left_ = left_ * 16 + static_cast<std::uint64_t>(hex_digit(text[digits]));
    }
    const std::string_view extension = trimmed(text.substr(digits));
    if (digits == 0 || !(extension.empty() || extension.starts_with(';'))) {
      fail("a chunk does not begin with its size in hexadecimal digits");
    }
    state_ = left_ == 0 ? State::kTrailer : State::kContent;
  }
  return true;
}

bool ChunkedBody::read(std::string& received, const std::function<void(std::string_view)>& add) {
  std::string_view rest = received;
  while (state_ != State::kEnd && !rest.empty()) {
    if (state_ != State::kContent) {
      if (!read_line(rest)) break;
      continue;
    }
    const std::string_view content = rest.substr(0, left_);
    add(content);
    rest.remove_prefix(content.size());
    left_ -= content.size();
    if (left_ == 0) state_ = State::kContentEnd;
  }
  received.erase(0, received.size() - rest.size());
  return state_ == State::kEnd;
}

std::string answer_text(const HttpResponse& answer, bool keeps_alive, bool has_body) {
  constexpr int kNotModified =
      304;  // has no body, and the length would be that of the whole answer
  const std::string length = answer.status == kNotModified
                                 ? std::string()
                                 : fmt::format("Content-Length: {}", answer.body.size());
  std::string text = head_text(answer, length, keeps_alive);
  if (has_body) text += answer.body;
  return text;
}

std::string stream_head(const HttpResponse& answer, bool keeps_alive, bool in_chunks) {
  return head_text(answer, in_chunks ? "Transfer-Encoding: chunked" : "", keeps_alive);
}

std::string chunk_text(std::string_view part) {
  return fmt::format("{:x}\r\n{}\r\n", part.size(), part);
}

}  // namespace lookalike
