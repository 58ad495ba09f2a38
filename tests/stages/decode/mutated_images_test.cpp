// Image files as a bad disk or a bad person leaves them.

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "pipeline/content_hash.h"
#include "stages/decode/decode.h"
#include "tests/stages/pictures.h"

namespace lookalike {
namespace {

using File = std::vector<std::uint8_t>;

std::vector<File> whole_files() {
  std::vector<File> files;
  for (const char* extension : {".jpg", ".png", ".webp", ".tiff", ".bmp", ".ppm", ".jp2"}) {
    cv::Mat colour;
    cv::cvtColor(draw_picture(70, 50, 1), colour, cv::COLOR_GRAY2BGR);
    files.push_back(encode(extension, colour));
  }
  return files;
}

// Flipped bits, most of them near the start, a lost end, or another format's start.
File mutated(File file, const std::vector<File>& others, std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return random() % limit; };
  switch (below(4)) {
    case 0:
      file.resize(below(file.size()));
      return file;
    case 1: {
      const File& other = others[below(others.size())];
      std::copy_n(other.begin(), std::min({std::size_t{16}, other.size(), file.size()}),
                  file.begin());
      return file;
    }
    default:
      for (std::size_t i = 1 + below(8); i > 0; --i) {
        const std::size_t range =
            below(2) == 0 ? std::min<std::size_t>(64, file.size()) : file.size();
        file[below(range)] ^= static_cast<std::uint8_t>(1U << below(8));
      }
      return file;
  }
}

// What comes back is an image of the size it says, or a file set aside with a reason.
TEST(MutatedImages, AreDecodedOrSetAside) {
  ImagesOptions limits;
  limits.max_megapixels = 4;
  const std::vector<File> files = whole_files();
  std::mt19937 random(1);
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
