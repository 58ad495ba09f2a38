#include "stages/decode/large_image_lock.h"

#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "base/work_limits.h"
#include "stages/decode/decode.h"

namespace lookalike {
namespace {

using namespace std::chrono_literals;

constexpr ImageHeader kLarge = {.width = 9000, .height = 8000};

LoadedFile png_of(int side, int type) {
  std::vector<std::uint8_t> bytes;
  cv::imencode(".png", cv::Mat::zeros(side, side, type), bytes);
  return loaded_bytes("picture.png", bytes);
}

// Work on a thread of its own.
class Work {
 public:
  explicit Work(std::function<bool()> work)
      : result_(std::async(std::launch::async, [this, work = std::move(work)] {
          thread_ = ::gettid();
          return work();
        })) {}

  // Waits until the work ends or its thread has slept for 20 ms, as it does while another holds the
  // lock; decoding itself sleeps for moments only. True if it slept.
  bool is_held_up() {
    int asleep = 0;
    while (result_.wait_for(1ms) != std::future_status::ready) {
      if (thread_ == 0) continue;
      std::string stat;
      std::getline(std::ifstream("/proc/self/task/" + std::to_string(thread_) + "/stat"), stat);
      asleep = stat.find(") S ") != std::string::npos ? asleep + 1 : 0;
      if (asleep == 20) return true;
    }
    return false;
  }
  bool get() { return result_.get(); }

 private:
  std::atomic<pid_t> thread_ = 0;
  std::future<bool> result_;
};

TEST(LargeImageLock, LargePicturesAreDecodedOneAtATime) {
  const LoadedFile small = png_of(100, CV_8U);
  const LoadedFile large = png_of(4001, CV_8UC4);  // 64 MB with its colours and transparency
  std::optional<LargeImageLock> lock(kLarge);
  EXPECT_TRUE(Work([&] { return decode(small, 100, {}).index() == 0; }).get())
      << "a small one waits for nobody";
  Work whole([&] { return decode(large, 100, {}).index() == 0; });
  Work part([&] {
    const Region region{.x = 0, .y = 0, .width = 100, .height = 100};
    return decode_region(large, region, 100, {}).index() == 0;
  });
  EXPECT_TRUE(whole.is_held_up());
  EXPECT_TRUE(part.is_held_up());
  lock.reset();
  EXPECT_TRUE(whole.get());
  EXPECT_TRUE(part.get());
}

TEST(LargeImageLock, LimitsLeaveLargePicturesToAnotherThread) {
  WorkLimits limits(WorkLimits::Clock::time_point::max());
  const LimitedWork limited(&limits);
  EXPECT_EQ(decode(png_of(100, CV_8U), 100, {}).index(), 0U);
  const LoadedFile large = png_of(4001, CV_8UC4);
  EXPECT_THROW(decode(large, 100, {}), LargeImage);
  limits.allow_large_images();
  EXPECT_EQ(decode(large, 100, {}).index(), 0U);
}

TEST(LargeImageLock, AThreadMayTakeItAgain) {
  std::optional<Work> other;  // ends after the locks
  const LargeImageLock of_file(SourceFile{.path = "a", .size_bytes = std::uint64_t{1} << 30U});
  const LargeImageLock of_picture(kLarge);
  other.emplace([] {
    const LargeImageLock waits(kLarge);
    return true;
  });
  EXPECT_TRUE(other->is_held_up());
}

}  // namespace
}  // namespace lookalike
