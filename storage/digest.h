#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/artefacts.h"
#include "storage/byte_stream.h"

struct XXH3_state_s;

namespace lookalike {

// XXH3-64 of the bytes. Method: Collet, xxHash, specification 0.2.
std::uint64_t checksum(ByteView bytes, std::uint64_t seed = 0);

// XXH3-128 of bytes that come in pieces.
class Digest {
 public:
  Digest();
  void add(ByteView bytes);
  // Of all that was added so far, most significant byte first, as xxhsum prints it.
  ContentHash value() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const noexcept;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

}  // namespace lookalike
