// Image files as a bad disk or a bad person leaves them.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/content_hash.h"
#include "stages/decode/decode.h"
#include "tests/stages/pictures.h"
#include "tools/example/drawing.h"

namespace lookalike {
namespace {

std::vector<FileBytes> whole_files() {
  std::vector<FileBytes> files;
  for (const std::string& extension : image_file_extensions()) {
    cv::Mat colour;
    cv::cvtColor(draw_picture(70, 50, 1), colour, cv::COLOR_GRAY2BGR);
    files.push_back(encode(extension, colour));
  }
  return files;
}

// What comes back is an image of the size it says, or a file set aside with a reason.
TEST(MutatedImages, AreDecodedOrSetAside) {
  ImagesOptions limits;
  limits.max_megapixels = 4;
  const std::vector<FileBytes> files = whole_files();
  Random random(1);
  std::size_t set_aside = 0;
  constexpr int kFiles = 1000;
  for (int i = 0; i < kFiles; ++i) {
    LoadedFile loaded;
    loaded.bytes = mutated(files[static_cast<std::size_t>(i) % files.size()], files, random);
    loaded.content = hash_content(loaded.bytes);
    const auto result = decode(loaded, 1024, limits);
    if (const auto* skipped = std::get_if<SkippedFile>(&result)) {
      EXPECT_FALSE(skipped->reason.empty());
      ++set_aside;
      continue;
    }
    const auto& image = std::get<DecodedImage>(result);
    EXPECT_EQ(image.pixels.pixels.size(), static_cast<std::size_t>(image.pixels.width) *
                                              static_cast<std::size_t>(image.pixels.height));
    EXPECT_LE(std::max(image.pixels.width, image.pixels.height), 1024);
    EXPECT_LE(static_cast<double>(image.record.width) * image.record.height, 4e6);
  }
  EXPECT_GT(set_aside, 200U);
  EXPECT_LT(set_aside, 900U);
}

}  // namespace
}  // namespace lookalike
