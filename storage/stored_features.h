#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "storage/blobs.h"
#include "storage/index_types.h"

namespace lookalike {

// Calls visit(list) for each posting list of a word.
using ForEachList =
    std::function<void(std::uint32_t word, const std::function<void(const EncodedPostings&)>&)>;
// Calls visit(i, list) for each posting list of words[i]; the words ascend.
using ForEachListOf =
    std::function<void(std::span<const std::uint32_t> words,
                       const std::function<void(std::size_t i, const EncodedPostings&)>& visit)>;

// Returns the signatures of each image's features, in the order of its record. Images ascend, and
// records[i] is that of images[i]. Reads each list of their words once. Throws Error(kStorage) if
// the lists lack a posting of a record.
std::vector<std::vector<std::uint64_t>> read_signatures(const ForEachList& for_each_list,
                                                        std::span<const ImageId> images,
                                                        std::span<const StoredFeatures> records);

// Joins the features of a record with their signatures.
std::vector<IndexedFeature> with_signatures(const StoredFeatures& features,
                                            std::span<const std::uint64_t> signatures);

}  // namespace lookalike
