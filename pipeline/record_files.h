#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/content_hash.h"
#include "storage/artefact_files.h"

namespace lookalike {

// Visits the records of several artefact files, in the order of the files.
template <typename Record, typename Visit>
void for_each_record(const std::vector<std::string>& files, Visit visit) {
  for (const std::string& file : files) {
    ArtefactReader<Record> reader(file);
    while (const std::optional<Record> record = reader.next()) visit(*record);
  }
}

using SumsByContent = std::unordered_map<ContentHash, PixelSums, ContentHasher>;

// The statistics of several files, by the images' content.
inline SumsByContent read_statistics(const std::vector<std::string>& files) {
  SumsByContent sums;
  for_each_record<ImageStatistics>(files, [&](const ImageStatistics& statistics) {
    sums[statistics.image.content] = statistics.sums;
  });
  return sums;
}

}  // namespace lookalike
