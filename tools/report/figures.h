#pragma once

#include <cstddef>
#include <string>

#include "tools/report/picture.h"
#include "tools/report/report.h"

// The report's drawings, as SVG that lies over the embedded photos: sharp at every size.
namespace lookalike {

// The colour of finding number `index`, from 0: neighbours are easily told apart.
std::string finding_colour(std::size_t index);

// The photo with each finding outlined and numbered from 1; `id` names the picture for
// pairs_figure. Outlines that leave the photo are shown around it.
std::string photo_figure(const std::string& id, const Picture& photo, const ReportEntry& entry);

// A finding's own picture with the features that agree.
std::string object_figure(const std::string& id, const Picture& object,
                          const ReportFinding& finding, std::size_t index);

// Photo and object side by side, lines between the features that agree: kMostLines at most,
// spread evenly over the list. Uses the pictures of the two figures named.
inline constexpr std::size_t kMostLines = 80;
std::string pairs_figure(const std::string& photo_id, const Picture& photo,
                         const std::string& object_id, const Picture& object,
                         const ReportFinding& finding, std::size_t index);

}  // namespace lookalike
