#pragma once

#include <string>
#include <string_view>
#include <vector>

// Decides who may use the API, by pure functions of a request's headers.
namespace lookalike {

struct AccessRules {
  std::string token;               // empty: none needed
  std::vector<std::string> hosts;  // names in lower case, besides localhost and loopback addresses
};

enum class Access { kAllowed, kUnknownHost, kForeignOrigin, kNoToken };

// True if the texts are equal. The time depends on their lengths alone.
bool equal_in_constant_time(std::string_view one, std::string_view other);

// Returns the name in a Host header, "name", "name:port" or "[address]:port", in lower case; empty
// for anything else.
std::string host_name(std::string_view header);

// Checks the host's name, then the origin. A page whose name was made to resolve to this server
// (DNS rebinding) must learn nothing. Browsers send the Origin of the page that makes a request;
// only this server's own page is allowed. Programs send none.
Access check_host(const AccessRules& rules, std::string_view host, std::string_view origin);
// Returns the origin to check for a request. Browsers send no Origin when a page only reads, but
// say in Sec-Fetch-Site whether the page is of this server: "null", the origin of nobody's page, if
// not. Any page may lead to the one of this server.
//   mode     Sec-Fetch-Mode
//   is_page  the request is for this server's page
std::string_view sending_origin(std::string_view origin, std::string_view site,
                                std::string_view mode, bool is_page);
// Checks the same, then the token: "Bearer TOKEN" in the header Authorization.
Access check_access(const AccessRules& rules, std::string_view host, std::string_view origin,
                    std::string_view authorization);

// Reads the token in a file: its only line. Throws Error(kUsage) for a file that cannot be read or
// that everybody can read, and for a token of fewer than 16 characters or of anything but visible
// ASCII.
std::string read_token(const std::string& file);

// Returns 128 random bits in hexadecimal.
std::string random_token();

}  // namespace lookalike
