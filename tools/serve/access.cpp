#include "tools/serve/access.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <sys/random.h>
#include <vector>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/files.h"
#include "base/parse_number.h"
#include "base/text.h"

namespace lookalike {
namespace {

constexpr std::size_t kMinCharacters = 16;

bool is_port(std::string_view text) {
  return text.size() <= 5 && parse_number<std::uint16_t>(text).has_value();
}

}  // namespace

bool equal_in_constant_time(std::string_view one, std::string_view other) {
  unsigned difference = one.size() == other.size() ? 0 : 1;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const char against = other.empty() ? '\0' : other[i % other.size()];
    difference |= static_cast<unsigned char>(one[i] ^ against);
  }
  return difference == 0;
}

std::string host_name(std::string_view header) {
  const std::size_t colon = header.starts_with('[') ? header.find("]:") : header.find(':');
  std::string_view name = header;
  if (colon != header.npos) {
    name = header.substr(0, colon + (header.starts_with('[') ? 1 : 0));
    if (!is_port(header.substr(name.size() + 1))) return {};
  }
  return in_lower_case(name);
}

Access check_host(const AccessRules& rules, std::string_view host, std::string_view origin) {
  const std::string name = host_name(host);
  const bool is_known = name == "localhost" || name == "127.0.0.1" || name == "[::1]" ||
                        std::ranges::find(rules.hosts, name) != rules.hosts.end();
  if (name.empty() || !is_known) return Access::kUnknownHost;
  if (origin.empty()) return Access::kAllowed;
  const bool is_own =
      origin == fmt::format("http://{}", host) || origin == fmt::format("https://{}", host);
  return is_own ? Access::kAllowed : Access::kForeignOrigin;
}

std::string_view sending_origin(std::string_view origin, std::string_view site,
                                std::string_view mode, bool is_page) {
  const bool is_own = site.empty() || site == "same-origin" || site == "none";
  const bool is_let = is_own || (is_page && mode == "navigate");
  return origin.empty() && !is_let ? "null" : origin;
}

Access check_access(const AccessRules& rules, std::string_view host, std::string_view origin,
                    std::string_view authorization) {
  const Access access = check_host(rules, host, origin);
  if (access != Access::kAllowed || rules.token.empty()) return access;
  constexpr std::string_view kScheme = "bearer ";  // in any case (RFC 9110)
  const std::string_view scheme = authorization.substr(0, kScheme.size());
  const bool is_right = std::ranges::equal(scheme, kScheme, {}, lower_case) &&
                        equal_in_constant_time(authorization.substr(scheme.size()), rules.token);
  return is_right ? Access::kAllowed : Access::kNoToken;
}

std::string read_token(const std::string& file) {
  const auto unusable = [&](const std::string& why) {
    return Error(ErrorKind::kUsage, fmt::format("serve.token_file: {}: {}", printable(file), why));
  };
  constexpr FileKind kToken{.most_bytes = 1U << 12U};
  const std::optional<std::string> text = read_file(file, kToken);
  if (!text) throw unusable("cannot be read: " + why_unread());
  std::error_code error;
  const auto rights = std::filesystem::status(file, error).permissions();
  using std::filesystem::perms;
  if ((rights & (perms::others_read | perms::others_write | perms::group_write)) != perms::none) {
    throw unusable("others can read or write it; run chmod o-rw,g-w on it");
  }
  const std::string token = text->substr(0, text->find_last_not_of("\r\n \t") + 1);
  const bool is_visible = std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7F'; });
  if (token.size() < kMinCharacters || !is_visible) {
    throw unusable(fmt::format("must hold one line of at least {} characters of visible ASCII",
                               kMinCharacters));
  }
  return token;
}

std::string random_token() {
  std::array<std::uint8_t, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error(ErrorKind::kInternal, "serve: the system provides no random numbers");
  }
  return to_hex(bytes);
}

}  // namespace lookalike
