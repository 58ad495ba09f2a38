#include "tools/example/image_files.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <opencv2/imgproc.hpp>

#include "base/error.h"
#include "config/image_formats.h"
#include "stages/decode/opencv_codecs.h"

#if LOOKALIKE_HAS_GIF
#include <gif_lib.h>
#endif
#if LOOKALIKE_HAS_HEIF
#include <libheif/heif.h>
#endif

namespace lookalike {
namespace {

void append(FileBytes& to, const FileBytes& bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

constexpr int kJpegQuality = 88;
[[maybe_unused]] constexpr int kHeifQuality = 90;

template <const char* ending>
FileBytes make_by_opencv(const cv::Mat& picture) {
  return encode_image(ending, picture, kJpegQuality);
}
constexpr char kJpeg[] = ".jpg";
constexpr char kPng[] = ".png";
constexpr char kWebp[] = ".webp";
constexpr char kTiff[] = ".tiff";
constexpr char kBmp[] = ".bmp";
constexpr char kPpm[] = ".ppm";
constexpr char kJp2[] = ".jp2";

// The colours of a GIF: a level of grey each, or a cube of 6 x 7 x 6 colours. The last is left for
// what is transparent.
constexpr int kTransparent = 255;
constexpr int kReds = 6;
constexpr int kGreens = 7;
constexpr int kBlues = 6;

int nearest_step(int value, int steps) {
  return (value * (steps - 1) + 127) / 255;
}

std::uint8_t gif_colour(const cv::Mat& picture, int y, int x) {
  if (picture.channels() == 1) {
    return std::min<std::uint8_t>(picture.at<std::uint8_t>(y, x), kTransparent - 1);
  }
  const std::uint8_t* const pixel = picture.ptr(y, x);
  if (picture.channels() == 4 && pixel[3] < 128) return kTransparent;
  return static_cast<std::uint8_t>(
      (nearest_step(pixel[2], kReds) * kGreens + nearest_step(pixel[1], kGreens)) * kBlues +
      nearest_step(pixel[0], kBlues));
}

#if LOOKALIKE_HAS_GIF
int write_gif(GifFileType* gif, const GifByteType* bytes, int count) {
  auto& file = *static_cast<FileBytes*>(gif->UserData);
  file.insert(file.end(), bytes, bytes + count);
  return count;
}

std::array<GifColorType, 256> gif_colours(bool gray) {
  std::array<GifColorType, 256> colours{};
  for (int i = 0; i < kTransparent; ++i) {
    auto& colour = colours[static_cast<std::size_t>(i)];
    const auto level = [](int step, int steps) {
      return static_cast<GifByteType>(std::min(step, steps - 1) * 255 / (steps - 1));
    };
    if (gray) {
      colour.Red = colour.Green = colour.Blue = static_cast<GifByteType>(i);
    } else {
      colour.Red = level(i / (kGreens * kBlues), kReds);
      colour.Green = level(i / kBlues % kGreens, kGreens);
      colour.Blue = level(i % kBlues, kBlues);
    }
  }
  return colours;
}
#endif

#if LOOKALIKE_HAS_HEIF
void must_succeed(const heif_error& error) {
  if (error.code == heif_error_Ok) return;
  throw Error(ErrorKind::kInternal, fmt::format("make_heif: {}", error.message));
}

heif_error write_heif(heif_context* /*context*/, const void* data, std::size_t size, void* file) {
  const auto* const bytes = static_cast<const std::uint8_t*>(data);
  static_cast<FileBytes*>(file)->assign(bytes, bytes + size);
  return {heif_error_Ok, heif_suberror_Unspecified, ""};
}

using HeifImage = std::unique_ptr<heif_image, void (*)(const heif_image*)>;

HeifImage heif_pixels(const cv::Mat& picture) {
  const bool alpha = picture.channels() == 4;
  heif_image* created = nullptr;
  must_succeed(heif_image_create(picture.cols, picture.rows, heif_colorspace_RGB,
                                 alpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB,
                                 &created));
  HeifImage image(created, heif_image_release);
  must_succeed(
      heif_image_add_plane(created, heif_channel_interleaved, picture.cols, picture.rows, 8));
  int stride = 0;
  std::uint8_t* const plane = heif_image_get_plane(created, heif_channel_interleaved, &stride);
  cv::Mat rgb(picture.size(), picture.type(), plane, static_cast<std::size_t>(stride));
  cv::cvtColor(picture, rgb, alpha ? cv::COLOR_BGRA2RGBA : cv::COLOR_BGR2RGB);
  return image;
}
#endif

template <bool av1>
FileBytes make_heif_file(const cv::Mat& picture) {
  return make_heif(picture, {.av1 = av1});
}

FileBytes make_gif_file(const cv::Mat& picture) {
  return make_gif(picture);
}

template <RawForm form>
FileBytes make_raw_file(const cv::Mat& picture) {
  return make_raw(picture, form);
}

// A TIFF file that grows: a directory holds the places of what was added before it.
class TiffFile {
 public:
  // mark: behind the header.
  explicit TiffFile(const FileBytes& mark = {}) {
    append(bytes_, {'I', 'I', 42, 0, 0, 0, 0, 0});
    append(bytes_, mark);
  }

  std::uint32_t add(const FileBytes& data) {
    if (bytes_.size() % 2 == 1) bytes_.push_back(0);
    const auto at = static_cast<std::uint32_t>(bytes_.size());
    append(bytes_, data);
    return at;
  }

  struct Entry {
    std::uint16_t tag = 0;
    std::uint16_t type = 0;  // 1: byte, 2: text, 3: 16 bits, 4: 32 bits
    std::vector<std::uint32_t> values{};
  };
  static Entry shorts(std::uint16_t tag, std::vector<std::uint32_t> values) {
    return {tag, 3, std::move(values)};
  }
  static Entry longs(std::uint16_t tag, std::vector<std::uint32_t> values) {
    return {tag, 4, std::move(values)};
  }
  static Entry text(std::uint16_t tag, std::string_view text) {
    Entry entry{tag, 2, {text.begin(), text.end()}};
    entry.values.push_back(0);
    return entry;
  }

  // Returns its place.
  std::uint32_t add_directory(std::vector<Entry> entries, std::uint32_t next = 0) {
    std::ranges::sort(entries, {}, &Entry::tag);
    FileBytes directory;
    put(directory, entries.size(), 2);
    for (const Entry& entry : entries) {
      const std::size_t each = entry.type == 4 ? 4 : entry.type == 3 ? 2 : 1;
      FileBytes data;
      for (const std::uint32_t value : entry.values) put(data, value, each);
      put(directory, entry.tag, 2);
      put(directory, entry.type, 2);
      put(directory, entry.values.size(), 4);
      if (data.size() > 4) {
        put(directory, add(data), 4);
      } else {
        data.resize(4);
        append(directory, data);
      }
    }
    put(directory, next, 4);
    return add(directory);
  }

  FileBytes finish(std::uint32_t first_directory) {
    FileBytes place;
    put(place, first_directory, 4);
    std::ranges::copy(place, bytes_.begin() + 4);
    return bytes_;
  }

 private:
  static void put(FileBytes& bytes, std::size_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
  }

  FileBytes bytes_;
};

using Entries = std::vector<TiffFile::Entry>;

// What a directory says of a picture: tags 256 to 279 of TIFF 6.0, and 254.
Entries picture_entries(cv::Size size, bool reduced, std::uint32_t compression,
                        std::uint32_t colour_space, const std::vector<std::uint32_t>& bits,
                        std::uint32_t at, std::size_t bytes) {
  return {TiffFile::longs(254, {reduced ? 1U : 0U}),
          TiffFile::longs(256, {static_cast<std::uint32_t>(size.width)}),
          TiffFile::longs(257, {static_cast<std::uint32_t>(size.height)}),
          TiffFile::shorts(258, bits),
          TiffFile::shorts(259, {compression}),
          TiffFile::shorts(262, {colour_space}),
          TiffFile::longs(273, {at}),
          TiffFile::shorts(277, {static_cast<std::uint32_t>(bits.size())}),
          TiffFile::longs(278, {static_cast<std::uint32_t>(size.height)}),
          TiffFile::longs(279, {static_cast<std::uint32_t>(bytes)})};
}

void add_entries(Entries& to, const Entries& more) {
  to.insert(to.end(), more.begin(), more.end());
}

constexpr std::uint32_t kPlain = 1;
constexpr std::uint32_t kJpegInTiff = 7;
constexpr std::uint32_t kOldJpegInTiff = 6;
constexpr std::uint32_t kRgb = 2;
constexpr std::uint32_t kYcc = 6;
constexpr std::uint32_t kSensor = 32803;

Entries plain_rgb(TiffFile& file, const cv::Mat& picture, bool reduced) {
  cv::Mat rgb;
  cv::cvtColor(picture, rgb, cv::COLOR_BGR2RGB);
  const FileBytes pixels(rgb.datastart, rgb.dataend);
  return picture_entries(rgb.size(), reduced, kPlain, kRgb, {8, 8, 8}, file.add(pixels),
                         pixels.size());
}

// A file of three pages: the picture, upside down and turned by half.
FileBytes make_pages(const cv::Mat& picture) {
  constexpr int kUpsideDown = 0;
  constexpr int kByHalf = -1;
  TiffFile file;
  std::uint32_t directory = 0;
  for (const int flip : {kByHalf, kUpsideDown}) {
    cv::Mat page;
    cv::flip(picture, page, flip);
    directory = file.add_directory(plain_rgb(file, page, false), directory);
  }
  return file.finish(file.add_directory(plain_rgb(file, picture, false), directory));
}

// What the sensor saw: a few levels of 16 bits, under a filter of red, green, green and blue.
Entries sensor_entries(TiffFile& file) {
  const cv::Size size(64, 48);
  const FileBytes levels(static_cast<std::size_t>(size.area()) * 2, 40);
  Entries entries =
      picture_entries(size, false, kPlain, kSensor, {16}, file.add(levels), levels.size());
  add_entries(entries, {TiffFile::shorts(33421, {2, 2}), {33422, 1, {0, 1, 1, 2}}});
  return entries;
}

FileBytes exif_data(int orientation) {
  TiffFile exif;
  return exif.finish(
      exif.add_directory({TiffFile::shorts(274, {static_cast<std::uint32_t>(orientation)})}));
}

// The JPEG file with EXIF.
FileBytes with_exif(const FileBytes& jpeg, int orientation) {
  FileBytes data = {'E', 'x', 'i', 'f', 0, 0};
  append(data, exif_data(orientation));
  FileBytes file = {0xff, 0xd8, 0xff, 0xe1, 0, static_cast<std::uint8_t>(data.size() + 2)};
  append(file, data);
  file.insert(file.end(), jpeg.begin() + 2, jpeg.end());
  return file;
}

FileBytes make_raf(const cv::Mat& picture, int orientation) {
  constexpr std::string_view kMark = "FUJIFILMCCD-RAW 0201";
  FileBytes file(160, 0);
  std::ranges::copy(kMark, file.begin());
  cv::Mat small;
  cv::resize(picture, small, {}, 0.25, 0.25, cv::INTER_AREA);
  for (const cv::Mat& each : {small, picture}) {
    append(file, with_exif(make_by_opencv<kJpeg>(each), orientation));
    file.resize(file.size() + 100, 0xff);
  }
  return file;
}

// A chunk of a RIFF file; a byte is added where that makes its length even.
FileBytes riff_chunk(std::string_view type, const FileBytes& data) {
  FileBytes chunk(type.begin(), type.end());
  for (const int shift : {0, 8, 16, 24}) {
    chunk.push_back(static_cast<std::uint8_t>(data.size() >> static_cast<unsigned>(shift)));
  }
  append(chunk, data);
  if (data.size() % 2 == 1) chunk.push_back(0);
  return chunk;
}

constexpr std::size_t kMaxFlips = 8;
constexpr std::size_t kStartBytes = 64;  // where headers are
constexpr std::size_t kExchangedBytes = 16;

std::size_t below(std::size_t count, Random& random) {
  return static_cast<std::size_t>(random.bits() % count);
}

void flip_bits(FileBytes& file, Random& random) {
  for (std::size_t i = 1 + below(kMaxFlips, random); i > 0; --i) {
    const std::size_t range =
        below(2, random) == 0 ? std::min(kStartBytes, file.size()) : file.size();
    file[below(range, random)] ^= static_cast<std::uint8_t>(1U << below(8, random));
  }
}

void exchange_start(FileBytes& file, const FileBytes& other) {
  const std::size_t count = std::min({kExchangedBytes, other.size(), file.size()});
  std::copy_n(other.begin(), count, file.begin());
}

}  // namespace

std::span<const FileFormat> file_formats() {
  static const std::vector<FileFormat> formats = [] {
    std::vector<FileFormat> all = {
        {".jpg", make_by_opencv<kJpeg>},        {".png", make_by_opencv<kPng>},
        {".webp", make_by_opencv<kWebp>},       {".tiff", make_by_opencv<kTiff>},
        {".bmp", make_by_opencv<kBmp>},         {".ppm", make_by_opencv<kPpm>},
        {".jp2", make_by_opencv<kJp2>},         {".dng", make_raw_file<RawForm::kDng>},
        {".nef", make_raw_file<RawForm::kNef>}, {".cr2", make_raw_file<RawForm::kCr2>},
        {".raf", make_raw_file<RawForm::kRaf>}, {".tif", make_pages},
    };
    if (is_built(ReaderModule::kGif)) all.push_back({".gif", make_gif_file});
    if (is_built(ReaderModule::kWebp)) all.push_back({".webp", make_animated_webp});
    if (can_make_heif(false)) all.push_back({".heic", make_heif_file<false>});
    if (can_make_heif(true)) all.push_back({".avif", make_heif_file<true>});
    return all;
  }();
  return formats;
}

FileBytes make_gif(const cv::Mat& picture, const GifForm& form) {
#if LOOKALIKE_HAS_GIF
  FileBytes file;
  int code = 0;
  const auto must = [](bool succeeded) { require(succeeded, "make_gif: giflib made no file"); };
  GifFileType* const gif = EGifOpen(&file, write_gif, &code);
  must(gif != nullptr);
  EGifSetGifVersion(gif, true);
  const std::array<GifColorType, 256> colours = gif_colours(picture.channels() == 1);
  const std::unique_ptr<ColorMapObject, void (*)(ColorMapObject*)> map(
      GifMakeMapObject(256, colours.data()), GifFreeMapObject);
  const cv::Size screen = form.screen.empty() ? picture.size() : form.screen;
  must(EGifPutScreenDesc(gif, screen.width, screen.height, 8, 0, map.get()) == GIF_OK);
  for (int frame = 0; frame < form.frames; ++frame) {
    if (picture.channels() == 4) {
      const GraphicsControlBlock control{DISPOSAL_UNSPECIFIED, false, 10, kTransparent};
      std::array<GifByteType, 4> block{};
      EGifGCBToExtension(&control, block.data());
      must(EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, 4, block.data()) == GIF_OK);
    }
    must(EGifPutImageDesc(gif, form.place.x, form.place.y, picture.cols, picture.rows,
                          form.interlaced, nullptr) == GIF_OK);
    std::vector<GifPixelType> line(static_cast<std::size_t>(picture.cols));
    const auto put_rows = [&](int first, int step) {
      for (int y = first; y < picture.rows; y += step) {
        for (int x = 0; x < picture.cols; ++x) {
          line[static_cast<std::size_t>(x)] =
              frame == 0 ? gif_colour(picture, y, x) : GifPixelType{0};
        }
        must(EGifPutLine(gif, line.data(), picture.cols) == GIF_OK);
      }
    };
    if (form.interlaced) {
      put_rows(0, 8);
      put_rows(4, 8);
      put_rows(2, 4);
      put_rows(1, 2);
    } else {
      put_rows(0, 1);
    }
  }
  must(EGifCloseFile(gif, &code) == GIF_OK);
  return file;
#else
  throw Error(ErrorKind::kInternal, "make_gif: built without giflib");
#endif
}

bool can_make_heif([[maybe_unused]] bool av1) {
#if LOOKALIKE_HAS_HEIF
  // Newer releases of libheif load encoders as plugins, with their first context.
  const std::unique_ptr<heif_context, void (*)(heif_context*)> context(heif_context_alloc(),
                                                                       heif_context_free);
  return heif_have_encoder_for_format(av1 ? heif_compression_AV1 : heif_compression_HEVC) != 0;
#else
  return false;
#endif
}

FileBytes make_heif(const cv::Mat& picture, const HeifForm& form) {
#if LOOKALIKE_HAS_HEIF
  const std::unique_ptr<heif_context, void (*)(heif_context*)> context(heif_context_alloc(),
                                                                       heif_context_free);
  heif_encoder* created = nullptr;
  must_succeed(heif_context_get_encoder_for_format(
      context.get(), form.av1 ? heif_compression_AV1 : heif_compression_HEVC, &created));
  const std::unique_ptr<heif_encoder, void (*)(heif_encoder*)> encoder(created,
                                                                       heif_encoder_release);
  must_succeed(heif_encoder_set_lossy_quality(created, kHeifQuality));
  const std::unique_ptr<heif_encoding_options, void (*)(heif_encoding_options*)> options(
      heif_encoding_options_alloc(), heif_encoding_options_free);
  options->image_orientation = static_cast<heif_orientation>(form.orientation);
  const HeifImage image = heif_pixels(picture);
  heif_image_handle* encoded = nullptr;
  must_succeed(
      heif_context_encode_image(context.get(), image.get(), created, options.get(), &encoded));
  const std::unique_ptr<heif_image_handle, void (*)(const heif_image_handle*)> handle(
      encoded, heif_image_handle_release);
  if (form.exif_orientation != 0) {
    const FileBytes bytes = exif_data(form.exif_orientation);
    must_succeed(heif_context_add_exif_metadata(context.get(), encoded, bytes.data(),
                                                static_cast<int>(bytes.size())));
  }
  FileBytes file;
  heif_writer writer{1, write_heif};
  must_succeed(heif_context_write(context.get(), &writer, &file));
  return file;
#else
  throw Error(ErrorKind::kInternal, "make_heif: built without libheif");
#endif
}

FileBytes make_raw(const cv::Mat& picture, RawForm form, int orientation) {
  if (form == RawForm::kRaf) return make_raf(picture, orientation);
  TiffFile file(form == RawForm::kCr2 ? FileBytes{'C', 'R', 2, 0, 0, 0, 0, 0} : FileBytes{});
  const FileBytes jpeg = make_by_opencv<kJpeg>(picture);
  const auto jpeg_entries = [&](std::uint32_t compression) {
    return picture_entries(picture.size(), true, compression, kYcc, {8, 8, 8}, file.add(jpeg),
                           jpeg.size());
  };
  const Entries sensor = sensor_entries(file);
  Entries first;
  std::string_view maker;
  std::string_view model;
  switch (form) {
    case RawForm::kDng:
    case RawForm::kNoJpeg:
      maker = "Maker";
      model = "Maker One";
      first = form == RawForm::kDng ? jpeg_entries(kJpegInTiff) : plain_rgb(file, picture, true);
      add_entries(first, {{50706, 1, {1, 4, 0, 0}},
                          TiffFile::text(50708, model),
                          TiffFile::longs(330, {file.add_directory(sensor)})});
      break;
    case RawForm::kNef: {
      maker = "NIKON CORPORATION";
      model = "NIKON D70";
      cv::Mat small;
      cv::resize(picture, small, {16, 12}, 0, 0, cv::INTER_AREA);
      const std::uint32_t at = file.add(jpeg);
      const std::uint32_t preview =
          file.add_directory({TiffFile::longs(254, {1}), TiffFile::shorts(259, {kOldJpegInTiff}),
                              TiffFile::longs(513, {at}),
                              TiffFile::longs(514, {static_cast<std::uint32_t>(jpeg.size())})});
      first = plain_rgb(file, small, true);
      add_entries(first, {TiffFile::longs(330, {preview, file.add_directory(sensor)})});
      break;
    }
    case RawForm::kRaf:
      break;
    case RawForm::kCr2:
      maker = "Canon";
      model = "Canon EOS 5D";
      first = jpeg_entries(kOldJpegInTiff);
      break;
  }
  add_entries(first, {TiffFile::text(271, maker), TiffFile::text(272, model),
                      TiffFile::shorts(274, {static_cast<std::uint32_t>(orientation)})});
  const std::uint32_t next = form == RawForm::kCr2 ? file.add_directory(sensor) : 0;
  return file.finish(file.add_directory(first, next));
}

FileBytes make_animated_webp(const cv::Mat& picture) {
  const auto put = [](FileBytes& to, int value) {
    for (const int shift : {0, 8, 16}) to.push_back(static_cast<std::uint8_t>(value >> shift));
  };
  // Places are halved and sides less one; then times in ms and flags.
  FileBytes frame(6, 0);
  put(frame, picture.cols - 1);
  put(frame, picture.rows - 1);
  append(frame, {100, 0, 0, 0});
  const FileBytes still = make_by_opencv<kWebp>(picture);
  constexpr std::size_t kFileHeaderBytes = 12;
  std::size_t pixels = kFileHeaderBytes;
  // A file with alpha has a header of its own, which a frame has not.
  constexpr std::string_view kExtended = "VP8X";
  constexpr std::size_t kExtendedBytes = 18;
  if (std::equal(kExtended.begin(), kExtended.end(), still.begin() + kFileHeaderBytes)) {
    pixels += kExtendedBytes;
  }
  frame.insert(frame.end(), still.begin() + static_cast<std::ptrdiff_t>(pixels), still.end());
  constexpr std::uint8_t kAnimation = 0x02;
  constexpr std::uint8_t kAlpha = 0x10;
  FileBytes canvas = {picture.channels() == 4 ? std::uint8_t{kAnimation | kAlpha} : kAnimation, 0,
                      0, 0};
  put(canvas, picture.cols - 1);
  put(canvas, picture.rows - 1);
  FileBytes body = {'W', 'E', 'B', 'P'};
  append(body, riff_chunk(kExtended, canvas));
  append(body, riff_chunk("ANIM", FileBytes(6, 0)));
  for (int i = 0; i < 2; ++i) append(body, riff_chunk("ANMF", frame));
  return riff_chunk("RIFF", body);
}

FileBytes mutated(FileBytes file, std::span<const FileBytes> others, Random& random) {
  switch (below(4, random)) {
    case 0:
      file.resize(below(file.size(), random));
      break;
    case 1:
      exchange_start(file, others[below(others.size(), random)]);
      break;
    default:
      flip_bits(file, random);
  }
  return file;
}

}  // namespace lookalike
