#include "tools/report/report.h"

#include <filesystem>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "tools/report/figures.h"
#include "tools/report/html.h"
#include "tools/report/page.h"
#include "tools/report/picture.h"

namespace lookalike {
namespace {

constexpr int kPhotoSidePx = 1280;
constexpr int kObjectSidePx = 640;

std::string file_name(const std::string& path) {
  return escape_html(std::filesystem::path(path).filename().string());
}

std::string missing(const std::string& path, const SkippedFile& file) {
  return fmt::format("<p class=\"missing\">{} cannot be read now: {}: {}.</p>", file_name(path),
                     escape_html(file.reason), escape_html(file.detail));
}

std::string verdict_badge(const ReportEntry& entry) {
  if (!entry.problem.empty()) return "<span class=\"verdict failed\">not looked up</span>";
  return fmt::format("<span class=\"verdict{}\">{}</span>", entry.found ? " found" : "",
                     escape_html(entry.verdict));
}

std::string path_list(const std::vector<std::string>& paths) {
  std::string html;
  for (const std::string& path : paths) {
    html += fmt::format("<div class=\"path\">{}</div>", escape_html(path));
  }
  return html;
}

std::string object_card(const ReportFinding& finding,
                        const std::variant<Picture, SkippedFile>& loaded, const std::string& id,
                        std::size_t index) {
  const auto* picture = std::get_if<Picture>(&loaded);
  return fmt::format(
      "<div class=\"object\">{}<div class=\"object-name\"><span class=\"chip\" "
      "style=\"background:{}\">{}</span><div><h3>{}</h3>{}</div></div>"
      "{}</div>\n",
      picture != nullptr ? object_figure(id, *picture, finding, index)
                         : missing(finding.image, std::get<SkippedFile>(loaded)),
      finding_colour(index), index + 1, file_name(finding.image), path_list(finding.paths),
      facts_list(finding.facts));
}

std::string pairs_details(const ReportFinding& finding, const std::string& figure, bool open) {
  const std::size_t count = finding.pairs.size();
  const std::string drawn =
      count > kMostLines ? fmt::format(", {} of them drawn", kMostLines) : std::string();
  return fmt::format("<details{}><summary>{}: {} features agree{}</summary>{}</details>\n",
                     open ? " open" : "", file_name(finding.image), count, drawn, figure);
}

// What was found in a photo: its pictures, and the features that agree.
std::string findings(const ReportEntry& entry, const Picture& photo, const std::string& photo_id,
                     const ImagesOptions& limits) {
  std::string cards;
  std::string details;
  for (std::size_t i = 0; i < entry.findings.size(); ++i) {
    const ReportFinding& finding = entry.findings[i];
    const std::string id = fmt::format("{}-{}", photo_id, i + 1);
    const auto loaded = load_picture(finding.image, kObjectSidePx, limits);
    cards += object_card(finding, loaded, id, i);
    const auto* picture = std::get_if<Picture>(&loaded);
    if (picture != nullptr && !finding.pairs.empty()) {
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

// Of a photo: what it shows, or why there is nothing to show.
std::string content(const ReportEntry& entry, const std::string& id, const ImagesOptions& limits) {
  if (!entry.problem.empty()) {
    return fmt::format("<p class=\"missing\">{}</p>", escape_html(entry.problem));
  }
  const auto loaded = load_picture(entry.photo, kPhotoSidePx, limits);
  if (const auto* file = std::get_if<SkippedFile>(&loaded)) return missing(entry.photo, *file);
  return findings(entry, std::get<Picture>(loaded), id, limits);
}

std::string section(const ReportEntry& entry, std::size_t number, const ImagesOptions& limits) {
  return fmt::format(
      "<section id=\"section-{}\"><div class=\"heading\"><div><h2>{}</h2><div class=\"path\">{}"
      "</div></div>{}</div>\n{}</section>\n",
      number, file_name(entry.photo), escape_html(entry.photo), verdict_badge(entry),
      content(entry, fmt::format("photo-{}", number), limits));
}

std::string summary_table(const Report& report) {
  std::string html =
      "<table class=\"summary\"><tr><th>Photo</th><th>Result</th><th>Best</th></tr>\n";
  for (std::size_t i = 0; i < report.entries.size(); ++i) {
    const ReportEntry& entry = report.entries[i];
    html += fmt::format("<tr><td><a href=\"#section-{}\">{}</a></td><td>{}</td><td>{}</td></tr>\n",
                        i + 1, file_name(entry.photo), verdict_badge(entry),
                        entry.findings.empty() ? "" : file_name(entry.findings.front().image));
  }
  return html + "</table>\n";
}

}  // namespace

std::string render_report(const Report& report, const ImagesOptions& limits) {
  std::string html = facts_list(report.facts);
  if (report.entries.size() > 1) html += summary_table(report);
  for (std::size_t i = 0; i < report.entries.size(); ++i) {
    html += section(report.entries[i], i + 1, limits);
  }
  return html_page(report.title, html);
}

}  // namespace lookalike
