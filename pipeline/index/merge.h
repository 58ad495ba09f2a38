#pragma once

#include <filesystem>
#include <vector>

#include "base/progress.h"
#include "config/options.h"
#include "storage/index_writer.h"

namespace lookalike {

// Checks that indexes can be merged into `target`, which need not exist. Throws Error(kUsage) when
// one of them is the target, or when settings or codebooks differ, the target's included;
// Error(kInput) for a file that is missing, no index, or an index without a codebook;
// Error(kStorage) for an index that another process is writing, an older one or a damaged one.
void check_mergeable(const std::vector<std::filesystem::path>& sources,
                     const std::filesystem::path& target);

// Adds to an index whatever another of the same codebook and settings holds: images, their files,
// quarantine and roots. Content that both have is stored once, with the files of both; a file that
// one has indexed leaves the quarantine of the other; a root that both know stays as the target
// knows it. The content hash is then that of an index of the images of both. Throws Error(kInput),
// before anything is written, for a file whose content differs between the two; otherwise as
// StoreQueue. What was published before an error stays, and merging again completes it.
void merge_index(IndexWriter& target, const IndexReader& source, const StoreOptions& options,
                 Progress::Style style);

}  // namespace lookalike
