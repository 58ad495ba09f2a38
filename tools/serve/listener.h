#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/files.h"

namespace lookalike {

// A listening socket.
class Listener {
 public:
  //   listen  "ADDRESS:PORT", "[ADDRESS]:PORT", "localhost:PORT", port 0 for any free one, or
  //           "unix:/PATH", which the owner and the group may use, and which replaces a socket that
  //           nobody listens on
  // Throws Error(kUsage).
  explicit Listener(const std::string& listen);
  // Returns the socket that systemd handed over (sd_listen_fds(3)), if any. Throws Error(kUsage)
  // for more than one.
  static std::optional<Listener> from_systemd();
  ~Listener();  // as close()
  Listener(Listener&&) noexcept = default;

  // Stops listening through this descriptor, and removes the file of a Unix socket that it made.
  void close();

  bool is_local() const { return address_.empty(); }  // a Unix socket
  bool is_loopback() const;
  bool is_any() const;  // listens on all addresses of this machine
  // "http://127.0.0.1:8765", with localhost for all addresses, or "unix:/PATH".
  const std::string& url() const { return url_; }
  const std::string& address() const { return address_; }  // "127.0.0.1"; empty if local
  // Returns the addresses at which other machines of the network reach it, "192.168.1.7" or
  // "[2001:db8::7]": its own or, if it listens on all, those of the interfaces that are up now.
  std::vector<std::string> outer_addresses() const;
  const std::string& port() const { return port_; }  // empty if local
  // Returns another descriptor of the socket, which the caller closes. Throws Error(kInternal).
  int duplicate() const;

 private:
  explicit Listener(FileDescriptor socket);
  void describe();

  FileDescriptor socket_;
  std::string address_;
  std::string port_;
  std::string url_;
  std::string made_;  // the file of a Unix socket that this made
};

}  // namespace lookalike
