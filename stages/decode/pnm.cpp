#include "stages/decode/pnm.h"

namespace lookalike {

bool is_pnm(ByteSpan file) {
  return file.size() > 2 && file[0] == 'P' && file[1] >= '1' && file[1] <= '6' &&
         (file[2] <= ' ' || file[2] == '#');
}

void skip_pnm_space(ByteSpan file, std::size_t& at) {
  bool is_comment = false;
  for (; at < file.size(); ++at) {
    if (file[at] == '#') is_comment = true;
    if (!is_comment && file[at] > ' ') return;
    if (file[at] == '\n' || file[at] == '\r') is_comment = false;
  }
}

std::optional<std::uint64_t> read_pnm_number(ByteSpan file, std::size_t& at) {
  constexpr std::uint64_t kMost = 1'000'000'000;
  const std::size_t start = at;
  std::uint64_t value = 0;
  for (; at < file.size() && file[at] >= '0' && file[at] <= '9' && value < kMost; ++at) {
    value = 10 * value + (file[at] - std::uint64_t{'0'});
  }
  return at == start ? std::nullopt : std::optional(value);
}

std::optional<PnmHeader> read_pnm_header(ByteSpan file) {
  constexpr std::uint64_t kMostMaximum = 65535;
  if (!is_pnm(file)) return std::nullopt;
  PnmHeader header{.kind = file[1] - '0'};
  std::size_t at = 2;
  const auto next = [&] {
    skip_pnm_space(file, at);
    return read_pnm_number(file, at).value_or(0);
  };
  header.width = next();
  header.height = next();
  if (!header.is_bitmap()) header.maximum = next();
  if (header.width == 0 || header.height == 0 || header.maximum == 0 ||
      header.maximum > kMostMaximum) {
    return std::nullopt;
  }
  // One character separates the header from bytes, or a comment with its end.
  if (at < file.size() && file[at] == '#') {
    while (at < file.size() && file[at] != '\n' && file[at] != '\r') ++at;
  }
  header.pixels = at + 1;
  return header;
}

}  // namespace lookalike
