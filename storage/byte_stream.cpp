#include "storage/byte_stream.h"

#include <limits>

namespace lookalike {

void ByteWriter::put_text(std::string_view text) {
  put_count(text.size());
  append(text.data(), text.size());
}

void ByteWriter::put_count(std::size_t count) {
  if (count > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorKind::kStorage, "too many entries for a record: " + std::to_string(count));
  }
  put<std::uint32_t>(static_cast<std::uint32_t>(count));
}

std::string ByteReader::get_text() {
  const auto size = get<std::uint32_t>();
  const auto* text = reinterpret_cast<const char*>(take(size));
  return {text, size};
}

void ByteReader::require_end() const {
  if (!rest_.empty()) fail("is longer than what it holds");
}

}  // namespace lookalike
