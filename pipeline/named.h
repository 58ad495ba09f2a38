#pragma once

#include <optional>
#include <string>
#include <vector>

#include "storage/index_reader.h"

// What people name of an index, by path or number.
namespace lookalike {

// Returns the image with the path of a file or page, in any form, or with this number; nothing if
// there is none. A path wins over a number.
std::optional<ImageId> find_image(const IndexReader& index, const std::string& name);

// Returns the content of such an image, or the content that the name is in hexadecimal. Throws
// Error(kInput) if it is neither.
ContentHash content_named(const IndexReader& index, const std::string& name);

// What the removal of a path takes from an index.
struct NamedRemoval {
  std::vector<std::string> files;  // indexed, or in quarantine
  std::vector<std::string> roots;

  bool empty() const { return files.empty() && roots.empty(); }
};

// Returns what goes with a file or folder, which has the form of normal_path(). A root goes alone,
// without roots below it; any other folder takes all roots below it along.
NamedRemoval removal_of(const std::string& path, const IndexReader& index);

}  // namespace lookalike
