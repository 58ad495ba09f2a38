#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/options.h"
#include "pipeline/json.h"
#include "storage/output_file.h"
#include "tools/report/page.h"

namespace lookalike {

// A picture that a report shows.
struct ReportPicture {
  std::string key;   // by which report.js asks for it: for an image, its "id" in the answer
  std::string path;  // absolute, or the name of an image without a file
  int longest_side_px = 0;
  int jpeg_quality = 85;
};

// Longest side of the picture of an image that was found, px.
inline constexpr int kMatchSidePx = 640;

// Returns the picture of what was looked up under a name.
ReportPicture photo_picture(const std::string& name, const std::string& file);

// An answer as docs/schema/ describes it, or a group, and its pictures.
struct ReportItem {
  Json answer;
  std::vector<ReportPicture> pictures;
};

// Writes an HTML file that needs nothing else: items, which the modules of the page of lookalike
// serve draw (report/web/report.js). It is written item by item, so that memory holds the pictures
// of one alone.
class ReportWriter {
 public:
  // Reads pictures within the limits; for one that cannot be read, the report gives the reason. The
  // file must outlive the writer. Like add() and finish(), throws what OutputFile does.
  //   totals  of all groups, if the items are groups
  ReportWriter(OutputFile& file, std::string_view title, const Facts& facts,
               const ImagesOptions& limits, const Json& totals = {});
  void add(const ReportItem& item);
  void finish();

 private:
  void write_data(std::string_view kind, const Json& data);

  OutputFile& file_;
  const ImagesOptions limits_;
};

struct Report {
  std::string title;
  Facts facts;  // "index", "photos.db"
  std::vector<ReportItem> items;
};

// Writes a whole report. Throws what OutputFile does.
void write_report(OutputFile& file, const Report& report, const ImagesOptions& limits);

}  // namespace lookalike
