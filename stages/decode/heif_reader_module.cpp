#include <libheif/heif.h>
#include <memory>

#include <opencv2/imgproc.hpp>

#include "stages/decode/readers.h"

namespace lookalike {
namespace {

// heif_suberror_No_matching_decoder_installed; libheif 1.16 and later.
constexpr int kNoMatchingDecoder = 6003;

// Reads the primary image of a file, rotated, mirrored and cropped as its properties demand. HEIF
// ignores the orientation in EXIF.
class HeifFile {
 public:
  explicit HeifFile(std::span<const std::uint8_t> file)
      : context_(heif_context_alloc(), heif_context_free) {
    if (context_ == nullptr) throw std::bad_alloc();
    heif_image_handle* handle = nullptr;
    if (succeeds(heif_context_read_from_memory_without_copy(context_.get(), file.data(),
                                                            file.size(), nullptr)) &&
        succeeds(heif_context_get_primary_image_handle(context_.get(), &handle))) {
      handle_.reset(handle);
    }
  }

  bool is_open() const { return handle_ != nullptr; }
  const std::string& problem() const { return problem_; }  // empty if libheif lacks a part

  ImageHeader header() const {
    const auto side = [](int px) { return static_cast<std::uint64_t>(std::max(px, 0)); };
    return {.width = side(heif_image_handle_get_width(handle_.get())),
            .height = side(heif_image_handle_get_height(handle_.get())),
            .format = ImageFormat::kHeif,
            .has_alpha = has_alpha(),
            .premultiplied = heif_image_handle_is_premultiplied_alpha(handle_.get()) != 0};
  }

  // Returns an empty matrix on failure.
  cv::Mat read(PixelMode mode) {
    const std::unique_ptr<heif_decoding_options, void (*)(heif_decoding_options*)> options(
        heif_decoding_options_alloc(), heif_decoding_options_free);
    if (options == nullptr) throw std::bad_alloc();
    options->convert_hdr_to_8bit = 1;
    heif_image* decoded = nullptr;
    if (!succeeds(heif_decode_image(
            handle_.get(), &decoded, heif_colorspace_RGB,
            has_alpha() ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB,
            options.get()))) {
      return {};
    }
    const std::unique_ptr<const heif_image, void (*)(const heif_image*)> image(decoded,
                                                                               heif_image_release);
    int stride = 0;
    const std::uint8_t* const plane =
        heif_image_get_plane_readonly(decoded, heif_channel_interleaved, &stride);
    const cv::Size size(heif_image_get_width(decoded, heif_channel_interleaved),
                        heif_image_get_height(decoded, heif_channel_interleaved));
    if (plane == nullptr || size.empty()) {
      problem_ = "libheif: the image has no pixels";
      return {};
    }
    const cv::Mat rgb(size, has_alpha() ? CV_8UC4 : CV_8UC3, const_cast<std::uint8_t*>(plane),
                      static_cast<std::size_t>(stride));
    cv::Mat result;
    cv::cvtColor(rgb, result,
                 has_alpha()                ? cv::COLOR_RGBA2BGRA
                 : mode == PixelMode::kGray ? cv::COLOR_RGB2GRAY
                                            : cv::COLOR_RGB2BGR);
    return result;
  }

 private:
  bool has_alpha() const { return heif_image_handle_has_alpha_channel(handle_.get()) != 0; }

  bool succeeds(const heif_error& error) {
    if (error.code == heif_error_Ok) return true;
    if (error.subcode == heif_suberror_Unspecified &&
        error.code == heif_error_Memory_allocation_error) {
      throw std::bad_alloc();
    }
    const bool lacks_part =
        error.code == heif_error_Unsupported_feature || error.subcode == kNoMatchingDecoder;
    problem_ = lacks_part ? std::string() : std::string("libheif: ") + error.message;
    problem_.erase(problem_.find_last_not_of('\n') + 1);  // libheif passes on others' messages
    return false;
  }

  std::unique_ptr<heif_context, void (*)(heif_context*)> context_;
  std::unique_ptr<const heif_image_handle, void (*)(const heif_image_handle*)> handle_{
      nullptr, heif_image_handle_release};
  std::string problem_;
};

std::optional<ImageHeader> read_header(std::span<const std::uint8_t> file, std::string& problem) {
  const HeifFile heif(file);
  if (heif.is_open()) return heif.header();
  problem = heif.problem();
  return std::nullopt;
}

cv::Mat read(std::span<const std::uint8_t> file, PixelMode mode, std::string& problem) {
  HeifFile heif(file);
  cv::Mat image;
  if (heif.is_open()) image = heif.read(mode);
  if (image.empty()) problem = heif.problem();
  return image;
}

// Newer releases of libheif load decoders as plugins, with their first context.
bool has_decoder(std::string_view format_name) {
  const std::unique_ptr<heif_context, void (*)(heif_context*)> context(heif_context_alloc(),
                                                                       heif_context_free);
  return heif_have_decoder_for_format(format_name == "AVIF" ? heif_compression_AV1
                                                            : heif_compression_HEVC) != 0;
}

}  // namespace

extern "C" {
extern const ImageReader LOOKALIKE_MODULE_EXPORTS;
const ImageReader LOOKALIKE_MODULE_EXPORTS = {read_header, read, has_decoder};
}

}  // namespace lookalike
