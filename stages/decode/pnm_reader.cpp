#include <algorithm>
#include <limits>
#include <optional>

#include <opencv2/imgproc.hpp>

#include "base/work_limits.h"
#include "stages/decode/pnm.h"
#include "stages/decode/readers.h"

namespace lookalike {
namespace {

// Reads the samples of a picture, row by row, as 8 or 16 bits: the greatest number of these is the
// file's own maximum.
class PnmSamples {
 public:
  PnmSamples(ByteSpan file, const PnmHeader& header)
      : file_(file), header_(header), at_(header.pixels) {}

  // True if the file has as many bytes as its samples take at least.
  bool is_whole() const {
    const std::uint64_t samples = header_.width * header_.height * channels();
    const std::uint64_t bytes = header_.kind == 4   ? (header_.width + 7) / 8 * header_.height
                                : header_.kind == 1 ? samples
                                : header_.is_text() ? 2 * samples - 1
                                                    : samples * sample_bytes();
    return at_ <= file_.size() && bytes <= file_.size() - at_;
  }

  // Reads a row of width * channels() samples; false if the text lacks one.
  template <typename Sample>
  bool read_row(Sample* to) {
    const std::size_t samples = header_.width * channels();
    for (std::size_t i = 0; i < samples; ++i) {
      const auto value = header_.is_text() ? from_text() : std::optional(from_bytes(i));
      if (!value) return false;
      to[i] = scaled<Sample>(*value);
    }
    if (header_.kind == 4) {
      at_ += (header_.width + 7) / 8;
    } else if (!header_.is_text()) {
      at_ += samples * sample_bytes();
    }
    return true;
  }

  std::size_t channels() const { return header_.has_colour() ? 3 : 1; }

 private:
  std::size_t sample_bytes() const { return header_.maximum > 255 ? 2 : 1; }

  std::uint64_t from_bytes(std::size_t i) const {
    if (header_.kind == 4) return file_[at_ + i / 8] >> (7 - i % 8) & 1;
    return big_endian(file_, at_ + i * sample_bytes(), sample_bytes());
  }

  // The digits of a bitmap need nothing between them.
  std::optional<std::uint64_t> from_text() {
    skip_pnm_space(file_, at_);
    if (header_.kind != 1) return read_pnm_number(file_, at_);
    if (at_ >= file_.size() || (file_[at_] != '0' && file_[at_] != '1')) return std::nullopt;
    return file_[at_++] - std::uint64_t{'0'};
  }

  // The ones of a bitmap are black.
  template <typename Sample>
  Sample scaled(std::uint64_t value) const {
    constexpr std::uint64_t kWhite = std::numeric_limits<Sample>::max();
    const std::uint64_t maximum = header_.maximum;
    const std::uint64_t light = header_.is_bitmap() ? 1 - value : std::min(value, maximum);
    return static_cast<Sample>((light * kWhite + maximum / 2) / maximum);
  }

  ByteSpan file_;
  PnmHeader header_;
  std::size_t at_;
};

}  // namespace

cv::Mat read_pnm(std::span<const std::uint8_t> file, PixelMode mode, std::string& problem) {
  const std::optional<PnmHeader> header = read_pnm_header(file);
  PnmSamples samples(file, header.value_or(PnmHeader{}));
  if (!header || !samples.is_whole()) {
    problem = kEndsEarly;
    return {};
  }
  const bool is_deep = mode == PixelMode::kAsStored && header->maximum > 255;
  cv::Mat image(static_cast<int>(header->height), static_cast<int>(header->width),
                CV_MAKETYPE(is_deep ? CV_16U : CV_8U, header->has_colour() ? 3 : 1));
  for (int y = 0; y < image.rows; ++y) {
    check_time();
    if (is_deep ? samples.read_row(image.ptr<std::uint16_t>(y)) : samples.read_row(image.ptr(y))) {
      continue;
    }
    problem = "a pixel is no number";
    return {};
  }
  const bool is_gray = mode == PixelMode::kGray;
  if (header->has_colour()) {
    cv::cvtColor(image, image, is_gray ? cv::COLOR_RGB2GRAY : cv::COLOR_RGB2BGR);
  } else if (mode == PixelMode::kColour) {
    cv::cvtColor(image, image, cv::COLOR_GRAY2BGR);
  }
  return image;
}

}  // namespace lookalike
