#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/path_set.h"
#include "base/text.h"
#include "base/work_limits.h"
#include "tools/report/picture.h"
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

HttpResponse jpeg_response(const ReducedPhoto& photo, const char* cache) {
  return with_policies({200, "image/jpeg", {photo.jpeg.begin(), photo.jpeg.end()}}, cache);
}

// True if the name, without its folder, contains a text of lower case.
bool name_contains(std::string_view path, std::string_view text) {
  path.remove_prefix(path.rfind('/') + 1);
  const auto same = [](char a, char b) { return lower_case(a) == b; };
  return std::search(path.begin(), path.end(), text.begin(), text.end(), same) != path.end();
}

// Lists the files, by path, whose names contain a text and that are in a folder, if one is given.
HttpResponse list_named(const Slice& slice, std::string name,
                        const std::optional<std::string>& folder, const IndexReader& index) {
  std::ranges::transform(name, name.begin(), lower_case);
  std::vector<std::string> paths;
  std::uint64_t total = 0;
  index.for_each_file([&](const std::string& path) {
    check_time();
    if (!name_contains(path, name) || (folder && !is_within(path, *folder))) return;
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
  check_parameters(request, {"after", "limit", "name", "folder"});
  const Slice slice(request, 100, 1000);
  const std::optional<std::string> name = parameter(request, "name");
  const std::optional<std::string> folder = folder_parameter(request);
  if (name || folder) return list_named(slice, name.value_or(""), folder, state.index());
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

HttpResponse image_thumbnail(const HttpRequest& request, SearchState& state,
                             ServeContext& context) {
  check_parameters(request, {"side"});
  const ImagesOptions& limits = context.config.images;
  const StoredImage image = image_of_path(state.index(), request);
  const auto photo =
      reduced_photo(file_of(image, limits), thumbnail_side(request), limits, kThumbnailQuality);
  if (const auto* why = std::get_if<SkippedFile>(&photo)) throw cannot_be_read(*why);
  return jpeg_response(std::get<ReducedPhoto>(photo), "private, max-age=300");
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
  HttpResponse response = jpeg_response(reduced, "no-store");
  response.headers.emplace_back("Photo-Width", fmt::format("{}", reduced.width));
  response.headers.emplace_back("Photo-Height", fmt::format("{}", reduced.height));
  return response;
}

}  // namespace lookalike
