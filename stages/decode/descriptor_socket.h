#pragma once

#include <cstddef>

#include "base/files.h"

namespace lookalike {

// Sends a packet and a descriptor, or none (-1). False on failure, also when the other end is
// closed.
bool send_packet(int socket, const void* packet, std::size_t bytes, int descriptor);

// Receives a packet and the descriptor attached to it, if there is one. False on failure, for a
// packet that does not have `bytes` bytes, and when the other end is closed.
bool receive_packet(int socket, void* packet, std::size_t bytes, FileDescriptor& attached);

}  // namespace lookalike
