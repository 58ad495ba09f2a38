#include "stages/match/colour_comparison.h"

#include "base/work_limits.h"
#include "stages/match/decide/decision.h"
#include "stages/match/refine/colour.h"
#include "stages/match/refine/compare_pictures.h"
#include "stages/match/refine/other_content.h"
#include "stages/match/refine/prints.h"

namespace lookalike {
namespace {

// Share of distinctive cells (prints.h) from which two whole pictures of one print are other
// contents. With fewer, one is an edited version of the other.
constexpr double kLeastContent = 0.1;

bool have_equal_pixels(const ColourImage& one, const ColourImage& other) {
  const auto are_equal = [](const GrayImage& a, const GrayImage& b) {
    return a.width == b.width && a.height == b.height && a.pixels == b.pixels;
  };
  return one.full_width == other.full_width && one.full_height == other.full_height &&
         are_equal(one.brightness, other.brightness) && are_equal(one.alpha, other.alpha) &&
         one.colours == other.colours;
}

}  // namespace

void ColourComparison::find_difference(Match& match) {
  if (!input_.has_colours() ||
      match.evidence.correlation.value_or(-1) < shared_.options.duplicate_correlation) {
    return;
  }
  if (input_.picture()->record.content == match.image.content) {
    match.evidence.difference = PictureDifference{};
    return;
  }
  check_time();
  const auto image = shared_.cache.colours(match.image, ColourSize::kFull);
  const ColourImage& photo = input_.colours(ColourSize::kFull);
  if (image->empty() || photo.empty()) return;
  if (match.evidence.identical && have_equal_pixels(*image, photo)) {
    match.evidence.difference = PictureDifference{};
    return;
  }
  match.evidence.difference = compare_pictures(*image, photo, match.pose.object_to_query);
}

void ColourComparison::find_content(Match& match) {
  const Evidence& evidence = match.evidence;
  if (!input_.has_colours() || evidence.difference || evidence.identical) return;
  if (has_other_content_in_print(evidence) && !is_own_content_unclear(evidence)) return;
  if (!shared_.is_sure(evidence)) return;
  check_time();
  if (!is_light(*shared_.cache.colours(match.image, ColourSize::kReduced))) return;
  const auto image = shared_.cache.colours(match.image, ColourSize::kFull);
  const ColourImage& photo = input_.colours(ColourSize::kFull);
  if (image->empty() || photo.empty()) return;
  match.evidence.other_content = find_other_content(*image, photo, match.pose.object_to_query);
  // The print agrees as a whole.
  if (!match.evidence.other_content.empty()) match.pose.part.reset();
}

// Returns the edges of an image to live images of its print; without any, those of the image that
// stands in for it.
std::vector<PrintEdge> ColourComparison::prints_of(ImageId image) const {
  std::vector<PrintEdge> edges = shared_.reader.prints(image);
  if (edges.empty()) {
    const std::vector<Neighbour> neighbours = shared_.reader.neighbours(image);
    if (neighbours.empty() || !neighbours.front().stands_in()) return {};
    edges = shared_.reader.prints(neighbours.front().image);
  }
  std::erase_if(edges, [&](const PrintEdge& edge) { return !shared_.shortlist.has(edge.image); });
  return edges;
}

void ColourComparison::compare_own_cells(Match& match) {
  Evidence& evidence = match.evidence;
  if (!input_.has_colours() || evidence.identical || !shared_.is_sure(evidence)) {
    return;
  }
  const std::vector<PrintEdge> edges = prints_of(match.image.id);
  const cv::Mat distinctive = distinctive_cells(edges);
  if (distinctive.empty()) return;
  // Two whole pictures that differ in little are versions of one.
  if (evidence.difference &&
      cv::countNonZero(distinctive) < kLeastContent * static_cast<double>(distinctive.total())) {
    return;
  }
  check_time();
  const auto image = shared_.cache.colours(match.image, ColourSize::kReduced);
  const ColourImage& photo = input_.colours(ColourSize::kReduced);
  if (image->empty() || photo.empty()) return;
  const PrintAgreement found =
      print_agreement(edges, distinctive, *image, photo, match.pose.object_to_query);
  evidence.own_agreement = found.own;
  evidence.shared_agreement = found.shared;
  evidence.is_page = found.is_light && is_page(image->brightness.view());
}

void ColourComparison::compare_colours(Match& match) {
  if (!input_.has_colours() || !match.has_pose()) return;
  check_time();
  const ColourImage& photo = input_.colours(ColourSize::kReduced);
  if (is_grey(photo)) return;
  const auto image = shared_.cache.colours(match.image, ColourSize::kReduced);
  if (is_grey(*image)) return;
  match.evidence.colour = colour_agreement(*image, photo, match.pose.object_to_query);
}

RivalComparison ColourComparison::rivals(const Match& first, const Match& second) {
  const auto [known, is_new] = rivals_.try_emplace({first.image.id, second.image.id});
  if (!is_new) return known->second;
  check_time();
  const auto one = shared_.cache.colours(first.image, ColourSize::kReduced);
  const auto two = shared_.cache.colours(second.image, ColourSize::kReduced);
  const ColourImage& photo = input_.colours(ColourSize::kReduced);
  if (!one->empty() && !two->empty() && !is_grey(photo)) {
    known->second = compare_rivals(photo, {*one, first.pose.object_to_query},
                                   {*two, second.pose.object_to_query});
  }
  return known->second;
}

}  // namespace lookalike
