#include "stages/decode/large_turn.h"

#include <chrono>
#include <future>
#include <optional>
#include <variant>

#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "stages/decode/decode.h"

namespace lookalike {
namespace {

using namespace std::chrono_literals;

constexpr ImageHeader kLarge = {.width = 9000, .height = 8000};

LoadedFile png(int side, int type) {
  std::vector<std::uint8_t> bytes;
  cv::imencode(".png", cv::Mat::zeros(side, side, type), bytes);
  return loaded_bytes("picture.png", bytes);
}

TEST(LargeTurn, LargePicturesAreDecodedOneAtATime) {
  const LoadedFile small = png(100, CV_8U);
  const LoadedFile large = png(4001, CV_8UC4);  // 64 MB with its colours and transparency
  std::optional<LargeTurn> turn(kLarge);
  const auto decodes = [](const LoadedFile& file, std::optional<Region> region = {}) {
    return std::async(std::launch::async, [&file, region] {
      return (region ? decode_region(file, *region, 100, {}) : decode(file, 100, {})).index() == 0;
    });
  };
  EXPECT_TRUE(decodes(small).get()) << "a small one waits for nobody";
  auto whole = decodes(large);
  auto part = decodes(large, Region{.x = 0, .y = 0, .width = 100, .height = 100});
  EXPECT_EQ(whole.wait_for(500ms), std::future_status::timeout);
  EXPECT_EQ(part.wait_for(0s), std::future_status::timeout);
  turn.reset();
  EXPECT_TRUE(whole.get());
  EXPECT_TRUE(part.get());
}

TEST(LargeTurn, AThreadMayTakeItAgain) {
  std::future<void> other;  // ends after the turns
  const LargeTurn of_file(SourceFile{.path = "a", .size_bytes = std::uint64_t{1} << 30U});
  const LargeTurn of_picture(kLarge);
  other = std::async(std::launch::async, [] { const LargeTurn waits(kLarge); });
  EXPECT_EQ(other.wait_for(100ms), std::future_status::timeout);
}

}  // namespace
}  // namespace lookalike
