#include "stages/decode/descriptor_socket.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>

namespace lookalike {
namespace {

// Room for one descriptor.
struct Attachment {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> bytes{};
};

}  // namespace

bool send_packet(int socket, const void* packet, std::size_t bytes, int descriptor) {
  iovec content{.iov_base = const_cast<void*>(packet), .iov_len = bytes};
  Attachment attachment;
  msghdr message{};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = attachment.bytes.data();
    message.msg_controllen = attachment.bytes.size();
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &descriptor, sizeof(int));
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(bytes);
}

bool receive_packet(int socket, void* packet, std::size_t bytes, FileDescriptor& attached) {
  iovec content{.iov_base = packet, .iov_len = bytes};
  Attachment attachment;
  msghdr message{};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = attachment.bytes.data();
  message.msg_controllen = attachment.bytes.size();
  ssize_t received = 0;
  do {
    received = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (received < 0 && errno == EINTR);
  const cmsghdr* const head = received >= 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (head != nullptr && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
      head->cmsg_len == CMSG_LEN(sizeof(int))) {
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(head), sizeof(int));
    attached = FileDescriptor(descriptor);
  }
  return received == static_cast<ssize_t>(bytes) && (message.msg_flags & MSG_TRUNC) == 0;
}

}  // namespace lookalike
