#include <memory>
#include <new>
#include <webp/decode.h>
#include <webp/demux.h>

#include "stages/decode/readers.h"

namespace lookalike {
namespace {

std::optional<ImageHeader> read_header(std::span<const std::uint8_t> file, std::string& problem) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(file.data(), file.size(), &features) != VP8_STATUS_OK) {
    problem = "libwebp: the header cannot be read";
    return std::nullopt;
  }
  return ImageHeader{.width = static_cast<std::uint64_t>(features.width),
                     .height = static_cast<std::uint64_t>(features.height),
                     .format = ImageFormat::kAnimatedWebp,
                     .has_alpha = true};
}

// libwebp draws the first frame on a transparent canvas.
cv::Mat read(std::span<const std::uint8_t> file, PixelMode /*mode*/, std::string& problem) {
  WebPAnimDecoderOptions options;
  WebPAnimDecoderOptionsInit(&options);
  options.color_mode = MODE_BGRA;
  const WebPData data = {file.data(), file.size()};
  const std::unique_ptr<WebPAnimDecoder, void (*)(WebPAnimDecoder*)> decoder(
      WebPAnimDecoderNew(&data, &options), WebPAnimDecoderDelete);
  if (decoder == nullptr) {  // the file is damaged, or memory has run out
    const std::unique_ptr<WebPDemuxer, void (*)(WebPDemuxer*)> demuxer(WebPDemux(&data),
                                                                       WebPDemuxDelete);
    if (demuxer != nullptr) throw std::bad_alloc();
  }
  WebPAnimInfo info{};
  std::uint8_t* pixels = nullptr;
  int timestamp_ms = 0;
  if (decoder == nullptr || WebPAnimDecoderGetInfo(decoder.get(), &info) == 0 ||
      WebPAnimDecoderGetNext(decoder.get(), &pixels, &timestamp_ms) == 0) {
    problem = "libwebp: the first frame cannot be read";
    return {};
  }
  return cv::Mat(static_cast<int>(info.canvas_height), static_cast<int>(info.canvas_width), CV_8UC4,
                 pixels)
      .clone();
}

}  // namespace

extern "C" {
extern const ImageReader LOOKALIKE_MODULE_EXPORTS;
const ImageReader LOOKALIKE_MODULE_EXPORTS = {read_header, read, nullptr};
}

}  // namespace lookalike
