#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "storage/index_reader.h"
#include "tools/serve/http_server.h"
#include "tools/serve/response.h"

// Reads what a request asks for. Functions throw Refused, status 400, for a wrong or missing
// parameter.
namespace lookalike {

// Requires each parameter to be known and given once.
void check_parameters(const HttpRequest& request, std::initializer_list<std::string_view> known);

// Returns the value of a parameter; nothing if it is missing.
std::optional<std::string> parameter(const HttpRequest& request, const std::string& name);

// Returns the value of a parameter that must be given.
std::string required(const HttpRequest& request, const std::string& name);

// Returns the body as JSON; a discarded value if it is none, is long, or exceeds the limits of
// parse_json().
Json json_body(const HttpRequest& request);

// Returns the integer from lowest to highest in a parameter; `otherwise` if it is missing.
std::uint64_t number(const HttpRequest& request, const std::string& name, std::uint64_t otherwise,
                     std::uint64_t lowest, std::uint64_t highest);

// Returns the number of an image, a parameter that must be given; the index need not have the
// image.
std::uint64_t image_number(const HttpRequest& request, const std::string& name);

// Returns the image of a number, or of a path "/v1/images/7...". Throws Refused, status 404, if the
// index has no such image.
StoredImage must_find(const IndexReader& index, std::uint64_t number);
StoredImage image_of_path(const IndexReader& index, const HttpRequest& request);

// The part of a list that a request asks for: at most `limit` entries after `after`.
struct Slice {
  Slice(const HttpRequest& request, std::uint64_t default_limit, std::uint64_t max_limit);

  std::uint64_t after;
  std::uint64_t limit;
};

// Runs work(). Its usage and input errors are the request's fault: the client sees them.
template <typename Work>
auto checked(const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage && error.kind() != ErrorKind::kInput) throw;
    throw Refused(400, error.kind(), "parameter", error.what());
  }
}

}  // namespace lookalike
