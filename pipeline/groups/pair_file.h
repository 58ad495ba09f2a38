#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/artefacts.h"
#include "base/files.h"
#include "pipeline/groups/pair.h"
#include "storage/byte_stream.h"
#include "storage/index_types.h"

namespace lookalike {

// An image whose pairs were looked for.
struct ComparedImage {
  ContentHash content{};
  bool compared = false;  // with all images before it
  bool mirrored = false;  // its mirror image as well
  // Files that it had when a run last reported it; 0: none has.
  std::uint32_t reported_files = 0;
};

// What earlier runs of `lookalike duplicates` found.
struct PairState {
  std::vector<ComparedImage> images;  // in the order of comparison
  std::vector<FoundPair> pairs;
};

// The file that keeps the state of an index: DATABASE.pairs.
std::filesystem::path pair_file(const std::filesystem::path& database);

// What pairs depend on besides the images: the settings of the index, and of `match` those that
// decide what is verified. Pairs found under another fingerprint are not used. The calibration is
// not part of it, though it decides which pairs are sure enough to be kept.
ContentHash pair_fingerprint(const Settings& settings, const MatchOptions& match);

// The right to replace the file of pairs, until the descriptor is closed: an flock(2) on
// DATABASE.pairs.lock. Nothing while another process has it. A lock file that cannot be made or
// locked is not an error; save_pairs() fails if the folder cannot be written.
std::optional<FileDescriptor> lock_pairs(const std::filesystem::path& database);

// storage/FORMATS.md has every byte. decode_pairs throws Error(kInput) for bytes that are damaged,
// of another kind or version. Without pairs, and with no image compared, for another fingerprint.
Bytes encode_pairs(const PairState& state, const ContentHash& fingerprint);
PairState decode_pairs(ByteView bytes, const ContentHash& fingerprint);

// An empty state when there is no file; so too, with a warning, when it cannot be used, since it
// can be made again.
PairState load_pairs(const std::filesystem::path& database, const ContentHash& fingerprint);
// The file appears whole. Throws Error(kStorage).
void save_pairs(const std::filesystem::path& database, const PairState& state,
                const ContentHash& fingerprint);

}  // namespace lookalike
