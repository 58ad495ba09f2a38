#include "base/file_uri.h"

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "base/utf8.h"

namespace lookalike {
namespace {

constexpr std::string_view kScheme = "file://";

bool stands_for_itself(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~/").find(c) != std::string_view::npos;
}

std::string decoded(std::string_view uri) {
  std::string path;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] != '%') {
      path += uri[i];
      continue;
    }
    const std::string_view digits = uri.substr(i + 1, 2);
    std::uint8_t byte = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() < 2 || read.ptr != digits.data() + 2 || byte == 0) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}{}: % must be followed by two hexadecimal digits", kScheme, uri));
    }
    path += static_cast<char>(byte);
    i += 2;
  }
  return path;
}

}  // namespace

std::string text_of_path(const std::string& path) {
  if (is_utf8(path)) return path;
  std::string uri(kScheme);
  for (const char c : std::filesystem::absolute(path).string()) {
    uri += stands_for_itself(c) ? std::string(1, c)
                                : fmt::format("%{:02X}", static_cast<std::uint8_t>(c));
  }
  return uri;
}

std::string path_of_text(const std::string& text) {
  if (!text.starts_with(kScheme)) return text;
  std::string_view rest = std::string_view(text).substr(kScheme.size());
  if (rest.starts_with("localhost/")) rest.remove_prefix(std::string_view("localhost").size());
  if (!rest.starts_with('/')) {
    throw Error(ErrorKind::kUsage, text + ": names a host, and only files of this one can be read");
  }
  return decoded(rest);
}

}  // namespace lookalike
