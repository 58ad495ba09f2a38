#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/artefacts.h"
#include "base/files.h"
#include "pipeline/duplicates/pair.h"
#include "storage/byte_stream.h"
#include "storage/index_types.h"

namespace lookalike {

// An image in the state of PairSearch.
struct ComparedImage {
  // Forgets how it was compared.
  void compare_again() {
    compared = mirrored = false;
    representative.reset();
  }

  ContentHash content{};
  bool compared = false;  // with the representatives before it
  bool mirrored = false;  // its mirror image too
  // Number of its files when a run last reported it; 0: never.
  std::uint32_t reported_files = 0;
  // The image that it surely is a copy of, by number, which stands for it in all comparisons. Has
  // none itself.
  std::optional<std::uint32_t> representative{};
};

// The result of earlier runs of `lookalike duplicates`.
struct PairState {
  std::vector<ComparedImage> images;  // in the order of comparison
  std::vector<FoundPair> pairs;
};

// Returns the file with the state of an index: DATABASE.pairs.
std::filesystem::path pair_file(const std::filesystem::path& database);

// Returns a digest of what pairs depend on besides the images: the settings of the index, the
// options of `match` that decide what is verified, and how pictures are compared. Pairs found under
// another fingerprint are not used. The calibration is not part of it, though it decides which
// pairs are sure enough to keep.
ContentHash pair_fingerprint(const Settings& settings, const MatchOptions& match);

// Takes the right to replace the file of pairs until the descriptor is closed: an flock(2) on
// DATABASE.pairs.lock. Returns nothing while another process has it. A lock file that cannot be
// created or locked is not an error; save_pairs() fails if the folder cannot be written. Throws
// Error(kStorage) if DATABASE.pairs is a file that lookalike did not write.
std::optional<FileDescriptor> lock_pairs(const std::filesystem::path& database);

// storage/FORMATS.md describes the bytes. decode_pairs() throws Error(kInput) for bytes that are
// damaged or of another kind or version. For another fingerprint its state has no pairs and no
// image counts as compared.
Bytes encode_pairs(const PairState& state, const ContentHash& fingerprint);
PairState decode_pairs(ByteView bytes, const ContentHash& fingerprint);

// Returns an empty state if there is no file, and, with a warning, if the file cannot be used: the
// state can be computed again.
PairState load_pairs(const std::filesystem::path& database, const ContentHash& fingerprint);
// Replaces the file atomically. Throws Error(kStorage).
void save_pairs(const std::filesystem::path& database, const PairState& state,
                const ContentHash& fingerprint);

}  // namespace lookalike
