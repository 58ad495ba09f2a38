#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/artefacts.h"
#include "storage/index_reader.h"

namespace lookalike {

// A file that the suite does not vary, and why: a sentence.
struct LeftOut {
  std::string path;
  std::string why;
};

// The photos that the suite varies.
struct Selection {
  std::vector<StoredImage> photos;  // by path
  std::vector<LeftOut> left_out;
};

// At most `count` images of the index, chosen by sample_rank(content, seed); those of `files` alone
// when they are given, files with the same content once. Images that have no features in the index
// cannot be found whatever is asked, and files that the index does not hold are no question to it:
// both are left out.
// Throws Error(kInput) when nothing remains.
Selection select_photos(const IndexReader& index,
                        const std::optional<std::span<const SourceFile>>& files, std::size_t count,
                        std::uint64_t seed);

}  // namespace lookalike
