#pragma once

#include <cstddef>
#include <string_view>

// UTF-8 as RFC 3629 has it: no stray or missing continuation bytes, no overlong forms, no
// surrogates, nothing above U+10FFFF.
namespace lookalike {

// A character and the bytes that it takes; length 0 where the text begins with none.
struct CodePoint {
  std::size_t length = 0;
  char32_t value = 0;
};

// The character that the text, which is not empty, begins with.
CodePoint first_code_point(std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace lookalike
