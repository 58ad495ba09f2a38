#pragma once

#include <optional>
#include <string>
#include <vector>

#include "storage/index_reader.h"

// What people name of an index, by name, path or number.
namespace lookalike {

// Returns what the index calls something: the name itself if the index has it, as that of an image
// without a file, else its normal_path(). So "./name" always means a file or folder. Throws
// Error(kUsage) for an empty name.
std::string stored_name(const IndexReader& index, const std::string& name);

// Returns the image of that name; nothing if there is none.
std::optional<ImageId> find_name(const IndexReader& index, const std::string& name);

// Returns the same, or else the image with this number.
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

// Returns what goes with a name without a file, or with a file or folder; `path` is a
// stored_name(). A root goes alone, without roots below it; any other folder takes all roots below
// it along.
NamedRemoval removal_of(const std::string& path, const IndexReader& index);

}  // namespace lookalike
