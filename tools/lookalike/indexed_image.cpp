#include "tools/lookalike/indexed_image.h"

#include <charconv>

#include <fmt/format.h>

#include "base/error.h"
#include "base/path_set.h"

namespace lookalike {
namespace {

std::optional<ImageId> number_in(const std::string& name) {
  ImageId id = 0;
  const char* end = name.data() + name.size();
  const auto [stop, status] = std::from_chars(name.data(), end, id);
  if (status != std::errc() || stop != end) return std::nullopt;
  return id;
}

}  // namespace

std::optional<ImageId> find_image(const IndexReader& index, const std::string& name) {
  std::optional<ImageId> id;
  if (!name.empty()) id = index.find(normal_path(name));
  if (!id) id = index.find(name);
  if (!id) id = number_in(name);
  return id && index.image(*id) ? id : std::nullopt;
}

ImageId must_find(const IndexReader& index, const std::string& name) {
  const std::optional<ImageId> id = find_image(index, name);
  if (!id) throw Error(ErrorKind::kInput, fmt::format("{}: is not in the index", name));
  return *id;
}

}  // namespace lookalike
