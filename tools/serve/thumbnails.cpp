#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/source_file.h"
#include "storage/index_reader.h"
#include "tools/report/picture.h"
#include "tools/serve/handlers.h"
#include "tools/serve/photos.h"
#include "tools/serve/request.h"

// Small pictures of indexed images and of a user's photos, for the page.
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

}  // namespace

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
