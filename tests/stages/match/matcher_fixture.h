#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/warp/warp.h"
#include "stages/assign/assign_stage.h"
#include "stages/codebook/codebook_stage.h"
#include "stages/decode/colours.h"
#include "stages/decode/decode.h"
#include "stages/match/matcher.h"
#include "stages/match/refine/frame.h"
#include "storage/index_writer.h"
#include "tests/stages/match/photos.h"
#include "tests/stages/pictures.h"
#include "tests/storage/encoded.h"
#include "tests/temporary_folder.h"

namespace lookalike {

// The default options but for these parts.
template <typename... Parts>
MatchOptions with(const Parts&... parts) {
  MatchOptions options;
  ((static_cast<Parts&>(options) = parts), ...);
  return options;
}

// An index of five pictures that are drawn into a folder, and of number 1 at twice the size.
class MatcherTest : public testing::Test {
 protected:
  static constexpr int kWidth = 320;
  static constexpr int kHeight = 240;

  static void SetUpTestSuite() {
    session = std::make_unique<OpenClSession>();
    folder = std::make_unique<TemporaryFolder>();
    std::vector<ImageFeatures> features;
    for (int i = 0; i < 6; ++i) {
      cv::imwrite(path_of(i), picture(i));
      features.push_back(features_of(path_of(i)));
    }
    publish(features, database());
  }
  static void TearDownTestSuite() {
    folder.reset();
    session.reset();
  }

  static cv::Mat picture(int i) {
    const cv::Mat drawn = draw_picture(kWidth, kHeight, static_cast<unsigned>(i == 5 ? 1 : i) + 1);
    cv::Mat result;
    cv::resize(drawn, result, {}, i == 5 ? 2 : 1, i == 5 ? 2 : 1, cv::INTER_CUBIC);
    return result;
  }
  static std::string path_of(int picture) {
    return (folder->path() / (std::to_string(picture) + ".png")).string();
  }
  static std::string database() { return (folder->path() / "index.db").string(); }

  static ImageFeatures features_of(const std::string& path) {
    const DecodedImage image = std::get<DecodedImage>(decode_file(path, 1024, {}));
    return ExtractStage(*session, {.hessian_threshold = 100, .brighten_to = 0, .max_interval = 0})
        .run({&image, 1})
        .front();
  }

  static void publish(const std::vector<ImageFeatures>& features, const std::string& index) {
    const CodebookOptions options = {.words = 64, .features_per_word = 16};
    const FeatureSource source = [&](const auto& visit) {
      for (const ImageFeatures& image : features) visit(image);
    };
    const Sample sample = take_sample(sample_images_of(source), source, options, folder->path());
    const Codebook codebook = train_codebook(*session, sample, options);
    IndexWriter writer(index);
    writer.set_codebook(codebook, {});
    std::vector<ImageToStore> images;
    for (const ImageWords& words : AssignStage(*session, codebook).run(features)) {
      images.push_back({words, {}, false});
    }
    writer.publish(encoded(images));
  }

  // The picture seen through a map, on a flat table.
  static Query view_of(int picture, const Homography& picture_to_view) {
    const auto decoded = std::get<DecodedImage>(decode_file(path_of(picture), 1024, {}));
    Warp warp(*session);
    return query_of(*session,
                    warp.warp(decoded.pixels.view(), picture_to_view.inverse(), 640, 480).image);
  }

  // Paints the picture over what a photo shows.
  static void paint(GrayImage& photo, int picture, const Homography& picture_to_photo) {
    const auto decoded = std::get<DecodedImage>(decode_file(path_of(picture), 1024, {}));
    Warp warp(*session);
    const Warped seen =
        warp.warp(decoded.pixels.view(), picture_to_photo.inverse(), photo.width, photo.height);
    for (std::size_t i = 0; i < photo.pixels.size(); ++i) {
      if (seen.mask.pixels[i] != 0) photo.pixels[i] = seen.image.pixels[i];
    }
  }

  // A photo of pictures 2 and 4, large, and of picture 0, small.
  static Query three_pictures() {
    GrayImage photo(640, 480);
    paint(photo, 2, {{0.9, 0, 10, 0, 0.9, 20, 0, 0, 1}});
    paint(photo, 4, {{0.8, -0.2, 370, 0.2, 0.8, 200, 0, 0, 1}});
    paint(photo, 0, {{0.6, 0, 10, 0, 0.6, 300, 0, 0, 1}});
    return query_of(*session, photo);
  }

  // Indexed files are read as they are, if they exist.
  static std::optional<DecodedImage> load_picture(const StoredImage& image, WantedSize size) {
    auto decoded = decode_file(image.paths.front(), size, {});
    const auto* picture = std::get_if<DecodedImage>(&decoded);
    return picture ? std::optional(*picture) : std::nullopt;
  }

  static ColourImage load_colours(const StoredImage& image, double most_pixels) {
    const auto loaded = load_file(image.paths.front(), {});
    const auto* file = std::get_if<LoadedFile>(&loaded);
    if (file == nullptr) return {};
    auto decoded = decode_in_colour(*file, most_pixels, {});
    auto* picture = std::get_if<ColourImage>(&decoded);
    return picture != nullptr ? std::move(*picture) : ColourImage{};
  }
  static inline const PictureLoaders kLoaders{load_picture, load_colours};

  static std::vector<Match> match(const Query& query, const MatchOptions& options = {}) {
    const IndexReader reader(database());
    return Matcher(*session, reader, {}, options, kLoaders).match(query).matches;
  }

  static inline std::unique_ptr<OpenClSession> session;
  static inline std::unique_ptr<TemporaryFolder> folder;
  const Homography tilted_{{1.1, -0.4, 180, 0.4, 1.0, 60, 6e-4, -2e-4, 1}};
};

}  // namespace lookalike
