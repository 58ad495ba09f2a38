#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pipeline/homography.h"
#include "stages/match/match.h"
#include "tools/report/page.h"

namespace lookalike {

// A thing that was found in a photo.
struct ReportFinding {
  std::string image;                           // the thing's own picture: a path
  Facts facts;                                 // "inliers", "42"
  Quad quad{};                                 // where it is in the photo
  std::vector<std::pair<Point, Point>> pairs;  // features that agree: px of image, of photo
};

// A photo and what was found in it.
struct ReportEntry {
  std::string photo;  // a path
  std::vector<ReportFinding> findings;
  std::string problem;  // why the photo could not be looked up; empty when it could
};

struct Report {
  std::string title;
  Facts facts;  // "index", "photos.db"
  std::vector<ReportEntry> entries;
};

// One HTML page that needs nothing else: pictures are embedded, there are no scripts. Photos are
// read from their paths; one that cannot be read is said to be missing, and the rest is shown.
std::string render_report(const Report& report);

// Writes the page to a file, replacing it. Throws Error(kStorage).
void write_report(const Report& report, const std::string& file);

}  // namespace lookalike
