#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <jerror.h>
#include <jpeglib.h>
#include <span>
#include <string>
#include <string_view>

#include <opencv2/imgproc.hpp>

#include "base/work_limits.h"
#include "stages/decode/readers.h"

namespace lookalike {
namespace {

// Maximum number of scans. Encoders write some twenty at most, while a scan of a hundred bytes may
// repeat the work of a whole decoding.
constexpr int kMaxScans = 100;
// Maximum of scans times pixels: 25 scans of 100 megapixels, about a second's work.
constexpr std::uint64_t kMaxScannedPixels = 2'500'000'000;

// Makes libjpeg jump back with its message on an error, and print nothing.
struct Failures {
  jpeg_error_mgr manager{};  // the first member: libjpeg passes its address
  std::jmp_buf back{};
  bool is_damaged = false;  // some pixels are guessed
  std::array<char, JMSG_LENGTH_MAX> message{};
};

void jump_back(j_common_ptr jpeg) {
  auto& failures = *reinterpret_cast<Failures*>(jpeg->err);
  jpeg->err->format_message(jpeg, failures.message.data());
  std::longjmp(failures.back, 1);
}

// Notes the first warning but that the end marker is missing. Negative levels are warnings.
void note_damage(j_common_ptr jpeg, int level) {
  auto& failures = *reinterpret_cast<Failures*>(jpeg->err);
  if (level >= 0 || failures.is_damaged || jpeg->err->msg_code == JWRN_JPEG_EOF) return;
  failures.is_damaged = true;
  jpeg->err->format_message(jpeg, failures.message.data());
}

// Ends reading at the limits of scans, and when the time of this thread's work is over. libjpeg
// calls it at every row of blocks.
void limit_work(j_common_ptr jpeg) {
  const auto& reading = *reinterpret_cast<j_decompress_ptr>(jpeg);
  const auto scans = static_cast<std::uint64_t>(reading.input_scan_number);
  const std::uint64_t pixels = std::uint64_t{reading.image_width} * reading.image_height;
  const bool is_usual = scans <= kMaxScans && scans * pixels <= kMaxScannedPixels;
  if (is_usual && !is_overdue()) return;
  auto& failures = *reinterpret_cast<Failures*>(jpeg->err);
  std::snprintf(failures.message.data(), failures.message.size(), "more than %d scans",
                static_cast<int>(scans) - 1);
  std::longjmp(failures.back, 1);
}

// Converts from Adobe's CMYK, whose values are inverted, in place of a colour profile.
cv::Mat bgr_of(const cv::Mat& cmyk) {
  cv::Mat bgr(cmyk.size(), CV_8UC3);
  for (int y = 0; y < cmyk.rows; ++y) {
    const auto* from = cmyk.ptr<cv::Vec4b>(y);
    auto* to = bgr.ptr<cv::Vec3b>(y);
    for (int x = 0; x < cmyk.cols; ++x) {
      for (int i = 0; i < 3; ++i) {
        const int ink = 255 - from[x][2 - i];
        to[x][i] = static_cast<std::uint8_t>(from[x][3] - (ink * from[x][3] >> 8));
      }
    }
  }
  return bgr;
}

// Reads one file. Functions that libjpeg may leave by a jump have no destructors to run and no
// local variables to lose.
class JpegFile {
 public:
  explicit JpegFile(std::span<const std::uint8_t> file) : file_(file) {
    jpeg_.err = jpeg_std_error(&failures_.manager);
    failures_.manager.error_exit = jump_back;
    failures_.manager.emit_message = note_damage;
    progress_.progress_monitor = limit_work;
  }
  ~JpegFile() { jpeg_destroy_decompress(&jpeg_); }
  JpegFile(const JpegFile&) = delete;
  JpegFile& operator=(const JpegFile&) = delete;

  // Reads up to the pixels; false on failure.
  bool open(PixelMode mode, int divisor) {
    if (setjmp(failures_.back) != 0) return false;
    jpeg_create_decompress(&jpeg_);
    jpeg_.progress = &progress_;
    jpeg_mem_src(&jpeg_, file_.data(), file_.size());
    jpeg_read_header(&jpeg_, TRUE);
    jpeg_.out_color_space = is_cmyk()                  ? JCS_CMYK
                            : mode == PixelMode::kGray ? JCS_GRAYSCALE
                                                       : JCS_EXT_BGR;
    jpeg_.scale_num = 1;
    jpeg_.scale_denom = static_cast<unsigned>(divisor);
    jpeg_calc_output_dimensions(&jpeg_);
    return true;
  }

  bool is_cmyk() const { return jpeg_.num_components == 4; }
  const char* message() const { return failures_.message.data(); }

  bool is_damaged() const { return failures_.is_damaged; }

  // True if libjpeg sees the size that the limits were applied to.
  bool has_size(const std::optional<ImageHeader>& header) const {
    return header && header->width == jpeg_.image_width && header->height == jpeg_.image_height;
  }

  cv::Size size() const {
    return {static_cast<int>(jpeg_.output_width), static_cast<int>(jpeg_.output_height)};
  }

  // Reads into an image of this size; false on failure. Where the file is damaged, pixels are what
  // libjpeg puts in their place.
  bool read(cv::Mat& image) {
    if (setjmp(failures_.back) != 0) return false;
    jpeg_start_decompress(&jpeg_);
    while (jpeg_.output_scanline < jpeg_.output_height) {
      JSAMPROW row = image.ptr(static_cast<int>(jpeg_.output_scanline));
      jpeg_read_scanlines(&jpeg_, &row, 1);
    }
    jpeg_finish_decompress(&jpeg_);
    return true;
  }

 private:
  std::span<const std::uint8_t> file_;
  Failures failures_;
  jpeg_progress_mgr progress_{};
  jpeg_decompress_struct jpeg_{};
};

}  // namespace

cv::Mat read_jpeg(std::span<const std::uint8_t> file, PixelMode mode, int divisor,
                  std::string& problem) {
  JpegFile jpeg(file);
  if (jpeg.open(mode, divisor)) {
    const std::optional<ImageHeader> header = read_image_header(file);
    if (!jpeg.has_size(header)) {
      problem = kOtherSize;
      return {};
    }
    cv::Mat image(jpeg.size(), jpeg.is_cmyk()             ? CV_8UC4
                               : mode == PixelMode::kGray ? CV_8U
                                                          : CV_8UC3);
    const bool is_read = jpeg.read(image);
    if (is_read && jpeg.is_damaged() && lacks_end_marker(file)) {
      problem = kEndsEarly;
      return {};
    }
    if (is_read) {
      if (jpeg.is_damaged()) problem = std::string("libjpeg: ") + jpeg.message();
      if (jpeg.is_cmyk()) image = bgr_of(image);
      if (mode == PixelMode::kGray && image.channels() == 3) {
        cv::cvtColor(image, image, cv::COLOR_BGR2GRAY);
      }
      return upright(image, header->orientation);
    }
  }
  check_time();
  problem = std::string("libjpeg: ") + jpeg.message();
  return {};
}

}  // namespace lookalike
