#include "tools/serve/listener.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/parse_number.h"
#include "base/text.h"

namespace lookalike {
namespace {

constexpr int kFirstFromSystemd = 3;
constexpr int kBacklog = 128;

Error wrong_address(const std::string& listen, const std::string& why) {
  return Error(ErrorKind::kUsage, fmt::format("serve.listen: {}: {}", printable(listen), why));
}

std::string reason() {
  return std::strerror(errno);
}

FileDescriptor listen_on(const std::string& listen, const sockaddr* address, socklen_t size) {
  FileDescriptor made(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  ::setsockopt(made.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const bool listens = made.is_open() && ::bind(made.number(), address, size) == 0 &&
                       ::listen(made.number(), kBacklog) == 0;
  if (!listens) throw wrong_address(listen, reason());
  return made;
}

// True if the file is a socket that nobody listens on.
bool is_left_behind(const sockaddr_un& address) {
  struct stat file {};
  if (::lstat(address.sun_path, &file) != 0 || !S_ISSOCK(file.st_mode)) return false;
  const FileDescriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto* const any = reinterpret_cast<const sockaddr*>(&address);
  return ::connect(probe.number(), any, sizeof address) != 0 && errno == ECONNREFUSED;
}

FileDescriptor listen_on_file(const std::string& listen, const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (!path.starts_with('/') || path.size() >= sizeof address.sun_path) {
    throw wrong_address(listen,
                        fmt::format("must be unix: and an absolute path of at most {} bytes",
                                    sizeof address.sun_path - 1));
  }
  path.copy(address.sun_path, path.size());
  if (is_left_behind(address)) ::unlink(address.sun_path);
  const mode_t before = ::umask(0117);  // connecting requires write permission
  try {
    FileDescriptor made =
        listen_on(listen, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ::umask(before);
    return made;
  } catch (const Error&) {
    ::umask(before);
    throw;
  }
}

FileDescriptor listen_on_network(const std::string& listen) {
  const std::size_t colon = listen.rfind(':');
  std::string host = listen.substr(0, std::min(colon, listen.size()));
  const std::string port = colon == listen.npos ? "" : listen.substr(colon + 1);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  if (host == "localhost") host = "127.0.0.1";
  // getaddrinfo() keeps the last 16 bits of a larger number.
  if (!port.empty() && !parse_number<std::uint16_t>(port)) {
    throw wrong_address(listen, "the port must be a number from 0 to 65535");
  }
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (host.empty() || port.empty() ||
      ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) {
    throw wrong_address(listen, "must be ADDRESS:PORT, such as 127.0.0.1:8765, or unix:/PATH");
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  return listen_on(listen, found->ai_addr, found->ai_addrlen);
}

}  // namespace

Listener::Listener(FileDescriptor socket) : socket_(std::move(socket)) {
  describe();
}

Listener::Listener(const std::string& listen) {
  const std::string unix_prefix = "unix:";
  if (listen.starts_with(unix_prefix)) {
    const std::string path = listen.substr(unix_prefix.size());
    socket_ = listen_on_file(listen, path);
    made_ = path;
  } else {
    socket_ = listen_on_network(listen);
  }
  describe();
}

std::optional<Listener> Listener::from_systemd() {
  const char* const process = std::getenv("LISTEN_PID");
  const char* const count = std::getenv("LISTEN_FDS");
  if (process == nullptr || count == nullptr) return std::nullopt;
  if (parse_number<pid_t>(process) != ::getpid()) return std::nullopt;
  if (parse_number<int>(count) != 1) {
    throw Error(ErrorKind::kUsage, fmt::format("LISTEN_FDS: must be 1, was {}", printable(count)));
  }
  ::fcntl(kFirstFromSystemd, F_SETFD, FD_CLOEXEC);
  ::fcntl(kFirstFromSystemd, F_SETFL, ::fcntl(kFirstFromSystemd, F_GETFL) | O_NONBLOCK);
  return Listener(FileDescriptor(kFirstFromSystemd));
}

Listener::~Listener() {
  close();
}

void Listener::close() {
  if (socket_.is_open() && !made_.empty()) ::unlink(made_.c_str());
  socket_ = FileDescriptor();
}

void Listener::describe() {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  auto* const any = reinterpret_cast<sockaddr*>(&storage);
  if (::getsockname(socket_.number(), any, &size) != 0) {
    throw Error(ErrorKind::kUsage, fmt::format("serve: no socket was handed over: {}", reason()));
  }
  if (storage.ss_family == AF_UNIX) {
    url_ = fmt::format("unix:{}", made_.empty() ? "from systemd" : made_);
    return;
  }
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  if (::getnameinfo(any, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    throw Error(ErrorKind::kUsage, "serve: the socket has no address");
  }
  address_ = storage.ss_family == AF_INET6 ? fmt::format("[{}]", host) : host;
  port_ = port;
  url_ = fmt::format("http://{}:{}", is_any() ? "localhost" : address_, port_);
}

bool Listener::is_loopback() const {
  return address_.starts_with("127.") || address_ == "[::1]";
}

bool Listener::is_any() const {
  return address_ == "0.0.0.0" || address_ == "[::]";
}

std::vector<std::string> Listener::outer_addresses() const {
  if (is_local() || is_loopback()) return {};
  if (!is_any()) return {address_};
  std::vector<std::string> found;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return found;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(all, ::freeifaddrs);
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    const bool is_up = (each->ifa_flags & IFF_UP) != 0 && (each->ifa_flags & IFF_LOOPBACK) == 0;
    if (each->ifa_addr == nullptr || !is_up) continue;
    const int family = each->ifa_addr->sa_family;
    if (family != AF_INET && (family != AF_INET6 || address_ != "[::]")) continue;
    const socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    char host[NI_MAXHOST];
    if (::getnameinfo(each->ifa_addr, size, host, sizeof host, nullptr, 0, NI_NUMERICHOST) != 0) {
      continue;
    }
    const bool has_zone = std::strchr(host, '%') != nullptr;  // link-local: no browser takes it
    if (!has_zone) found.push_back(family == AF_INET6 ? fmt::format("[{}]", host) : host);
  }
  return found;
}

int Listener::duplicate() const {
  const int copy = ::fcntl(socket_.number(), F_DUPFD_CLOEXEC, 0);
  if (copy < 0) throw Error(ErrorKind::kInternal, fmt::format("serve: {}", reason()));
  return copy;
}

}  // namespace lookalike
