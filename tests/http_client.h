#pragma once

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <map>
#include <netinet/in.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

#include "base/files.h"

namespace lookalike {

struct HttpReply {
  int status = 0;                                // 0: the connection was closed without an answer
  std::map<std::string, std::string> headers{};  // names in lower case
  std::string body{};
};

// A connection on which a test sends any bytes.
class HttpConnection {
 public:
  explicit HttpConnection(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connect(address);
  }
  explicit HttpConnection(const std::string& path)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    connect(address);
  }

  // False once the other side has closed it.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Closes the connection in this direction alone.
  void end_sending() const { ::shutdown(socket_.number(), SHUT_WR); }

  // Returns what comes until the other side closes. Throws std::runtime_error after five minutes
  // of silence.
  HttpReply reply() const {
    const timeval limit = {.tv_sec = 300, .tv_usec = 0};
    ::setsockopt(socket_.number(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    std::string text;
    char buffer[4096];
    ssize_t count = 0;
    while ((count = ::recv(socket_.number(), buffer, sizeof buffer, 0)) > 0) {
      text.append(buffer, static_cast<std::size_t>(count));
    }
    if (count < 0 && errno == EAGAIN) throw std::runtime_error("recv: no answer in time");
    return parsed(text);
  }

 private:
  template <typename Address>
  void connect(const Address& address) const {
    const auto* const any = reinterpret_cast<const sockaddr*>(&address);
    if (::connect(socket_.number(), any, sizeof address) != 0) {
      throw std::runtime_error(std::string("connect: ") + std::strerror(errno));
    }
  }

  static HttpReply parsed(const std::string& text) {
    HttpReply reply;
    const std::size_t head = text.find("\r\n\r\n");
    if (!text.starts_with("HTTP/1.1 ") || head == text.npos) return reply;
    reply.status = std::stoi(text.substr(9, 3));
    for (std::size_t at = text.find("\r\n"); at < head;) {
      const std::size_t end = text.find("\r\n", at + 2);
      const std::string line = text.substr(at + 2, end - at - 2);
      std::string name = line.substr(0, line.find(": "));
      std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
      reply.headers[name] = line.substr(std::min(line.size(), name.size() + 2));
      at = end;
    }
    reply.body = text.substr(head + 4);
    return reply;
  }

  FileDescriptor socket_;
};

// A request with Host and, if there is any, a body.
inline std::string http_request(const std::string& line,
                                const std::vector<std::string>& headers = {},
                                std::string_view body = {}) {
  std::string text = line + " HTTP/1.1\r\nConnection: close\r\n";
  const auto is_host = [](const std::string& header) { return header.starts_with("Host:"); };
  if (std::ranges::none_of(headers, is_host)) text += "Host: localhost\r\n";
  for (const std::string& header : headers) text.append(header).append("\r\n");
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text.append("\r\n").append(body);
}

}  // namespace lookalike
