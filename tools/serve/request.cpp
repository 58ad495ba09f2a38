#include "tools/serve/request.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/parse_number.h"
#include "base/text.h"
#include "pipeline/json.h"

namespace lookalike {
namespace {

constexpr std::uint64_t kMaxImageId = std::numeric_limits<ImageId>::max();

Refused wrong_parameter(const std::string& message) {
  return {400, ErrorKind::kUsage, "parameter", message};
}

}  // namespace

void check_parameters(const HttpRequest& request, std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : request.parameters) {
    const bool is_known = std::ranges::find(known, name) != known.end();
    if (is_known && request.parameters.count(name) == 1) continue;
    throw wrong_parameter(fmt::format("{}: {}", printable(name),
                                      is_known ? "given more than once" : "unknown parameter"));
  }
}

std::optional<std::string> parameter(const HttpRequest& request, const std::string& name) {
  const auto found = request.parameters.find(name);
  return found == request.parameters.end() ? std::nullopt : std::optional(found->second);
}

Json json_body(const HttpRequest& request) {
  // Room for the moves of some 80,000 files.
  constexpr std::size_t kMostBytes = std::size_t{16} << 20U;
  constexpr std::size_t kMostValues = 250'000;
  if (request.body.size() > kMostBytes) return Json(Json::value_t::discarded);
  return parse_json<Json>(request.body, kMostValues);
}

std::string required(const HttpRequest& request, const std::string& name) {
  const std::optional<std::string> text = parameter(request, name);
  if (text) return *text;
  throw wrong_parameter(fmt::format("{}: missing", name));
}

std::uint64_t number(const HttpRequest& request, const std::string& name, std::uint64_t otherwise,
                     std::uint64_t lowest, std::uint64_t highest) {
  const std::optional<std::string> text = parameter(request, name);
  if (!text) return otherwise;
  const auto value = parse_number<std::uint64_t>(*text);
  if (value && *value >= lowest && *value <= highest) return *value;
  throw wrong_parameter(fmt::format("{}: must be an integer from {} to {}, was \"{}\"", name,
                                    lowest, highest, printable(*text)));
}

std::uint64_t image_number(const HttpRequest& request, const std::string& name) {
  required(request, name);
  return number(request, name, 0, 0, kMaxImageId);
}

StoredImage must_find(const IndexReader& index, std::uint64_t number) {
  std::optional<StoredImage> image;
  if (number <= kMaxImageId) image = index.image(static_cast<ImageId>(number));
  if (image) return *std::move(image);
  throw Refused(404, ErrorKind::kInput, "not_indexed", "the index has no such image");
}

StoredImage image_of_path(const IndexReader& index, const HttpRequest& request) {
  // Behind the folder of a proxy, if there is one.
  const std::size_t start = request.path.rfind("/v1/images/");
  const std::string_view path = std::string_view(request.path).substr(start);
  const auto number = parse_number<std::uint64_t>(split(path, '/').at(3));
  return must_find(index, number.value_or(std::numeric_limits<std::uint64_t>::max()));
}

Slice::Slice(const HttpRequest& request, std::uint64_t default_limit, std::uint64_t max_limit)
    : after(number(request, "after", 0, 0, kMaxImageId)),
      limit(number(request, "limit", default_limit, 1, max_limit)) {}

}  // namespace lookalike
