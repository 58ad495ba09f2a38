#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "config/options.h"
#include "stages/match/match.h"

namespace lookalike {

// Writes what a photo shows at each place where something sure was found, rectified to the shape of
// the best match there, as PNG files in a folder: "holiday-place-2.png".
class PlaceCutter {
 public:
  // Makes the folder. Throws Error(kUsage) if that is impossible.
  PlaceCutter(std::filesystem::path folder, const ImagesOptions& limits);

  // Writes the places of one photo.
  //   file  the photo, or a page of it; quads are in its full-size px
  // Returns false, with warnings, if the photo cannot be read again, or a name is taken by another
  // file, which is kept. Throws Error(kStorage).
  bool write(const std::string& file, const QueryResult& result);

 private:
  const std::filesystem::path folder_;
  const ImagesOptions& limits_;
  std::set<std::string> stems_;  // of the photos so far
};

}  // namespace lookalike
