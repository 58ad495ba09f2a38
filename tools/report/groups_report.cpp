#include "tools/report/groups_report.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/geometry.h"
#include "base/parallel.h"
#include "base/size_text.h"
#include "base/text.h"
#include "tools/report/page.h"
#include "tools/report/picture.h"

namespace lookalike {
namespace {

constexpr int kThumbnailSidePx = 192;
constexpr int kThumbnailQuality = 60;
constexpr std::size_t kMostFiles = 40;  // shown per group
constexpr std::size_t kOpenGroups = 10;
constexpr int kComparisonWidthPx = 448;
constexpr const char* kOutlineColour = "#ff453a";

using Loaded = std::variant<Picture, SkippedFile>;

// The shown files of a group, and the pictures of their images by the number of the first file.
struct Sheet {
  std::size_t shown = 0;
  std::vector<std::size_t> first;  // for each file, the first file of its image
  std::map<std::size_t, Loaded> pictures;

  const Picture* picture(std::size_t file) const {
    return std::get_if<Picture>(&pictures.at(first[file]));
  }
};

Sheet sheet_of(const Group& group, const ImagesOptions& limits) {
  Sheet sheet;
  sheet.shown = std::min(kMostFiles, group.files.size());
  std::map<ImageId, std::size_t> first_of;
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < sheet.shown; ++i) {
    const auto [known, is_new] = first_of.try_emplace(group.files[i].image, i);
    sheet.first.push_back(known->second);
    if (is_new) wanted.push_back(i);
  }
  std::vector<Loaded> loaded(wanted.size());
  parallel_for(wanted.size(), core_count(), [&](std::size_t i) {
    loaded[i] =
        load_picture(group.files[wanted[i]].file.path, kThumbnailSidePx, limits, kThumbnailQuality);
  });
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    sheet.pictures.emplace(wanted[i], std::move(loaded[i]));
  }
  return sheet;
}

std::string file_name(const GroupFile& file) {
  return escape_html(std::filesystem::path(file.file.path).filename().string());
}

std::string picture_id(std::size_t group, std::size_t file) {
  return fmt::format("p{}-{}", group, file);
}

std::string svg(int width, int height, std::string_view name, const std::string& content,
                std::string_view classes = "figure") {
  return fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" aria-label=\"{2}\" "
      "class=\"{3}\">{4}</svg>",
      width, height, name, classes, content);
}

std::string used(std::size_t group, std::size_t file, const std::string& transform = "") {
  return fmt::format("<use href=\"#{}\"{}/>", picture_id(group, file), transform);
}

std::string thumbnail(std::size_t number, const Group& group, const Sheet& sheet, std::size_t i) {
  const GroupFile& file = group.files[i];
  const Picture* picture = sheet.picture(i);
  std::string figure;
  if (picture == nullptr) {
    const auto& why = std::get<SkippedFile>(sheet.pictures.at(sheet.first[i]));
    figure = fmt::format("<p class=\"missing\">cannot be read: {}</p>", escape_html(why.detail));
  } else {
    const bool is_first = sheet.first[i] == i;
    figure =
        svg(picture->width, picture->height, file_name(file),
            is_first ? embedded(picture_id(number, i), *picture) : used(number, sheet.first[i]));
  }
  const std::string how = file.related ? fmt::format("{} of {}, {:.3f}", to_string(file.kind),
                                                     *file.related + 1, file.probability)
                                       : "best";
  const std::string why = file.reason.empty() ? "" : "<br>" + escape_html(file.reason);
  const bool all_new = std::ranges::all_of(group.files, &GroupFile::is_new);
  const char* const is_new = file.is_new && !all_new ? ", new" : "";
  return fmt::format(
      "<figure class=\"{}\">{}<figcaption><b>{}. {}</b> {}{}{}<br>{} &times; {}, {}"
      "<div class=\"path\">{}</div></figcaption></figure>\n",
      to_string(file.proposal), figure, i + 1, to_string(file.proposal), how, is_new, why,
      file.size.width, file.size.height, size_text(file.file.size_bytes),
      path_html(file.file.path));
}

// Returns the map from one file's px to another's if a pair joins their images.
std::optional<Homography> map_between(const Group& group, std::size_t from, std::size_t to) {
  const auto is_of = [&](std::size_t file, std::size_t other) {
    return group.files[file].image == group.files[other].image;
  };
  for (const GroupPair& pair : group.pairs) {
    if (is_of(from, pair.first) && is_of(to, pair.second)) return pair.found.first_to_second;
    if (is_of(from, pair.second) && is_of(to, pair.first)) {
      return pair.found.first_to_second.inverse();
    }
  }
  return std::nullopt;
}

// Draws the places in which two files differ, in px of one of them.
//   map  from px of the other file to px of `under`
std::string differences(const Group& group, std::size_t over, std::size_t under,
                        const Homography& map) {
  std::string drawn;
  for (const GroupPair& pair : group.pairs) {
    if (!pair.relation.difference) continue;
    const bool is_under = group.files[pair.second].image == group.files[under].image;
    const bool is_over = group.files[pair.second].image == group.files[over].image;
    const std::size_t other = is_under ? over : under;
    if (!(is_under || is_over) || group.files[pair.first].image != group.files[other].image) {
      continue;
    }
    for (const Quad& place : pair.relation.difference->places) {
      drawn += polygon(is_under ? place : moved(place, map), kDifferenceColour);
    }
  }
  return drawn;
}

// Returns the affine transform that agrees with the pose in the picture's middle. SVG maps outer
// corners, poses map pixel centres.
std::string transform(const Homography& pose, PictureSize size) {
  const Homography map = translation(0.5, 0.5) * pose * translation(-0.5, -0.5);
  const Point at = middle(size.width, size.height);
  const Point to = map.apply(at);
  const Jacobian j = jacobian(map, at);
  return fmt::format(" transform=\"matrix({:.6f} {:.6f} {:.6f} {:.6f} {:.2f} {:.2f})\"", j.xx, j.yx,
                     j.xy, j.yy, to.x - j.xx * at.x - j.xy * at.y,
                     to.y - j.yx * at.x - j.yy * at.y);
}

// "2 files, 1.5 MB"
std::string can_go(const GroupTotals& totals) {
  return fmt::format("{}, {}", counted(totals.needless, "file"), size_text(totals.needless_bytes));
}

// Returns radio buttons that place the border of a comparison without a pointer. From the middle,
// its initial place, it can be dragged.
std::string border_buttons(std::size_t group, std::size_t file) {
  std::string buttons;
  for (const int percent : {0, 25, 50, 75, 100}) {
    buttons += fmt::format(
        " <input type=\"radio\" class=\"at{0}\" name=\"b{1}-{2}\" id=\"b{1}-{2}-{0}\" "
        "aria-label=\"border at {0} %\"{3}><label for=\"b{1}-{2}-{0}\"> {0} %</label>",
        percent, group, file, percent == 50 ? " checked" : "");
  }
  return buttons;
}

// Draws one picture over the other at its place, with its outline; the border between them can be
// moved, and they can flicker.
std::string comparison(std::size_t number, const Group& group, const Sheet& sheet, std::size_t i) {
  const GroupFile& file = group.files[i];
  if (!file.related || *file.related >= sheet.shown) return {};
  std::size_t over = i;
  std::size_t under = *file.related;
  if (sheet.first[over] == sheet.first[under]) return {};  // the same bytes
  auto map = map_between(group, over, under);
  if (!map || sheet.picture(over) == nullptr || sheet.picture(under) == nullptr) return {};
  const auto area = [&](const Homography& pose, std::size_t from, std::size_t to) {
    const Quad quad = outline(pose, group.files[from].size.width, group.files[from].size.height);
    const PictureSize frame = group.files[to].size;
    return std::abs(signed_area(quad)) / (double{1} * frame.width * frame.height);
  };
  if (area(*map, over, under) > 1.02) {  // the wider view lies below
    std::swap(over, under);
    map = map->inverse();
  }
  const Picture& below = *sheet.picture(under);
  const PictureSize size = group.files[over].size;
  const Quad quad = outline(*map, size.width, size.height);
  const int width = std::min(kComparisonWidthPx, 2 * below.width);
  const std::string name =
      fmt::format("{} and {}", file_name(group.files[under]), file_name(group.files[over]));
  return fmt::format(
      "<details><summary>{0} on {1}</summary><input type=\"checkbox\" class=\"flicker\" "
      "id=\"f{2}-{3}\"><label for=\"f{2}-{3}\"> flicker</label>, border at{8}"
      "<div class=\"compare\" style=\"--width:{4}px\">{5}<div class=\"over\">{6}</div>{7}</div>"
      "</details>\n",
      over + 1, under + 1, number, i, width,
      svg(below.width, below.height, name, used(number, sheet.first[under]), ""),
      svg(below.width, below.height, name, used(number, sheet.first[over], transform(*map, size)),
          ""),
      svg(below.width, below.height, "outline",
          polygon(quad, kOutlineColour) + differences(group, over, under, *map), "lines"),
      border_buttons(number, i));
}

// Names the pairs that alone hold parts of the group together.
std::string joints_of(const Group& group) {
  std::string lines;
  for (const GroupPair& pair : group.pairs) {
    if (!pair.is_joint) continue;
    lines += fmt::format("<p class=\"nothing\">two parts joined by {} and {}: {}, {:.3f}</p>\n",
                         pair.first + 1, pair.second + 1, to_string(pair.relation.kind),
                         pair.relation.probability);
  }
  return lines;
}

}  // namespace

GroupsReport::GroupsReport(OutputFile& file, const std::string& index, const GroupTotals& totals,
                           const ImagesOptions& limits)
    : file_(file), limits_(limits) {
  file_.write(page_start("Groups of pictures"));
  file_.write(facts_list({{"index", index},
                          {"groups", fmt::format("{}", totals.groups)},
                          {"files", fmt::format("{}", totals.files)},
                          {"can go", can_go(totals)}}));
  if (totals.groups == 0) {
    file_.write("<p class=\"nothing\">No pictures show the same thing.</p>\n");
  }
}

void GroupsReport::add(std::size_t number, const Group& group) {
  ++groups_;
  const Sheet sheet = sheet_of(group, limits_);
  std::string sheets;
  std::string comparisons;
  for (std::size_t i = 0; i < sheet.shown; ++i) {
    sheets += thumbnail(number, group, sheet, i);
    comparisons += comparison(number, group, sheet, i);
  }
  GroupTotals totals;
  totals.add(group);
  const std::size_t more = group.files.size() - sheet.shown;
  file_.write(fmt::format(
      "<section class=\"group\" id=\"group-{0}\"><details{1}><summary class=\"heading\">"
      "<h2>Group {0}: {2}</h2><span class=\"verdict\">{3}</span></summary>\n"
      "<div class=\"sheet\">{4}</div>{5}\n{7}{6}</details></section>\n",
      number, groups_ <= kOpenGroups ? " open" : "", counted(totals.files, "file"),
      totals.needless == 0 ? "nothing can go" : can_go(totals) + " can go", sheets,
      more > 0 ? fmt::format("<p class=\"nothing\">and {}</p>", counted(more, "more file"))
               : std::string(),
      comparisons, joints_of(group)));
}

void GroupsReport::finish() {
  file_.write(page_end());
  file_.commit();
}

}  // namespace lookalike
