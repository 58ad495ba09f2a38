#pragma once

#include <span>
#include <vector>

#include "kernels/correlation/correlation_jobs.h"
#include "kernels/session/session.h"

namespace lookalike {

// An image on the device, to look for many patterns in. Usable with the session that made it.
class CorrelationImage {
 public:
  CorrelationImage(OpenClSession& session, const ImageView& image);

  int width() const { return place_.width; }
  int height() const { return place_.height; }

 private:
  friend class Correlation;

  cl::Buffer planes_;
  PlacedImage place_;
  bool has_squares_ = false;  // made for the first mask
};

// Whether both are the same pixels in memory.
bool is_same_image(const ImageView& a, const ImageView& b);

// Where an image of this size lies when it is put at `offset`.
PlacedImage place_image(const ImageView& image, std::size_t offset);

// Copies the image to its place in `bytes`, which grows as needed.
void pack_image(const ImageView& image, const PlacedImage& place, std::vector<std::uint8_t>& bytes);

// Kernels read whole vectors, so up to so many bytes past the end of an image.
constexpr std::size_t kImageReadAhead = 512;

}  // namespace lookalike
