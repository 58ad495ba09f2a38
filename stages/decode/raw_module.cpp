#include <algorithm>
#include <libraw/libraw.h>
#include <memory>

#include "stages/decode/reader_modules.h"

namespace lookalike {
namespace {

using Bytes = std::vector<std::uint8_t>;

// "50132467"[orientation & 7], as libraw has it, read backwards.
int exif_orientation_of(int flip) {
  constexpr std::string_view kFlips = "50132467";
  const auto at = kFlips.find(static_cast<char>('0' + (flip & 7)));
  return at == 0 ? 8 : static_cast<int>(at);
}

// Empty for a form that is not known. Turns the picture.
Bytes pnm_file(libraw_processed_image_t& picture, int flip) {
  const std::size_t pixels = std::size_t{picture.width} * picture.height;
  const bool is_plain = (picture.colors == 1 || picture.colors == 3) && picture.bits == 8;
  if (!is_plain || pixels == 0 || picture.data_size < pixels * picture.colors) return {};
  const cv::Mat stored(picture.height, picture.width, CV_8UC(picture.colors), picture.data);
  const cv::Mat image = upright(stored, exif_orientation_of(flip));
  const std::string header = std::string(picture.colors == 1 ? "P5 " : "P6 ") +
                             std::to_string(image.cols) + ' ' + std::to_string(image.rows) +
                             " 255\n";
  Bytes file(header.begin(), header.end());
  file.insert(file.end(), image.datastart, image.dataend);
  return file;
}

RawPreview preview(std::span<const std::uint8_t> file, double max_pixels) {
  RawPreview result;
  const auto raw = std::make_unique<LibRaw>();
  raw->set_dataerror_handler(nullptr, nullptr);  // which would print
  const auto succeeds = [&](int code) {
    if (code == LIBRAW_UNSUFFICIENT_MEMORY) throw std::bad_alloc();
    if (code != LIBRAW_SUCCESS && code != LIBRAW_FILE_UNSUPPORTED) {
      result.problem = std::string("libraw: ") + libraw_strerror(code);
    }
    return code == LIBRAW_SUCCESS;
  };
  // libraw only reads from the buffer.
  if (!succeeds(raw->open_buffer(const_cast<std::uint8_t*>(file.data()), file.size()))) {
    return result;
  }
  const libraw_thumbnail_t& thumbnail = raw->imgdata.thumbnail;
  result.width = thumbnail.twidth;
  result.height = thumbnail.theight;
  const auto pixels = static_cast<double>(result.width * result.height);
  if (pixels > max_pixels || !succeeds(raw->unpack_thumb())) return result;
  // dcraw_make_mem_thumb() looks for EXIF in the first bytes of a JPEG preview, however short it
  // is.
  constexpr unsigned kShortest = 16;
  if (thumbnail.tlength < kShortest) {
    result.problem = "libraw: the preview has no picture";
    return result;
  }
  int code = LIBRAW_SUCCESS;
  const std::unique_ptr<libraw_processed_image_t, void (*)(libraw_processed_image_t*)> picture(
      raw->dcraw_make_mem_thumb(&code), LibRaw::dcraw_clear_mem);
  if (!succeeds(code) || picture == nullptr) return result;
  if (picture->type == LIBRAW_IMAGE_BITMAP) {
    result.file = pnm_file(*picture, raw->imgdata.sizes.flip);
  } else {
    result.file.assign(picture->data, picture->data + picture->data_size);
  }
  if (result.file.empty()) result.problem = "libraw: the preview has a form that is not known";
  return result;
}

}  // namespace

extern "C" {
extern const RawReader kLookalikeModule;
const RawReader kLookalikeModule = {preview};
}

}  // namespace lookalike
