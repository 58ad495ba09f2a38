#include "tools/report/report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/path_set.h"
#include "tools/report/picture.h"

namespace lookalike {
namespace {

constexpr int kPhotoSidePx = 1280;
constexpr int kObjectSidePx = 640;
constexpr std::size_t kMaxPairsDrawn = 80;
constexpr const char* kOtherColour = "#98a2b3";  // for pairs that do not agree
// Width in px at which radii have their nominal size; they scale with the figure.
constexpr double kShownWidth = 720;

constexpr int kJpegQuality = 85;

// Figures are SVG drawings over the embedded photos, sharp at every size.

// The rectangle that a figure shows, in px of the photo.
struct Frame {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

std::string svg_start(const Frame& frame, std::string_view name) {
  return fmt::format(
      "<svg viewBox=\"{0:.1f} {1:.1f} {2:.1f} {3:.1f}\" width=\"{2:.0f}\" height=\"{3:.0f}\" "
      "role=\"img\" aria-label=\"{4}\" class=\"figure\">",
      frame.left, frame.top, frame.width(), frame.height(), name);
}

Frame frame_of(const Picture& picture) {
  return {0, 0, static_cast<double>(picture.width), static_cast<double>(picture.height)};
}

// Maps keypoint coordinates, where whole numbers are pixel centres, to those of the figure.
Point from_pixel_centre(Point point) {
  return {point.x + 0.5, point.y + 0.5};
}

bool has_outline(const ReportFinding& finding) {
  return finding.quad && std::ranges::all_of(*finding.quad, [](const Point& corner) {
           return std::isfinite(corner.x) && std::isfinite(corner.y);
         });
}

std::string dot(Point point, double radius, const std::string& colour) {
  return fmt::format("<circle class=\"dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\"/>",
                     point.x, point.y, radius, colour);
}

// Returns a frame around the photo and the outlines, which exceed it if the photo shows a part of
// an object. Limited to one photo size beyond each side, as a slanted pose can put a corner
// anywhere.
Frame frame_with_outlines(const Picture& photo, const ReportEntry& entry) {
  Frame frame = frame_of(photo);
  for (const ReportFinding& finding : entry.findings) {
    if (!has_outline(finding)) continue;
    for (const Point& corner : *finding.quad) {
      const double margin = 0.01 * photo.width;
      frame.left = std::min(frame.left, corner.x - margin);
      frame.top = std::min(frame.top, corner.y - margin);
      frame.right = std::max(frame.right, corner.x + margin);
      frame.bottom = std::max(frame.bottom, corner.y + margin);
    }
  }
  return {std::max(frame.left, -1.0 * photo.width), std::max(frame.top, -1.0 * photo.height),
          std::min(frame.right, 2.0 * photo.width), std::min(frame.bottom, 2.0 * photo.height)};
}

// Draws a numbered disc at the object's top-left corner, moved inside the frame.
std::string badge(const Quad& quad, const Frame& frame, std::size_t number,
                  const std::string& colour) {
  const double radius = 15 * frame.width() / kShownWidth;
  const auto inside = [&](double at, double low, double high) {
    return std::clamp(at, low + radius * 1.15, std::max(low, high - radius * 2.3) + radius * 1.15);
  };
  const double x = inside(quad[0].x, frame.left, frame.right);
  const double y = inside(quad[0].y, frame.top, frame.bottom);
  return fmt::format(
      "<circle class=\"badge\" cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"{2:.1f}\" fill=\"{3}\"/>"
      "<text class=\"number\" x=\"{0:.1f}\" y=\"{1:.1f}\" font-size=\"{4:.1f}\">{5}</text>",
      x, y, radius, colour, radius * 1.25, number);
}

std::string finding_colour(std::size_t index) {
  constexpr std::array<std::string_view, 8> kColours = {"#ff453a", "#30d158", "#0a84ff", "#ffd60a",
                                                        "#bf5af2", "#ff9f0a", "#5ac8fa", "#ff6fae"};
  return std::string(kColours[index % kColours.size()]);
}

// Draws the photo with each finding outlined and numbered from 1. `id` names the picture for
// pairs_figure().
std::string photo_figure(const std::string& id, const Picture& photo, const ReportEntry& entry) {
  const Frame frame = frame_with_outlines(photo, entry);
  std::string svg = svg_start(frame, "The photo, with what was found outlined");
  svg += embedded(id, photo);
  const double radius = 2.6 * frame.width() / kShownWidth;
  // Draws the best finding last, on top.
  for (std::size_t i = entry.findings.size(); i-- > 0;) {
    const ReportFinding& finding = entry.findings[i];
    if (!has_outline(finding)) continue;
    for (const auto& pair : finding.pairs) {
      svg += dot(from_pixel_centre(pair.scene), radius, finding_colour(i));
    }
    svg += polygon(*finding.quad, finding_colour(i));
    for (const Quad& place : finding.differences) svg += polygon(place, kDifferenceColour);
  }
  for (std::size_t i = entry.findings.size(); i-- > 0;) {
    const ReportFinding& finding = entry.findings[i];
    if (has_outline(finding)) svg += badge(*finding.quad, frame, i + 1, finding_colour(i));
  }
  return svg + "</svg>";
}

// Draws the found image with the features that agree.
std::string object_figure(const std::string& id, const Picture& object,
                          const ReportFinding& finding, std::size_t index) {
  std::string svg = svg_start(frame_of(object), "The image that was found");
  svg += embedded(id, object);
  // The page shows it at about a third of the photo's width.
  const double radius = 2.6 * 3 * object.width / kShownWidth;
  for (const auto& pair : finding.pairs) {
    svg += dot(from_pixel_centre(pair.object), radius, finding_colour(index));
  }
  return svg + "</svg>";
}

// Joins the places of pairs by lines; at most kMaxPairsDrawn, spread evenly over the list.
std::string joins(const std::vector<PointPair>& pairs, double object_scale, double photo_left,
                  double radius, const std::string& colour) {
  std::string svg;
  const std::size_t drawn = std::min(kMaxPairsDrawn, pairs.size());
  for (std::size_t i = 0; i < drawn; ++i) {
    const auto& pair = pairs[i * pairs.size() / drawn];
    const Point from = from_pixel_centre(pair.object);
    const Point to = from_pixel_centre(pair.scene);
    const Point a = {from.x * object_scale, from.y * object_scale};
    const Point b = {to.x + photo_left, to.y};
    svg += fmt::format(
        "<line class=\"join\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" "
        "stroke=\"{}\"/>",
        a.x, a.y, b.x, b.y, colour);
    svg += dot(a, radius, colour) + dot(b, radius, colour);
  }
  return svg;
}

// Draws photo and object side by side at the photo's height, with lines between the features that
// agree and, below them in grey, between the others. Reuses the pictures of the two other figures.
std::string pairs_figure(const std::string& photo_id, const Picture& photo,
                         const std::string& object_id, const Picture& object,
                         const ReportFinding& finding, std::size_t index) {
  const double scale = static_cast<double>(photo.height) / object.height;
  const double left = object.width * scale + 0.02 * photo.width;
  const double width = left + photo.width;
  const std::string colour = finding_colour(index);
  std::string svg = svg_start({0, 0, width, static_cast<double>(photo.height)},
                              "Features that agree, joined by lines");
  svg += fmt::format("<use href=\"#{}\" transform=\"scale({:.6f})\"/>", object_id, scale);
  svg += fmt::format("<use href=\"#{}\" x=\"{:.1f}\"/>", photo_id, left);
  const double radius = 2.6 * width / kShownWidth / 1.5;
  svg += joins(finding.other_pairs, scale, left, radius, kOtherColour);
  svg += joins(finding.pairs, scale, left, radius, colour);
  if (has_outline(finding) && !finding.other_pairs.empty()) {
    svg += polygon(moved(*finding.quad, translation(left, 0)), colour);
  }
  return svg + "</svg>";
}

std::string file_name(const std::string& path) {
  return escape_html(std::filesystem::path(path).filename().string());
}

std::string missing(const std::string& path, const SkippedFile& file) {
  return fmt::format("<p class=\"missing\">{} cannot be read now: {}: {}.</p>", file_name(path),
                     escape_html(file.reason), escape_html(file.detail));
}

const std::string& name_of(const ReportEntry& entry) {
  return entry.name.empty() ? entry.photo : entry.name;
}

// Returns the heading as HTML.
std::string heading_of(const ReportFinding& finding) {
  return finding.name.empty() ? file_name(finding.image) : escape_html(finding.name);
}

std::string verdict_badge(const ReportEntry& entry) {
  if (!entry.problem.empty()) return "<span class=\"verdict failed\">not looked up</span>";
  return fmt::format("<span class=\"verdict{}\">{}</span>", entry.found ? " found" : "",
                     escape_html(entry.verdict));
}

std::string path_list(const std::vector<std::string>& paths) {
  std::string html;
  for (const std::string& path : paths) {
    html += fmt::format("<div class=\"path\">{}</div>", path_html(path));
  }
  return html;
}

// Returns the other images of a place, folded.
std::string others_list(const ReportFinding& finding) {
  if (finding.others.empty()) return {};
  return fmt::format("<details><summary>{} more here</summary>{}</details>", finding.others.size(),
                     path_list(finding.others));
}

std::string object_card(const ReportFinding& finding,
                        const std::variant<Picture, SkippedFile>& loaded, const std::string& id,
                        std::size_t index) {
  const auto* picture = std::get_if<Picture>(&loaded);
  return fmt::format(
      "<div class=\"object\">{}<div class=\"object-name\"><span class=\"chip\" "
      "style=\"background:{}\">{}</span><div><h3>{}</h3>{}</div></div>"
      "{}{}</div>\n",
      picture != nullptr ? object_figure(id, *picture, finding, index)
                         : missing(finding.image, std::get<SkippedFile>(loaded)),
      finding_colour(index), index + 1, heading_of(finding), path_list(finding.paths),
      facts_list(finding.facts), others_list(finding));
}

std::string pairs_details(const ReportFinding& finding, const std::string& figure, bool open) {
  const std::size_t count = finding.pairs.size();
  const std::size_t others = finding.other_pairs.size();
  const auto drawn = [](std::size_t pairs) {
    return pairs > kMaxPairsDrawn ? fmt::format(", {} of them drawn", kMaxPairsDrawn)
                                  : std::string();
  };
  std::string text =
      fmt::format("{}: {} features agree{}", heading_of(finding), count, drawn(count));
  if (others > 0) {
    text += fmt::format("; {} more look alike, in grey{}", others, drawn(others));
  }
  return fmt::format("<details{}><summary>{}</summary>{}</details>\n", open ? " open" : "", text,
                     figure);
}

// Pictures of an entry in the overview, as HTML; empty for unreadable ones.
struct Overview {
  std::string photo{};
  std::string best{};
};

// Shows a picture of another figure small.
std::string overview_picture(const std::string& id, const Picture& picture) {
  return fmt::format(
      "<svg class=\"small\" viewBox=\"0 0 {} {}\" aria-hidden=\"true\"><use href=\"#{}\"/></svg>",
      picture.width, picture.height, id);
}

// Reads the picture of an indexed image.
std::variant<Picture, SkippedFile> picture_of(const std::string& name,
                                              const ImagesOptions& limits) {
  if (!is_path(name)) return SkippedFile{{.path = name}, "no_file", "was added without a file"};
  return load_picture(name, kObjectSidePx, limits, kJpegQuality);
}

// Returns the photo, the images found in it, and the features that agree.
std::string findings(const ReportEntry& entry, const Picture& photo, const std::string& photo_id,
                     const ImagesOptions& limits, Overview& overview) {
  overview.photo = overview_picture(photo_id, photo);
  std::string cards;
  std::string details;
  for (std::size_t i = 0; i < entry.findings.size(); ++i) {
    const ReportFinding& finding = entry.findings[i];
    const std::string id = fmt::format("{}-{}", photo_id, i + 1);
    const auto loaded = picture_of(finding.image, limits);
    cards += object_card(finding, loaded, id, i);
    const auto* picture = std::get_if<Picture>(&loaded);
    if (picture != nullptr && i == 0) overview.best = overview_picture(id, *picture);
    if (picture != nullptr && !(finding.pairs.empty() && finding.other_pairs.empty())) {
      details +=
          pairs_details(finding, pairs_figure(photo_id, photo, id, *picture, finding, i), i == 0);
    }
  }
  if (entry.findings.empty()) {
    cards = "<p class=\"nothing\">No indexed image shows what this photo shows.</p>";
  }
  return fmt::format(
      "<div class=\"columns\"><div class=\"photo\">{}{}</div><div class=\"objects\">{}</div></div>",
      photo_figure(photo_id, photo, entry), details, cards);
}

std::string steps_table(const std::vector<ReportStep>& steps) {
  if (steps.empty()) return {};
  std::string html = "<table class=\"summary\"><tr><th>Step</th><th></th><th>Why</th></tr>\n";
  for (const ReportStep& step : steps) {
    html += fmt::format(
        "<tr><td class=\"step\">{}</td><td><span class=\"verdict {}\">{}</span></td>"
        "<td>{}{}</td></tr>\n",
        escape_html(step.name), step.passed ? "found" : "failed", step.passed ? "yes" : "no",
        escape_html(step.reason), step.facts.empty() ? std::string() : facts_list(step.facts));
  }
  return html + "</table>\n";
}

// Returns the findings in a photo, or the reason why none can be shown.
std::string content(const ReportEntry& entry, const std::string& id, const ImagesOptions& limits,
                    Overview& overview) {
  if (!entry.problem.empty()) {
    return fmt::format("<p class=\"missing\">{}</p>", escape_html(entry.problem));
  }
  const auto loaded = load_picture(entry.photo, kPhotoSidePx, limits, kJpegQuality);
  if (const auto* file = std::get_if<SkippedFile>(&loaded)) return missing(name_of(entry), *file);
  return findings(entry, std::get<Picture>(loaded), id, limits, overview);
}

std::string section(const ReportEntry& entry, std::size_t number, const ImagesOptions& limits,
                    Overview& overview) {
  return fmt::format(
      "<section id=\"section-{}\"><div class=\"heading\"><div><h2>{}</h2><div class=\"path\">{}"
      "</div></div>{}</div>\n{}{}</section>\n",
      number, file_name(name_of(entry)), escape_html(name_of(entry)), verdict_badge(entry),
      content(entry, fmt::format("photo-{}", number), limits, overview), steps_table(entry.steps));
}

std::string summary_table(const Report& report, const std::vector<Overview>& overviews) {
  std::string html =
      "<table class=\"summary\"><tr><th>Photo</th><th>Result</th><th>Best</th></tr>\n";
  for (std::size_t i = 0; i < report.entries.size(); ++i) {
    const ReportEntry& entry = report.entries[i];
    html += fmt::format(
        "<tr><td><a href=\"#section-{}\">{}{}</a></td><td>{}</td><td>{}{}</td></tr>\n", i + 1,
        overviews[i].photo, file_name(name_of(entry)), verdict_badge(entry), overviews[i].best,
        entry.findings.empty() ? "" : heading_of(entry.findings.front()));
  }
  return html + "</table>\n";
}

}  // namespace

std::string render_report(const Report& report, const ImagesOptions& limits) {
  std::vector<Overview> overviews(report.entries.size());
  std::string sections;
  for (std::size_t i = 0; i < report.entries.size(); ++i) {
    sections += section(report.entries[i], i + 1, limits, overviews[i]);
  }
  std::string html = facts_list(report.facts);
  if (report.entries.size() > 1) html += summary_table(report, overviews);
  return html_page(report.title, html + sections);
}

}  // namespace lookalike
