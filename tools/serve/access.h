#pragma once

#include <string>
#include <string_view>
#include <vector>

// Who may use the API: pure functions of a request's headers.
namespace lookalike {

struct AccessRules {
  std::string token;               // empty: none is needed
  std::vector<std::string> hosts;  // names in lower case, besides localhost and loopback addresses
};

enum class Access { kAllowed, kUnknownHost, kForeignOrigin, kNoToken };

// Whether the texts are equal, in a time that depends on their lengths alone.
bool equal_in_constant_time(std::string_view one, std::string_view other);

// The name of a Host header, "name", "name:port" or "[address]:port", in lower case. Empty where it
// is not one.
std::string host_name(std::string_view header);

// Checks the name first: a page whose name was made to lead here (DNS rebinding) must learn
// nothing. An Origin is that of the page that sends the request; programs send none, and others
// than this server's own page are refused.
Access check_host(const AccessRules& rules, std::string_view host, std::string_view origin);
// The same, and the token: "Bearer TOKEN" in the header Authorization.
Access check_access(const AccessRules& rules, std::string_view host, std::string_view origin,
                    std::string_view authorization);

// The token in a file: its only line. Throws Error(kUsage) for a file that cannot be read, that
// everybody can read, or whose token is shorter than 16 characters or has others than visible
// ASCII.
std::string read_token(const std::string& file);

// 128 random bits in hexadecimal.
std::string random_token();

}  // namespace lookalike
