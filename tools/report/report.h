#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/geometry.h"
#include "config/options.h"
#include "stages/match/match.h"
#include "tools/report/page.h"

namespace lookalike {

// A thing that was found in a photo.
struct ReportFinding {
  std::string image;                 // the thing's own picture: a path
  std::vector<std::string> paths{};  // its files, as they are shown
  Facts facts{};                     // "inliers", "42"
  std::optional<Quad> quad{};        // where it is in the photo, where that is known
  std::vector<PointPair> pairs{};    // features that agree: px of the image, of the photo
};

// A photo and what was found in it.
struct ReportEntry {
  std::string photo;      // a path
  std::string verdict{};  // "2 found"
  bool found = false;     // whether that is good news
  std::vector<ReportFinding> findings{};
  std::string problem{};  // why the photo could not be looked up; empty when it could
};

struct Report {
  std::string title;
  Facts facts;  // "index", "photos.db"
  std::vector<ReportEntry> entries;
};

// One HTML page that needs nothing else: pictures are embedded, there are no scripts. Photos are
// read from their paths, as they are now, within the limits; where one cannot be read, the page
// says why and shows the rest.
std::string render_report(const Report& report, const ImagesOptions& limits);

}  // namespace lookalike
