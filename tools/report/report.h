#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "config/options.h"
#include "stages/match/match.h"
#include "tools/report/page.h"

namespace lookalike {

// An image or object that was found in a photo.
struct ReportFinding {
  std::string image;                     // absolute path of its picture, or its name in an index
  std::string name{};                    // shown instead of its file's name
  std::vector<std::string> paths{};      // its files, as text
  std::vector<std::string> others{};     // further images in its place, as text
  Facts facts{};                         // "inliers", "42"
  std::optional<Quad> quad{};            // its place in the photo, if known
  std::vector<Quad> differences{};       // places of the photo in which the two differ
  std::vector<PointPair> pairs{};        // features that agree: px of the image, of the photo
  std::vector<PointPair> other_pairs{};  // features that are alike, but do not agree
};

// A step on the way to an answer.
struct ReportStep {
  std::string name;
  bool passed = false;
  std::string reason;
  Facts facts{};
};

// A photo and what was found in it.
struct ReportEntry {
  std::string photo;      // the path of its picture
  std::string name{};     // shown instead of its path
  std::string verdict{};  // "2 found"
  bool found = false;     // highlights the verdict
  std::vector<ReportFinding> findings{};
  std::vector<ReportStep> steps{};  // listed below the pictures
  std::string problem{};            // why the photo could not be looked up; empty if it was
};

struct Report {
  std::string title;
  Facts facts;  // "index", "photos.db"
  std::vector<ReportEntry> entries;
};

// Returns a self-contained HTML page with embedded pictures. Photos are read from their paths
// within the limits; for unreadable ones the page gives the reason.
std::string render_report(const Report& report, const ImagesOptions& limits);

}  // namespace lookalike
