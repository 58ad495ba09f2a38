#include "tools/example/image_files.h"

#include <algorithm>
#include <array>

namespace lookalike {
namespace {

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

std::span<const std::string> image_file_extensions() {
  static const std::array<std::string, 7> extensions = {".jpg", ".png", ".webp", ".tiff",
                                                        ".bmp", ".ppm", ".jp2"};
  return extensions;
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
