#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/parse_number.h"
#include "base/path_set.h"
#include "base/source_file.h"
#include "base/text.h"
#include "base/work_limits.h"
#include "storage/neighbours.h"
#include "tools/report/picture.h"
#include "tools/serve/found_groups.h"
#include "tools/serve/handlers.h"
#include "tools/serve/photos.h"
#include "tools/serve/request.h"

namespace lookalike {
namespace {

constexpr int kDefaultSidePx = 320;
constexpr int kMaxSidePx = 1600;
constexpr int kThumbnailQuality = 80;

int thumbnail_side(const HttpRequest& request) {
  return static_cast<int>(number(request, "side", kDefaultSidePx, 16, kMaxSidePx));
}

HttpResponse jpeg_response(const std::vector<std::uint8_t>& jpeg, const char* cache) {
  return with_policies({200, "image/jpeg", {jpeg.begin(), jpeg.end()}}, cache);
}

// Returns the answer with a thumbnail, which browsers keep but ask about before they show it again:
// its number may be that of another image by then.
//   status  304 for the client's own copy
HttpResponse thumbnail_response(int status, const std::vector<std::uint8_t>& jpeg,
                                const std::string& tag) {
  HttpResponse response = jpeg_response(jpeg, "private, no-cache");
  response.status = status;
  response.headers.emplace_back("ETag", tag);
  return response;
}

// True if a file of the image is as it was when it was indexed, without reading it.
bool is_unchanged(const StoredImage& image, const IndexReader& index) {
  return std::ranges::any_of(index.files_of(image.id), [](const SourceFile& file) {
    const std::optional<SourceFile> now = look_at(file.path);
    return now && is_same_state(*now, file);
  });
}

bool is_within_limits(const StoredImage& image, const ImagesOptions& limits) {
  return static_cast<double>(image.width) * image.height <= limits.max_megapixels * 1e6;
}

// True if the name, without its folder, contains a text of lower case.
bool name_contains(std::string_view path, std::string_view text) {
  path.remove_prefix(path.rfind('/') + 1);
  const auto same = [](char a, char b) { return lower_case(a) == b; };
  return std::search(path.begin(), path.end(), text.begin(), text.end(), same) != path.end();
}

// Reads a date as in RFC 3339: "2019-07-14".
std::optional<std::tm> date_in(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00";
  const bool has_form = std::ranges::equal(text, kForm, [](char c, char form) {
    return form == '0' ? c >= '0' && c <= '9' : c == form;
  });
  if (!has_form) return std::nullopt;
  const auto at = [&](std::size_t first, std::size_t count) {
    return parse_number<unsigned>(text.substr(first, count)).value();
  };
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(at(0, 4))),
                                         std::chrono::month(at(5, 2)), std::chrono::day(at(8, 2))};
  if (!date.ok()) return std::nullopt;
  std::tm parts{};
  parts.tm_year = static_cast<int>(date.year()) - 1900;
  parts.tm_mon = static_cast<int>(static_cast<unsigned>(date.month())) - 1;
  parts.tm_mday = static_cast<int>(static_cast<unsigned>(date.day()));
  return parts;
}

// Returns the start of the day in a parameter, and `later` days on, in ns since the epoch by the
// server's clock and time zone, or the nearest that 64 bits hold; nothing if it is missing. Throws
// Refused.
std::optional<std::int64_t> day(const HttpRequest& request, const char* name, int later) {
  const std::optional<std::string> text = parameter(request, name);
  if (!text) return std::nullopt;
  std::optional<std::tm> date = date_in(*text);
  if (!date) {
    throw Refused(400, ErrorKind::kUsage, "parameter",
                  fmt::format("{}: must be a date such as 2019-07-14", name));
  }
  date->tm_mday += later;
  date->tm_isdst = -1;
  constexpr std::int64_t kNsPerS = 1'000'000'000;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / kNsPerS;
  return std::clamp(std::int64_t{std::mktime(&*date)}, -kMost, kMost) * kNsPerS;
}

// Which files are listed, by what a request says.
class FileFilter {
 public:
  explicit FileFilter(const HttpRequest& request)
      : name_(parameter(request, "name")),
        folder_(folder_parameter(request)),
        from_ns_(day(request, "from", 0)),
        to_ns_(day(request, "to", 1)) {
    if (name_) name_ = in_lower_case(*name_);
  }

  bool accepts_all() const { return !name_ && !folder_ && !from_ns_ && !to_ns_; }
  bool accepts(std::string_view path, std::int64_t modified_ns) const {
    return (!name_ || name_contains(path, *name_)) && (!folder_ || is_within(path, *folder_)) &&
           (!from_ns_ || modified_ns >= *from_ns_) && (!to_ns_ || modified_ns < *to_ns_);
  }

 private:
  std::optional<std::string> name_;  // in lower case
  std::optional<std::string> folder_;
  std::optional<std::int64_t> from_ns_;
  std::optional<std::int64_t> to_ns_;
};

// Lists the files that a filter accepts, by path.
HttpResponse list_filtered(const Slice& slice, const FileFilter& filter, const IndexReader& index) {
  std::vector<std::string> paths;
  std::uint64_t total = 0;
  index.for_each_file([&](const std::string& path, std::int64_t modified_ns) {
    check_time();
    if (!filter.accepts(path, modified_ns)) return;
    if (++total > slice.after && paths.size() < slice.limit) paths.push_back(path);
  });
  Json images = Json::array();
  for (const std::string& path : paths) {
    const auto id = index.find(path);
    if (id) images.push_back(listed_image(index.existing_image(*id), path));
  }
  const std::uint64_t end = slice.after + paths.size();
  return json_response({{"images", std::move(images)},
                        {"total", total},
                        {"next", end < total ? Json(end) : Json()}});
}

}  // namespace

HttpResponse list_images(const HttpRequest& request, SearchState& state,
                         ServeContext& /*context*/) {
  check_parameters(request, {"after", "limit", "name", "folder", "from", "to"});
  const Slice slice(request, 100, 1000);
  const FileFilter filter(request);
  if (!filter.accepts_all()) return list_filtered(slice, filter, state.index());
  const auto after = static_cast<ImageId>(slice.after);
  std::vector<StoredImage> found = state.index().images_after(after, slice.limit + 1);
  const bool is_last = found.size() <= slice.limit;
  if (!is_last) found.pop_back();
  Json images = Json::array();
  for (const StoredImage& image : found) {
    images.push_back(listed_image(image, image.paths.front()));
  }
  return json_response({{"images", std::move(images)},
                        {"total", state.counts().images},
                        {"next", is_last ? Json() : Json(found.back().id)}});
}

HttpResponse show_image(const HttpRequest& request, SearchState& state, ServeContext& /*context*/) {
  check_parameters(request, {});
  return json_response(image_answer(state.index(), image_of_path(state.index(), request)));
}

// Lists the images that share a group with an image, then those that surely show the same thing by
// the neighbour graph, then those of the same form with other content.
HttpResponse list_neighbours(const HttpRequest& request, SearchState& state,
                             ServeContext& context) {
  check_parameters(request, {});
  const IndexReader& index = state.index();
  const ImageId id = image_of_path(index, request).id;
  Json neighbours = Json::array();
  std::set<ImageId> listed = {id};
  const auto add = [&](ImageId image, const std::string& path, std::string_view kind,
                       std::optional<double> probability) {
    const std::optional<StoredImage> stored = index.image(image);
    if (!stored || !listed.insert(image).second) return;  // removed, or listed already
    Json& entry =
        neighbours.emplace_back(listed_image(*stored, path.empty() ? stored->paths.front() : path));
    entry["kind"] = kind;
    entry["probability"] = probability ? Json(*probability) : Json();
  };
  const std::shared_ptr<const FoundGroups> found = current_groups(state, context);
  for (const std::size_t number : found->groups.groups_of(id)) {
    for (const GroupFile& file : found->groups.group(number).files) {
      add(file.image, file.file.path, to_string(file.kind), file.probability);
    }
  }
  for (const Neighbour& edge : index.neighbours(id)) {
    if (!edge.by_votes()) add(edge.image, {}, "neighbour", edge.weight);
  }
  for (const PrintEdge& edge : index.prints(id)) add(edge.image, {}, "same_form", std::nullopt);
  return json_response({{"neighbours", std::move(neighbours)}});
}

HttpResponse image_thumbnail(const HttpRequest& request, SearchState& state,
                             ServeContext& context) {
  check_parameters(request, {"side"});
  const ImagesOptions& limits = context.config.images;
  const StoredImage image = image_of_path(state.index(), request);
  const int side = thumbnail_side(request);
  const std::string tag = fmt::format("\"{}\"", to_hex(image.content));  // the side is in the URL
  if (is_unchanged(image, state.index()) && is_within_limits(image, limits)) {
    if (request.header("if-none-match").find(tag) != std::string_view::npos) {
      return thumbnail_response(304, {}, tag);
    }
    if (auto jpeg = context.thumbnails.load(image.content, side)) {
      return thumbnail_response(200, *jpeg, tag);
    }
  }
  const auto photo = reduced_photo(file_of(image, limits), side, limits, kThumbnailQuality);
  if (const auto* why = std::get_if<SkippedFile>(&photo)) throw cannot_be_read(*why);
  const std::vector<std::uint8_t>& jpeg = std::get<ReducedPhoto>(photo).jpeg;
  context.thumbnails.store(image.content, side, jpeg);
  return thumbnail_response(200, jpeg, tag);
}

// Turns a photo of any format into JPEG, which a page can show.
HttpResponse photo_thumbnail(const HttpRequest& request, SearchState& /*state*/,
                             ServeContext& context) {
  check_parameters(request, {"side"});
  const int side = thumbnail_side(request);
  const auto photo = reduced_photo(loaded_photo(sent_photo(request), context.config), side,
                                   sent_photo_limits(context.config), kThumbnailQuality);
  if (const auto* why = std::get_if<SkippedFile>(&photo)) throw unusable(*why);
  const auto& reduced = std::get<ReducedPhoto>(photo);
  HttpResponse response = jpeg_response(reduced.jpeg, "no-store");
  response.headers.emplace_back("Photo-Width", fmt::format("{}", reduced.width));
  response.headers.emplace_back("Photo-Height", fmt::format("{}", reduced.height));
  return response;
}

}  // namespace lookalike
