#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/image.h"

namespace lookalike {

// Pixels evenly spread over all greys; the same seed gives the same picture everywhere.
GrayImage noise_picture(int width, int height, std::uint64_t seed);

// Smooth noise of many scales, as features find it in photos: about 5000 of SURF's in
// 1920 x 1080 above kPictureHessianThreshold.
GrayImage textured_picture(int width, int height, std::uint64_t seed);
inline constexpr float kPictureHessianThreshold = 2850;

// Values in [0, 1).
std::vector<float> noise_values(std::size_t count, std::uint64_t seed);

// What is made when it is first asked for and then kept; copies share it.
template <typename Value>
class Lazy {
 public:
  explicit Lazy(std::function<Value()> make) : state_(std::make_shared<State>(std::move(make))) {}
  const Value& get() const {
    if (!state_->value) state_->value = std::make_unique<Value>(state_->make());
    return *state_->value;
  }

 private:
  struct State {
    explicit State(std::function<Value()> maker) : make(std::move(maker)) {}
    std::function<Value()> make;
    std::unique_ptr<Value> value;
  };
  std::shared_ptr<State> state_;
};

}  // namespace lookalike
