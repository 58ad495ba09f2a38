#include <bit>
#include <csetjmp>
#include <cstddef>
#include <cstring>
#include <png.h>
#include <string>
#include <string_view>
#include <vector>

#include "base/work_limits.h"
#include "stages/decode/readers.h"
#include "stages/decode/tiff.h"

namespace lookalike {
namespace {

// Names of the chunks that are skipped, each with a terminating zero. Text and profiles may
// decompress to gigabytes. gAMA, cHRM, sRGB and iCCP would make libpng compute grey in linear
// light; values are used as they are encoded, as in other formats.
constexpr std::string_view kSkippedChunks(
    "bKGD\0cHRM\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0sRGB\0sTER\0tEXt\0tIME"
    "\0"
    "zTXt",
    std::size_t{17} * 5);
// Maximum memory for one chunk. The largest that is kept is EXIF, which JPEG limits to 64 KiB.
constexpr png_alloc_size_t kMaxChunkBytes = png_alloc_size_t{1} << 20U;

void ignore_warning(png_structp /*png*/, png_const_charp /*message*/) {}

// Reads one file. Functions that libpng may leave by a jump have no destructors to run and no local
// variables to lose.
class PngFile {
 public:
  explicit PngFile(std::span<const std::uint8_t> file)
      : rest_(file),
        png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, this, jump_back, ignore_warning)),
        info_(png_ ? png_create_info_struct(png_) : nullptr),
        end_(png_ ? png_create_info_struct(png_) : nullptr) {}
  ~PngFile() { png_destroy_read_struct(&png_, &info_, &end_); }
  PngFile(const PngFile&) = delete;
  PngFile& operator=(const PngFile&) = delete;

  // Reads up to the pixels; false on failure.
  bool open() {
    if (!info_ || !end_) return false;
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER,
                                reinterpret_cast<png_const_bytep>(kSkippedChunks.data()),
                                static_cast<int>(kSkippedChunks.size() / 5));
    png_set_chunk_malloc_max(png_, kMaxChunkBytes);
    png_set_read_fn(png_, this, read_bytes);
    png_set_read_status_fn(png_, stop_if_overdue);
    png_read_info(png_, info_);
    return true;
  }

  // Returns what went wrong.
  std::string problem() const { return ran_out_ ? kEndsEarly : "libpng: " + message_; }

  // True if libpng sees the size that the limits were applied to.
  bool has_size(const std::optional<ImageHeader>& header) const {
    return header && header->width == png_get_image_width(png_, info_) &&
           header->height == png_get_image_height(png_, info_);
  }

  cv::Size size() const {
    return {static_cast<int>(png_get_image_width(png_, info_)),
            static_cast<int>(png_get_image_height(png_, info_))};
  }

  // Returns the type of the pixels in a mode.
  int type(PixelMode mode) const {
    if (mode == PixelMode::kGray) return CV_8U;
    if (mode == PixelMode::kColour) return CV_8UC3;
    const bool alpha =
        (kind() & PNG_COLOR_MASK_ALPHA) != 0 || (has_colour() && has(info_, PNG_INFO_tRNS));
    return CV_MAKETYPE(bits() == 16 ? CV_16U : CV_8U, alpha ? 4 : has_colour() ? 3 : 1);
  }

  // Reads into an image of this size and of type(mode), by its rows. False on failure, but not for
  // a file that ends or is damaged behind its last pixel.
  bool read(const cv::Mat& image, std::vector<png_bytep>& rows) {
    if (setjmp(png_jmpbuf(png_)) != 0) return are_rows_read_ || (ran_out_ && has_last_row());
    if (image.depth() == CV_8U) {
      png_set_strip_16(png_);
    } else if (std::endian::native == std::endian::little) {
      png_set_swap(png_);
    }
    if (image.channels() == 4) {
      png_set_tRNS_to_alpha(png_);
    } else {
      png_set_strip_alpha(png_);
    }
    if (kind() == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
    if (!has_colour() && bits() < 8) png_set_expand_gray_1_2_4_to_8(png_);
    if (image.channels() == 1) {
      png_set_rgb_to_gray(png_, PNG_ERROR_ACTION_NONE, kRedShare, kGreenShare);
    } else if (has_colour()) {
      png_set_bgr(png_);
    } else {
      png_set_gray_to_rgb(png_);
    }
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    png_read_image(png_, rows.data());
    are_rows_read_ = true;
    png_read_end(png_, end_);
    return true;
  }

  // Call after read(): EXIF may stand on either side of the pixels. 1 if it is damaged.
  int orientation() {
    png_uint_32 bytes = 0;
    png_bytep exif = nullptr;
    png_get_eXIf_1(png_, has(info_, PNG_INFO_eXIf) ? info_ : end_, &bytes, &exif);
    return exif_orientation({exif, bytes}).value_or(1);
  }

 private:
  // Weights of ITU-R BT.601, as in OpenCV; the rest is blue's.
  static constexpr double kRedShare = 0.299;
  static constexpr double kGreenShare = 0.587;

  [[noreturn]] static void jump_back(png_structp png, png_const_charp message) {
    static_cast<PngFile*>(png_get_error_ptr(png))->message_ = message;
    png_longjmp(png, 1);
  }
  // Called after each row.
  static void stop_if_overdue(png_structp png, png_uint_32 /*row*/, int /*pass*/) {
    if (is_overdue()) png_error(png, "the time is over");
  }
  static void read_bytes(png_structp png, png_bytep to, std::size_t count) {
    auto& file = *static_cast<PngFile*>(png_get_io_ptr(png));
    file.ran_out_ = count > file.rest_.size();
    if (file.ran_out_) png_error(png, "the file ends early");
    std::memcpy(to, file.rest_.data(), count);
    file.rest_ = file.rest_.subspan(count);
  }

  // True if the last row is in the image. libpng then reads on to the end of the pixels' chunks.
  bool has_last_row() const {
    constexpr int kPasses = 7;
    if (png_get_interlace_type(png_, info_) != PNG_INTERLACE_NONE) {
      return png_get_current_pass_number(png_) >= kPasses;
    }
    return png_get_current_row_number(png_) == png_get_image_height(png_, info_);
  }

  bool has(png_infop info, png_uint_32 chunk) const {
    return png_get_valid(png_, info, chunk) != 0;
  }
  int bits() const { return png_get_bit_depth(png_, info_); }
  int kind() const { return png_get_color_type(png_, info_); }
  bool has_colour() const { return (kind() & PNG_COLOR_MASK_COLOR) != 0; }

  std::span<const std::uint8_t> rest_;
  std::string message_;
  bool ran_out_ = false;  // libpng asked for bytes behind the end
  bool are_rows_read_ = false;
  png_structp png_;
  png_infop info_;
  png_infop end_;
};

}  // namespace

cv::Mat read_png(std::span<const std::uint8_t> file, PixelMode mode, std::string& problem) {
  PngFile png(file);
  if (png.open()) {
    if (!png.has_size(read_image_header(file))) {
      problem = kOtherSize;
      return {};
    }
    cv::Mat image(png.size(), png.type(mode));
    std::vector<png_bytep> rows;
    rows.reserve(static_cast<std::size_t>(image.rows));
    for (int y = 0; y < image.rows; ++y) rows.push_back(image.ptr(y));
    if (png.read(image, rows)) return upright(image, png.orientation());
  }
  check_time();
  problem = png.problem();
  return {};
}

}  // namespace lookalike
