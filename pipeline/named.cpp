#include "pipeline/named.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/parse_number.h"
#include "base/path_set.h"
#include "base/text.h"

namespace lookalike {

std::string stored_name(const IndexReader& index, const std::string& name) {
  return index.find(name) ? name : normal_path(name);
}

std::optional<ImageId> find_name(const IndexReader& index, const std::string& name) {
  return name.empty() ? std::nullopt : index.find(stored_name(index, name));
}

std::optional<ImageId> find_image(const IndexReader& index, const std::string& name) {
  std::optional<ImageId> id = find_name(index, name);
  if (!id) id = parse_number<ImageId>(name);
  const std::optional<StoredImage> image = id ? index.image(*id) : std::nullopt;
  return image ? std::optional(image->id) : std::nullopt;
}

ContentHash content_named(const IndexReader& index, const std::string& name) {
  if (const auto id = find_image(index, name)) return index.image(*id).value().content;
  if (const auto content = content_from(name)) return *content;
  throw Error(ErrorKind::kInput, fmt::format("{}: is not in the index", printable(name)));
}

NamedRemoval removal_of(const std::string& path, const IndexReader& index) {
  NamedRemoval removal;
  if (!is_path(path)) return {{path}, {}};
  const std::vector<IndexRoot> known_roots = index.roots();
  const bool is_root =
      std::ranges::any_of(known_roots, [&](const IndexRoot& root) { return root.path == path; });
  PathSet remaining;
  for (const IndexRoot& root : known_roots) {
    if (is_root ? root.path == path : is_within(root.path, path)) {
      removal.roots.push_back(root.path);
    } else {
      remaining.insert(root.path);
    }
  }
  removal.files = index.known_paths(path);
  if (is_root) {
    std::erase_if(removal.files,
                  [&](const std::string& file) { return remaining.innermost(file) != nullptr; });
  }
  return removal;
}

}  // namespace lookalike
