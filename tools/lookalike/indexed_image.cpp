#include "tools/lookalike/indexed_image.h"

#include <charconv>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "pipeline/error.h"

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

ImageId must_find(const IndexReader& index, const std::string& name) {
  std::optional<ImageId> id =
      index.find(std::filesystem::absolute(name).lexically_normal().string());
  if (!id) id = index.find(name);
  if (!id) id = number_in(name);
  if (!id || !index.image(*id)) {
    throw Error(ErrorKind::kInput, fmt::format("{}: is not in the index", name));
  }
  return *id;
}

}  // namespace lookalike
