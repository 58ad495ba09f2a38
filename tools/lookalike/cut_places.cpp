#include "tools/lookalike/cut_places.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <system_error>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <opencv2/imgproc.hpp>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/files.h"
#include "base/geometry.h"
#include "base/page_name.h"
#include "base/text.h"
#include "stages/decode/encode.h"
#include "stages/decode/pixels.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

constexpr double kMostPixels = 4e7;  // of a cut-out

// Returns the best match of each place where something sure was found.
std::vector<const Match*> best_matches(const QueryResult& result) {
  std::map<std::size_t, const Match*> places;
  for (const Match& match : result.matches) places.emplace(match.place, &match);
  std::vector<const Match*> best;
  for (const auto& [place, match] : places) {
    if (is_found(match->decision) && match->has_pose()) best.push_back(match);
  }
  return best;
}

// Returns the size of a cut-out: the shape of the image that was found there, at the resolution of
// the photo.
cv::Size size_of(const Match& match) {
  const double width = std::max(1, match.image.width);
  const double height = std::max(1, match.image.height);
  const double pixels = std::min(kMostPixels, std::abs(signed_area(match.pose.quad)));
  const double scale = std::sqrt(pixels / (width * height));
  const auto side = [&](double px) {
    return std::max(1, static_cast<int>(std::lround(px * scale)));
  };
  return {side(width), side(height)};
}

cv::Mat cut(const cv::Mat& photo, const Match& match) {
  const cv::Size size = size_of(match);
  const auto width = static_cast<float>(size.width);
  const auto height = static_cast<float>(size.height);
  std::array<cv::Point2f, 4> from;
  for (std::size_t i = 0; i < from.size(); ++i) {
    from[i] = {static_cast<float>(match.pose.quad[i].x), static_cast<float>(match.pose.quad[i].y)};
  }
  const std::array<cv::Point2f, 4> to = {{{0, 0}, {width, 0}, {width, height}, {0, height}}};
  cv::Mat picture;
  // Pixel centres lie half a pixel from the corners that quads have.
  const cv::Mat half_off = (cv::Mat_<double>(3, 3) << 1, 0, -0.5, 0, 1, -0.5, 0, 0, 1);
  const cv::Mat half_on = (cv::Mat_<double>(3, 3) << 1, 0, 0.5, 0, 1, 0.5, 0, 0, 1);
  const cv::Mat map = half_off * cv::getPerspectiveTransform(from.data(), to.data()) * half_on;
  cv::warpPerspective(photo, picture, map, size, cv::INTER_CUBIC, cv::BORDER_CONSTANT,
                      cv::Scalar::all(255));
  return picture;
}

}  // namespace

PlaceCutter::PlaceCutter(fs::path folder, const ImagesOptions& limits)
    : folder_(std::move(folder)), limits_(limits) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!fs::is_directory(folder_, error)) {
    throw Error(ErrorKind::kUsage, fmt::format("--cut: {}: is no folder and cannot be made: {}",
                                               printable(folder_.native()), error.message()));
  }
}

bool PlaceCutter::write(const std::string& file, const QueryResult& result) {
  const std::vector<const Match*> places = best_matches(result);
  if (places.empty()) return true;
  const auto loaded = load_pixels(file, PixelMode::kColour, limits_);
  if (const auto* why = std::get_if<SkippedFile>(&loaded)) {
    spdlog::warn("--cut: {}: {}", printable(file), why->detail);
    return false;
  }
  const Page page = page_of(file);
  const std::string name = fs::path(page.file).stem().native() +
                           (page.number > 1 ? fmt::format("-page-{}", page.number) : "");
  std::string stem = name;
  for (int number = 2; !stems_.insert(stem).second; ++number) {
    stem = fmt::format("{}.{}", name, number);
  }
  bool is_written = true;
  for (const Match* match : places) {
    const fs::path target = folder_ / fmt::format("{}-place-{}.png", stem, match->place);
    const std::vector<std::uint8_t> png =
        encode_image(".png", cut(std::get<ShownPixels>(loaded).pixels, *match));
    AtomicFile output(target);
    output.write(png);
    if (output.commit_new()) continue;
    const std::optional<std::string> there = read_file(target, {.most_bytes = png.size()});
    if (there && std::ranges::equal(bytes_of(*there), png)) continue;  // of an earlier call
    spdlog::warn("--cut: {}: exists, and is kept: name another folder", printable(target.native()));
    is_written = false;
  }
  return is_written;
}

}  // namespace lookalike
