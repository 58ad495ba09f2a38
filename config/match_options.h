#pragma once

#include <cstdint>
#include <string>

namespace lookalike {

// [match]: what of an index a photo shows.
struct MatchOptions {
  std::uint32_t top = 10;                // 1..1000: matches reported per query
  std::string report = "similar";        // the weakest decision reported, see Decision
  std::uint32_t shortlist = 0;           // 0: "auto", else 1..100000 images verified by geometry
  std::uint32_t words_per_feature = 3;   // 1..8, of the query
  std::uint32_t hamming_threshold = 24;  // 0..64 bits: signatures further apart do not match
  std::uint32_t expansion_hits = 0;      // 0..10: sure matches whose features are asked for as well
  bool explain_once = true;              // a feature of the query shows one thing
  std::uint32_t min_inliers = 6;         // 4..1000: fewer are no pose
  double inlier_distance = 0.012;        // 0.0001..0.5 of the query's diagonal
  std::uint32_t locate_candidates = 5;   // 0..1000: matches compared by pixels at first
  double same_probability = 0.5;         // 0..1: from here on it is the same object
  double duplicate_correlation = 0.9;    // -1..1: from here on the same picture
  bool mirror = false;                   // mirrored copies are looked for as well
  std::uint32_t cache_mib = 256;         // 0..65536: of the index, kept between queries
  std::uint64_t seed = 1;

  bool operator==(const MatchOptions&) const = default;
};

}  // namespace lookalike
