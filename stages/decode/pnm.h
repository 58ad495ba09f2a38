#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "stages/decode/bytes.h"

// The header of Netpbm files: PBM, PGM and PPM, each as text and in bytes.
// Method: https://netpbm.sourceforge.net/doc/pnm.html
namespace lookalike {

// True if a file begins like one of these formats.
bool is_pnm(ByteSpan file);

struct PnmHeader {
  int kind = 0;               // the digit behind 'P': 1 to 3 for text, 4 to 6 for bytes
  std::uint64_t width = 0;    // px
  std::uint64_t height = 0;   // px
  std::uint64_t maximum = 1;  // the value of white; 1 to 65535
  std::size_t pixels = 0;     // place of the first sample

  bool is_text() const { return kind <= 3; }
  bool is_bitmap() const { return kind == 1 || kind == 4; }
  bool has_colour() const { return kind == 3 || kind == 6; }
};

// Moves `at` behind white space and comments, which reach to the end of their line.
void skip_pnm_space(ByteSpan file, std::size_t& at);

// Reads the digits at a place and moves behind them; nothing without a digit. Numbers end at a
// billion.
std::optional<std::uint64_t> read_pnm_number(ByteSpan file, std::size_t& at);

// Reads a header. Nothing for other formats, headers that are cut off, and values out of range.
std::optional<PnmHeader> read_pnm_header(ByteSpan file);

}  // namespace lookalike
