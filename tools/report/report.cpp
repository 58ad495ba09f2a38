#include "tools/report/report.h"

#include <charconv>
#include <cstdint>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/path_set.h"
#include "base/text.h"
#include "tools/report/picture.h"

namespace lookalike {
namespace {

constexpr int kPhotoSidePx = 1280;

constexpr std::string_view kWithoutScripts =
    "This report is drawn by its own script. Save it as a file and open that in a browser in which "
    "scripts may run.";

// Returns the policy that lets only the report's own script run.
std::string script_policy() {
  const std::string_view hex = embedded_file("report.sha256");
  std::vector<std::uint8_t> hash(hex.size() / 2);
  for (std::size_t i = 0; i < hash.size(); ++i) {
    std::from_chars(hex.data() + 2 * i, hex.data() + 2 * i + 2, hash[i], 16);
  }
  return fmt::format("'sha256-{}'", base64(hash));
}

std::variant<ReducedPhoto, SkippedFile> load(const ReportPicture& picture,
                                             const ImagesOptions& limits) {
  if (!is_path(picture.path)) {
    return SkippedFile{{.path = picture.path}, "no_file", "was added without a file"};
  }
  auto file = load_file(picture.path, limits);
  if (auto* skipped = std::get_if<SkippedFile>(&file)) return std::move(*skipped);
  return reduced_photo(std::get<LoadedFile>(file), picture.longest_side_px, limits,
                       picture.jpeg_quality);
}

Json picture_json(const std::variant<ReducedPhoto, SkippedFile>& loaded) {
  if (const auto* skipped = std::get_if<SkippedFile>(&loaded)) {
    return {{"missing", fmt::format("{}: {}", skipped->reason, skipped->detail)}};
  }
  const auto& [width, height, jpeg] = std::get<ReducedPhoto>(loaded);
  return {{"width", width}, {"height", height}, {"url", "data:image/jpeg;base64," + base64(jpeg)}};
}

}  // namespace

ReportPicture photo_picture(const std::string& name, const std::string& file) {
  return {"photo " + text_of_path(name), normal_path(file), kPhotoSidePx};
}

ReportWriter::ReportWriter(OutputFile& file, std::string_view title, const Facts& facts,
                           const ImagesOptions& limits, const Json& totals)
    : file_(file), limits_(limits) {
  file_.write(page_start(title, script_policy()));
  file_.write(
      fmt::format("<noscript><p>{}</p></noscript></main>\n"
                  "<p id=\"status\" role=\"status\"></p>\n",
                  kWithoutScripts));
  write_data("item", {{"title", title}, {"facts", facts}, {"totals", totals}});
}

void ReportWriter::write_data(std::string_view kind, const Json& data) {
  file_.write(fmt::format("<script type=\"application/json\" class=\"{}\">{}</script>\n", kind,
                          escape_script(json_text(data))));
}

void ReportWriter::add(const ReportItem& item) {
  std::vector<Json> loaded(item.pictures.size());
  parallel_for(loaded.size(), core_count(),
               [&](std::size_t i) { loaded[i] = picture_json(load(item.pictures[i], limits_)); });
  Json pictures = Json::object();
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    pictures[item.pictures[i].key] = std::move(loaded[i]);
  }
  write_data("item", item.answer);
  write_data("pictures", pictures);
}

void ReportWriter::finish() {
  file_.write(fmt::format("<script type=\"module\">{}</script>\n</body></html>\n",
                          embedded_file("report.js")));
  file_.commit();
}

void write_report(OutputFile& file, const Report& report, const ImagesOptions& limits) {
  ReportWriter writer(file, report.title, report.facts, limits);
  for (const ReportItem& item : report.items) writer.add(item);
  writer.finish();
}

}  // namespace lookalike
