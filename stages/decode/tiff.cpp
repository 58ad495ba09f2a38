#include "stages/decode/tiff.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include <fmt/format.h>

namespace lookalike {
namespace {

constexpr std::uint64_t kSubfileType = 254;

// Entries that are read in a file's chain of directories; a page has some twenty. Directories may
// overlap, so the file's length does not limit them.
constexpr std::size_t kMaxEntries = std::size_t{1} << 20U;

bool is_of_another_page(const TiffDirectory& directory) {
  constexpr std::uint64_t kSmallerCopyOrMask = 0b101;
  std::uint64_t type = 0;
  directory.for_each_entry(
      [&](std::uint64_t tag, std::uint64_t /*count*/, std::uint64_t value, std::size_t /*place*/) {
        if (tag == kSubfileType) type = value;
      });
  return (type & kSmallerCopyOrMask) != 0;
}

constexpr std::size_t kEntryBytes = 12;

bool has(ByteSpan bytes, std::size_t at, std::size_t count) {
  return at <= bytes.size() && count <= bytes.size() - at;
}

// True if the data holds an entry, and its value where that takes more than the entry's four bytes.
bool is_whole(const TiffDirectory& exif, std::size_t entry) {
  constexpr std::array<std::size_t, 13> kTypeBytes = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8};
  const std::size_t type = exif.number(entry + 2, 2);
  const std::size_t bytes =
      type < kTypeBytes.size() ? kTypeBytes[type] * exif.number(entry + 4, 4) : 0;
  return has(exif.file, entry, kEntryBytes) &&
         (bytes <= 4 || has(exif.file, exif.number(entry + 8, 4), bytes));
}

}  // namespace

TiffDirectory first_directory(ByteSpan file) {
  TiffDirectory header{file};
  header.at = header.number(header.place_bytes(), header.place_bytes());
  return header;
}

bool is_tiff(ByteSpan file) {
  return has_text(file, 0, "II*") || has_text(file, 0, {"MM\0*", 4}) || has_text(file, 0, "II+") ||
         has_text(file, 0, {"MM\0+", 4});
}

TiffSamples tiff_samples(ByteSpan file) {
  constexpr std::array<std::uint64_t, 9> kTags = {256, 257, 258, 262, 277, 281, 284, 338, 339};
  std::array<std::optional<std::uint64_t>, kTags.size()> found;
  if (file.size() < 8) return {};
  const TiffDirectory directory = first_directory(file);
  directory.for_each_entry(
      [&](std::uint64_t tag, std::uint64_t count, std::uint64_t value, std::size_t place) {
        const auto wanted = std::ranges::find(kTags, tag);
        if (wanted == kTags.end()) return;
        auto& first = found[static_cast<std::size_t>(wanted - kTags.begin())];
        if (first) return;
        const std::uint64_t type = directory.number(place - 2 - directory.place_bytes(), 2);
        const bool is_number = type == TiffDirectory::kShort || type == TiffDirectory::kLong ||
                               type == TiffDirectory::kLong8;
        const bool is_size = tag <= 257;
        if (is_size) {
          first = is_number && count == 1 ? value : 0;
        } else {
          first = type == TiffDirectory::kShort ? directory.first_short(count, place) : value;
        }
      });
  const auto [width, height, bits, colour_space, count, maximum, planes, further, kind] = found;
  const TiffSamples none;
  return {.width = width.value_or(0),
          .height = height.value_or(0),
          .bits = bits.value_or(none.bits),
          .colour_space = colour_space.value_or(none.colour_space),
          .count = count.value_or(none.count),
          .maximum = maximum.value_or(none.maximum),
          .is_planar = planes == 2U,
          .may_have_alpha = further.value_or(1) != 0,
          .kind = kind.value_or(none.kind)};
}

std::string kind_of_samples(const TiffSamples& samples) {
  const char* const numbers = samples.kind == TiffSamples::kFloat    ? "floats"
                              : samples.kind == TiffSamples::kSigned ? "signed numbers"
                                                                     : "numbers";
  return fmt::format("of {} sample{} of {}-bit {}", samples.count, samples.count == 1 ? "" : "s",
                     samples.bits, numbers);
}

bool is_raw_tiff(ByteSpan file) {
  constexpr std::array<std::uint64_t, 8> kCompressions = {6,     32767, 32769, 32770,
                                                          34713, 65000, 65024, 65535};
  if (file.size() < 8 || !is_tiff(file)) return false;
  if (has_text(file, 8, "CR\x02")) return true;
  bool has_camera = false;
  bool is_special = false;
  bool is_dng = false;
  first_directory(file).for_each_entry(
      [&](std::uint64_t tag, std::uint64_t /*count*/, std::uint64_t value, std::size_t /*place*/) {
        if (tag == 50706) is_dng = true;
        if (tag == 271) has_camera = true;
        if (tag == kSubfileType && (value & 1) != 0) is_special = true;
        if (tag == 262 && (value == 32803 || value == 34892)) is_special = true;
        if (tag == 259 && std::ranges::find(kCompressions, value) != kCompressions.end()) {
          is_special = true;
        }
      });
  return is_dng || (has_camera && is_special);
}

std::optional<std::vector<std::size_t>> tiff_pages(ByteSpan file, std::size_t at_most) {
  std::vector<std::size_t> pages;
  if (file.size() < 8 || !is_tiff(file) || is_raw_tiff(file)) return pages;
  std::size_t entries = 0;
  std::unordered_set<std::size_t> seen;  // the chain may lead back into itself
  for (TiffDirectory directory = first_directory(file);
       directory.at != 0 && directory.at < file.size(); directory.at = directory.next()) {
    if (!seen.insert(directory.at).second || pages.size() == at_most) break;
    entries += 1 + std::min<std::uint64_t>(directory.entries(), kMaxEntries);
    if (entries > kMaxEntries) return std::nullopt;
    if (pages.empty() || !is_of_another_page(directory)) pages.push_back(directory.at);
  }
  return pages;
}

void make_first_page(std::span<std::uint8_t> file, std::size_t page) {
  const std::size_t bytes = TiffDirectory{file}.place_bytes();
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::size_t shift = 8 * (file[0] == 'I' ? i : bytes - 1 - i);
    file[bytes + i] = static_cast<std::uint8_t>(page >> shift);
  }
}

std::optional<int> exif_orientation(ByteSpan bytes) {
  constexpr std::size_t kMark = 42;
  constexpr std::size_t kOrientation = 274;
  if (bytes.size() < 8 || bytes[0] != bytes[1]) return 1;
  const TiffDirectory exif = first_directory(bytes);
  if (exif.number(2, 2) != kMark) return 1;
  const std::size_t entries = exif.number(exif.at, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = exif.at + 2 + i * kEntryBytes;
    if (!is_whole(exif, entry)) return std::nullopt;
    if (exif.number(entry, 2) == kOrientation) return static_cast<int>(exif.number(entry + 8, 2));
  }
  return 1;
}

}  // namespace lookalike
