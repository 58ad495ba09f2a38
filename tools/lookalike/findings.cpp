#include "tools/lookalike/findings.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace lookalike {
namespace {

bool is_found(const Match& match) {
  return match.decision >= Decision::kSameObject;
}

}  // namespace

std::string headline(const QueryResult& result) {
  const auto sure = std::ranges::count_if(result.matches, is_found);
  const auto parts = std::ranges::count(result.matches, Decision::kPart, &Match::decision);
  std::string text = sure > 0                 ? fmt::format("{} found", sure)
                     : parts > 0              ? fmt::format("{} by a part", parts)
                     : result.matches.empty() ? "nothing found"
                                              : "nothing sure found";
  if (result.found > result.matches.size()) {
    text += fmt::format(", {} of {} listed", result.matches.size(), result.found);
  }
  return text;
}

Facts facts_of(const Match& match) {
  Facts facts = {{"decision", std::string(to_string(match.decision))}};
  if (match.is_located()) {
    facts.emplace_back("probability", fmt::format("{:.3f}", match.probability));
    facts.emplace_back("inliers", fmt::format("{}", match.evidence.inliers));
  }
  if (match.evidence.correlation) {
    facts.emplace_back("correlation", fmt::format("{:.3f}", *match.evidence.correlation));
  }
  if (match.moved_px) {
    facts.emplace_back("corners moved", fmt::format("{:.2f} px", *match.moved_px));
  }
  if (match.mirrored) facts.emplace_back("mirrored", "yes");
  return facts;
}

std::string path_text(const Match& match, const std::string& path) {
  const bool gone = std::ranges::find(match.gone, path) != match.gone.end();
  return printable(path) + (gone ? "  (file is gone; run `lookalike index`)" : "");
}

ReportEntry entry_of(const std::string& photo, const QueryResult& result) {
  ReportEntry entry;
  entry.photo = photo;
  entry.verdict = headline(result);
  entry.found = std::ranges::any_of(result.matches, is_found);
  for (const Match& match : result.matches) {
    ReportFinding& finding = entry.findings.emplace_back();
    finding.image = path_of(match);
    finding.facts = facts_of(match);
    for (const std::string& path : match.image.paths)
      finding.paths.push_back(path_text(match, path));
    if (match.is_located()) finding.quad = match.quad;
    finding.pairs = match.inlier_pairs;
  }
  return entry;
}

ReportFinding finding_of(const std::string& object, LocateMethod method, const Hit& hit) {
  ReportFinding finding{.image = object,
                        .paths = {printable(object)},
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
