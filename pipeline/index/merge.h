#pragma once

#include <filesystem>
#include <vector>

#include "base/progress.h"
#include "config/options.h"
#include "storage/index_writer.h"

namespace lookalike {

// Checks that indexes can be merged into `target`, which need not exist. Throws Error(kUsage) when
// a source is the target, or settings or codebooks differ, also from the target's; Error(kInput)
// for a file that is missing, no index, or an index without a codebook; Error(kStorage) for an
// index that is damaged or that another process is writing.
void check_mergeable(const std::vector<std::filesystem::path>& sources,
                     const std::filesystem::path& target);

// Adds the images, files, quarantine and roots of another index with the same codebook and
// settings. Content in both is stored once, with the files of both. A file indexed in one leaves
// the quarantine of the other. A root in both stays as in the target. The content hash becomes that
// of one index of all images. Throws Error(kInput), before writing, for a file whose content
// differs between the two, and as StoreQueue. Images published before an error stay; merging again
// completes them.
void merge_index(IndexWriter& target, const IndexReader& source, const StoreOptions& options,
                 Progress::Style style);

}  // namespace lookalike
