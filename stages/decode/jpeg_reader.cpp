#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>

#include "stages/decode/readers.h"
#include "stages/decode/tiff.h"

namespace lookalike {
namespace {

// Makes libjpeg jump back on an error, count warnings and print nothing.
struct Failures {
  jpeg_error_mgr manager{};  // the first member: libjpeg passes its address
  std::jmp_buf back{};
};

void jump_back(j_common_ptr jpeg) {
  std::longjmp(reinterpret_cast<Failures*>(jpeg->err)->back, 1);
}

void count_warnings(j_common_ptr jpeg, int level) {
  if (level < 0) ++jpeg->err->num_warnings;
}

// Reads one file. Functions that libjpeg may leave by a jump have no destructors to run and no
// local variables to lose.
class JpegFile {
 public:
  explicit JpegFile(std::span<const std::uint8_t> file) : file_(file) {
    jpeg_.err = jpeg_std_error(&failures_.manager);
    failures_.manager.error_exit = jump_back;
    failures_.manager.emit_message = count_warnings;
  }
  ~JpegFile() { jpeg_destroy_decompress(&jpeg_); }
  JpegFile(const JpegFile&) = delete;
  JpegFile& operator=(const JpegFile&) = delete;

  // Reads up to the pixels; false on failure and for files left to OpenCV.
  bool open(PixelMode mode, int divisor) {
    if (setjmp(failures_.back) != 0) return false;
    jpeg_create_decompress(&jpeg_);
    jpeg_mem_src(&jpeg_, file_.data(), file_.size());
    jpeg_save_markers(&jpeg_, JPEG_APP0 + 1, 0xffff);
    jpeg_read_header(&jpeg_, TRUE);
    if (jpeg_.num_components != 1 && jpeg_.num_components != 3) return false;
    jpeg_.out_color_space = mode == PixelMode::kGray ? JCS_GRAYSCALE : JCS_EXT_BGR;
    jpeg_.scale_num = 1;
    jpeg_.scale_denom = static_cast<unsigned>(divisor);
    jpeg_calc_output_dimensions(&jpeg_);
    return true;
  }

  cv::Size size() const {
    return {static_cast<int>(jpeg_.output_width), static_cast<int>(jpeg_.output_height)};
  }

  // Reads the orientation from the first APP1 segment, which holds EXIF if any does.
  std::optional<int> orientation() const {
    constexpr std::size_t kName = 6;  // "Exif", two zeros
    const jpeg_saved_marker_ptr segment = jpeg_.marker_list;
    if (segment == nullptr || segment->data_length <= kName) return 1;
    return exif_orientation({segment->data + kName, segment->data_length - kName});
  }

  // Reads into an image of this size. False on failure, and on a warning, after which pixels are
  // arbitrary.
  bool read(cv::Mat& image) {
    if (setjmp(failures_.back) != 0) return false;
    jpeg_start_decompress(&jpeg_);
    while (jpeg_.output_scanline < jpeg_.output_height) {
      JSAMPROW row = image.ptr(static_cast<int>(jpeg_.output_scanline));
      jpeg_read_scanlines(&jpeg_, &row, 1);
    }
    jpeg_finish_decompress(&jpeg_);
    return failures_.manager.num_warnings == 0;
  }

 private:
  std::span<const std::uint8_t> file_;
  Failures failures_;
  jpeg_decompress_struct jpeg_{};
};

}  // namespace

cv::Mat read_jpeg(std::span<const std::uint8_t> file, PixelMode mode, int divisor) {
  JpegFile jpeg(file);
  if (!jpeg.open(mode, divisor)) return {};
  const std::optional<int> orientation = jpeg.orientation();
  if (!orientation) return {};
  cv::Mat image(jpeg.size(), mode == PixelMode::kGray ? CV_8U : CV_8UC3);
  if (!jpeg.read(image)) return {};
  return upright(image, *orientation);
}

}  // namespace lookalike
