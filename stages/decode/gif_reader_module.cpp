#include <algorithm>
#include <array>
#include <cstring>
#include <gif_lib.h>
#include <vector>

#include "stages/decode/readers.h"

namespace lookalike {
namespace {

// Reads a file up to its first picture.
class GifFile {
 public:
  explicit GifFile(std::span<const std::uint8_t> file) : rest_(file) {
    gif_ = DGifOpen(this, read_bytes, &error_);
  }
  ~GifFile() {
    if (gif_ != nullptr) DGifCloseFile(gif_, nullptr);
  }
  GifFile(const GifFile&) = delete;
  GifFile& operator=(const GifFile&) = delete;

  // Reads up to the pixels; false on failure.
  bool open() {
    if (gif_ == nullptr) return false;
    GifRecordType type = UNDEFINED_RECORD_TYPE;
    while (DGifGetRecordType(gif_, &type) == GIF_OK) {
      if (type == IMAGE_DESC_RECORD_TYPE) return DGifGetImageDesc(gif_) == GIF_OK;
      if (type == TERMINATE_RECORD_TYPE) {
        error_ = D_GIF_ERR_NO_IMAG_DSCR;
        return false;
      }
      if (type == EXTENSION_RECORD_TYPE && !read_extension()) return false;
    }
    return false;
  }

  // Returns the screen's size, enlarged if the picture exceeds it.
  cv::Size size() const {
    const GifImageDesc& place = gif_->Image;
    return {std::max(gif_->SWidth, place.Left + place.Width),
            std::max(gif_->SHeight, place.Top + place.Height)};
  }

  // Reads into a transparent image of this size, CV_8UC4. False on failure.
  bool read(cv::Mat& image) {
    const GifImageDesc& place = gif_->Image;
    const ColorMapObject* const map = place.ColorMap ? place.ColorMap : gif_->SColorMap;
    if (map == nullptr) {
      error_ = D_GIF_ERR_NO_COLOR_MAP;
      return false;
    }
    std::array<cv::Vec4b, 256> colours{};
    for (int i = 0; i < 256; ++i) {
      const GifColorType colour = i < map->ColorCount ? map->Colors[i] : GifColorType{};
      const std::uint8_t alpha = i == control_.TransparentColor ? 0 : 255;
      colours[static_cast<std::size_t>(i)] = {colour.Blue, colour.Green, colour.Red, alpha};
    }
    std::vector<GifPixelType> line(static_cast<std::size_t>(place.Width));
    // An interlaced picture comes in four passes.
    struct Pass {
      int first;
      int step;
    };
    static constexpr std::array<Pass, 4> kInterlaced = {{{0, 8}, {4, 8}, {2, 4}, {1, 2}}};
    static constexpr std::array<Pass, 1> kPlain = {{{0, 1}}};
    const std::span<const Pass> passes =
        place.Interlace ? std::span<const Pass>(kInterlaced) : std::span<const Pass>(kPlain);
    for (const auto& [first, step] : passes) {
      for (int y = first; y < place.Height; y += step) {
        if (DGifGetLine(gif_, line.data(), place.Width) != GIF_OK) return false;
        auto* pixels = image.ptr<cv::Vec4b>(place.Top + y) + place.Left;
        std::ranges::transform(line, pixels, [&](GifPixelType index) { return colours[index]; });
      }
    }
    return true;
  }

  std::string problem() const {
    const int code = error_ != 0 || gif_ == nullptr ? error_ : gif_->Error;
    const char* const text = GifErrorString(code);
    return std::string("giflib: ") + (text != nullptr ? text : "the file cannot be read");
  }

 private:
  static int read_bytes(GifFileType* gif, GifByteType* to, int count) {
    auto& rest = static_cast<GifFile*>(gif->UserData)->rest_;
    const std::size_t bytes = std::min(rest.size(), static_cast<std::size_t>(std::max(count, 0)));
    std::memcpy(to, rest.data(), bytes);
    rest = rest.subspan(bytes);
    return static_cast<int>(bytes);
  }

  bool read_extension() {
    int code = 0;
    GifByteType* block = nullptr;  // its first byte is its length
    if (DGifGetExtension(gif_, &code, &block) != GIF_OK) return false;
    while (block != nullptr) {
      if (code == GRAPHICS_EXT_FUNC_CODE) DGifExtensionToGCB(block[0], block + 1, &control_);
      if (DGifGetExtensionNext(gif_, &block) != GIF_OK) return false;
    }
    return true;
  }

  std::span<const std::uint8_t> rest_;
  GifFileType* gif_ = nullptr;
  GraphicsControlBlock control_{0, false, 0, NO_TRANSPARENT_COLOR};
  int error_ = 0;
};

std::optional<ImageHeader> read_header(std::span<const std::uint8_t> file, std::string& problem) {
  GifFile gif(file);
  if (gif.open() && !gif.size().empty()) {
    const cv::Size size = gif.size();
    return ImageHeader{.width = static_cast<std::uint64_t>(size.width),
                       .height = static_cast<std::uint64_t>(size.height),
                       .format = ImageFormat::kGif,
                       .has_alpha = true};
  }
  problem = gif.problem();
  return std::nullopt;
}

cv::Mat read(std::span<const std::uint8_t> file, PixelMode /*mode*/, std::string& problem) {
  GifFile gif(file);
  cv::Mat image;
  if (gif.open()) {
    image = cv::Mat(gif.size(), CV_8UC4, cv::Scalar::all(0));
    if (gif.read(image)) return image;
  }
  problem = gif.problem();
  return {};
}

}  // namespace

extern "C" {
extern const ImageReader LOOKALIKE_MODULE_EXPORTS;
const ImageReader LOOKALIKE_MODULE_EXPORTS = {read_header, read, nullptr};
}

}  // namespace lookalike
