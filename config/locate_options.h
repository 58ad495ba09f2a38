#pragma once

#include <cstdint>
#include <string>

namespace lookalike {

// [locate]: where a scene shows an object.
struct LocateOptions {
  std::string method = "auto";     // "auto": features, else correlation; "features"; "correlation"
  double min_turn_degrees = -180;  // -360..360, clockwise as seen
  double max_turn_degrees = 180;   // -360..360, not below min_turn_degrees
  double turn_step_degrees = 0;    // 0.001..90, of the coarsest search; 0: a pixel at the rim
  double min_scale = 0.7;          // 0.05..20, px of the scene per px of the object
  double max_scale = 1.4;          // 0.05..20, not below min_scale
  double scale_step = 0;           // 0.001..1, relative, of the coarsest search; 0: as turns
  double min_correlation = 0.8;    // 0..1: hits of correlation that are reported
  double margin = 0;               // 0.001..1, of candidates' scores; 0: by the object
  std::string polarity = "same";   // "same", "reversed", "either"
  double max_overlap = 0.3;        // 0..1, intersection over union of two hits
  std::uint32_t max_hits = 100;    // 1..10000

  bool operator==(const LocateOptions&) const = default;
};

}  // namespace lookalike
