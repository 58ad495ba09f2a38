#include "tools/example/image_files.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <opencv2/imgproc.hpp>

#include "base/content_hash.h"
#include "stages/decode/decode.h"
#include "stages/decode/tiff_pages.h"
#include "tests/stages/pictures.h"

namespace lookalike {
namespace {

// What comes back is an image of the size it says, or a file set aside with a reason.
TEST(MutatedImages, AreDecodedOrSetAside) {
  ImagesOptions limits;
  limits.max_megapixels = 4;
  cv::Mat colour;
  cv::cvtColor(draw_picture(70, 50, 1), colour, cv::COLOR_GRAY2BGR);
  std::vector<FileBytes> files;
  for (const FileFormat& format : file_formats()) files.push_back(format.make(colour));
  Random random(1);
  std::size_t set_aside = 0;
  std::size_t further_pages = 0;
  constexpr std::size_t kMostPages = 5;
  const std::size_t count = 200 * files.size();
  for (std::size_t i = 0; i < count; ++i) {
    LoadedFile loaded;
    loaded.bytes = mutated(files[i % files.size()], files, random);
    loaded.content = hash_content(loaded.bytes);
    loaded.pages = tiff_pages(loaded.bytes, kMostPages);
    for (std::uint32_t page = 2; page <= loaded.pages.size(); ++page) {
      decode(page_of_loaded(loaded, page), 1024, limits);
      ++further_pages;
    }
    const auto result = decode(loaded, 1024, limits);
    if (const auto* skipped = std::get_if<SkippedFile>(&result)) {
      EXPECT_FALSE(skipped->reason.empty());
      EXPECT_FALSE(skipped->detail.empty()) << file_formats()[i % files.size()].ending;
      ++set_aside;
      continue;
    }
    const auto& image = std::get<DecodedImage>(result);
    EXPECT_EQ(image.pixels.pixels.size(), static_cast<std::size_t>(image.pixels.width) *
                                              static_cast<std::size_t>(image.pixels.height));
    EXPECT_LE(std::max(image.pixels.width, image.pixels.height), 1024);
    EXPECT_LE(static_cast<double>(image.record.width) * image.record.height, 4e6);
  }
  EXPECT_GT(further_pages, 100U);
  EXPECT_GT(set_aside, count / 5);
  EXPECT_LT(set_aside, count - count / 10);
}

}  // namespace
}  // namespace lookalike
