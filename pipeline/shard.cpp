#include "pipeline/shard.h"

#include <charconv>

#include "base/error.h"

namespace lookalike {

Shard parse_shard(const std::string& text) {
  Shard shard;
  const char* end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  if (index.ec == std::errc() && index.ptr != end && *index.ptr == '/') {
    const auto count = std::from_chars(index.ptr + 1, end, shard.count);
    if (count.ec == std::errc() && count.ptr == end && shard.index < shard.count) return shard;
  }
  throw Error(ErrorKind::kUsage,
              "--shard: must be I/N with I from 0 to N - 1, was \"" + text + "\"");
}

}  // namespace lookalike
