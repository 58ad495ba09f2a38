#include "tools/lookalike/findings.h"

#include <fmt/format.h>

namespace lookalike {

ReportFinding finding_of(const Match& match) {
  ReportFinding finding{.image = match.image.paths.front(),
                        .facts = {{"decision", std::string(to_string(match.decision))},
                                  {"probability", fmt::format("{:.3f}", match.probability)},
                                  {"inliers", fmt::format("{}", match.evidence.inliers)}},
                        .quad = match.quad,
                        .pairs = match.inlier_pairs};
  if (match.evidence.correlation) {
    finding.facts.emplace_back("correlation", fmt::format("{:.3f}", *match.evidence.correlation));
  }
  if (match.moved_px) {
    finding.facts.emplace_back("corners moved", fmt::format("{:.2f} px", *match.moved_px));
  }
  if (match.mirrored) finding.facts.emplace_back("mirrored", "yes");
  return finding;
}

ReportFinding finding_of(const std::string& object, LocateMethod method, const Hit& hit) {
  ReportFinding finding{.image = object,
                        .facts = {{"found by", std::string(to_string(method))},
                                  {"angle", fmt::format("{:.1f}°", hit.angle_degrees)},
                                  {"scale", fmt::format("{:.3f}", hit.scale)},
                                  {"correlation", fmt::format("{:.3f}", hit.correlation)}},
                        .quad = hit.quad,
                        .pairs = {}};
  if (hit.inliers > 0) finding.facts.emplace_back("inliers", fmt::format("{}", hit.inliers));
  return finding;
}

}  // namespace lookalike
