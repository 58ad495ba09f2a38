#include "tools/serve/photos.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/path_set.h"
#include "base/text.h"
#include "pipeline/searcher.h"
#include "stages/decode/pixels.h"
#include "tools/serve/multipart.h"

namespace lookalike {
namespace {

constexpr std::size_t kMaxPhotos = 1000;  // in one request
constexpr const char* kUnnamed = "photo";

// Returns a name for JSON.
std::string as_text(const std::string& name) {
  const bool is_utf8 = text_of_path(name) == name;
  return is_utf8 ? name : printable(name);
}

std::string public_detail(const SkippedFile& why) {
  constexpr std::array<std::string_view, 6> kLibraries = {"OpenCV",  "libheif", "giflib",
                                                          "libwebp", "libjpeg", "libpng"};
  const bool is_library_text = std::ranges::any_of(
      kLibraries, [&](std::string_view library) { return why.detail.starts_with(library); });
  if (is_library_text) spdlog::info("a photo cannot be used: {}", printable(why.detail));
  return is_library_text ? "it cannot be decoded" : why.detail;
}

void check_pixels(const LoadedFile& photo, const RunConfig& config) {
  const auto checked = check_header(photo, config.images);
  if (const auto* why = std::get_if<SkippedFile>(&checked)) throw unusable(*why);
  const auto& header = std::get<ImageHeader>(checked);
  const std::uint64_t most = std::uint64_t{config.serve.max_megapixels} * 1'000'000;
  if (header.width * header.height <= most) return;
  throw unusable(
      SkippedFile{photo.file, "too_large",
                  fmt::format("{} x {} px exceeds serve.max_megapixels = {}", header.width,
                              header.height, config.serve.max_megapixels)});
}

}  // namespace

std::vector<SentPhoto> sent_photos(const HttpRequest& request) {
  const std::string_view type = request.header("content-type");
  if (!is_multipart(type)) return {{kUnnamed, request.body}};
  std::vector<SentPhoto> photos;
  for (const MultipartFile& file : multipart_files(type, request.body, kMaxPhotos + 1)) {
    const std::string name = file.name.substr(file.name.rfind('/') + 1);
    photos.push_back({name.empty() ? kUnnamed : as_text(name), file.content});
  }
  if (photos.empty()) {
    throw Refused(400, ErrorKind::kInput, "multipart", "no part of the body is a file");
  }
  if (photos.size() > kMaxPhotos) {
    throw Refused(400, ErrorKind::kInput, "multipart",
                  fmt::format("more than {} photos in one request", kMaxPhotos));
  }
  return photos;
}

SentPhoto sent_photo(const HttpRequest& request) {
  const std::vector<SentPhoto> photos = sent_photos(request);
  if (photos.size() == 1) return photos.front();
  throw Refused(400, ErrorKind::kInput, "multipart", "more than one photo in the request");
}

LoadedFile loaded_photo(const SentPhoto& photo, const RunConfig& config) {
  const std::string_view bytes = photo.bytes;
  if (bytes.empty()) throw Refused(400, ErrorKind::kInput, "empty", "the body holds no photo");
  LoadedFile file = loaded_bytes(kUnnamed, {bytes.begin(), bytes.end()});
  check_pixels(file, config);
  return file;
}

ImagesOptions sent_photo_limits(const RunConfig& config) {
  ImagesOptions limits = config.images;
  limits.max_megapixels = std::min(limits.max_megapixels, config.serve.max_megapixels);
  return limits;
}

LoadedFile file_of(const StoredImage& image, const ImagesOptions& limits) {
  if (std::optional<LoadedFile> file = load_indexed(image, limits)) return *std::move(file);
  const bool has_file = std::ranges::any_of(image.paths, is_path);
  throw Refused(404, ErrorKind::kInput, "gone",
                has_file ? "the file is gone or has changed" : "it was added without a file");
}

Refused unusable(const SkippedFile& why) {
  const int status = why.reason == "too_large" ? 413 : why.reason == "no_memory" ? 503 : 422;
  return {status, ErrorKind::kInput, why.reason,
          fmt::format("the photo cannot be used: {}", public_detail(why))};
}

// Never 413: the request was not too large.
Refused cannot_be_read(const SkippedFile& why) {
  return {422, ErrorKind::kInput, why.reason,
          fmt::format("the indexed image cannot be read: {}", public_detail(why))};
}

}  // namespace lookalike
