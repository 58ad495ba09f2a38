#include "pipeline/duplicates/pair_file.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fcntl.h>
#include <limits>
#include <sys/file.h>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/text.h"

namespace lookalike {
namespace {

constexpr std::string_view kMagic = "LKLKPAIR";
constexpr std::uint16_t kVersion = 5;
// Raised when pairs are compared otherwise under the same settings: those found before are not
// used.
constexpr int kComparison = 4;
constexpr std::size_t kImageBytes = 16 + 1 + 4 + 4;
constexpr std::size_t kPairBytes = 2 * 4 + 1 + 3 * 8 + 4 * 4 + 4 * 8 + 9 * 8;  // at least

// Bits of an image and of a pair.
constexpr std::uint8_t kCompared = 1;
constexpr std::uint8_t kMirrorCompared = 2;
constexpr std::uint8_t kIsMirrored = 1;
constexpr std::uint8_t kHasPart = 2;
constexpr std::uint8_t kIdentical = 4;
constexpr std::uint8_t kHasDifference = 8;
constexpr std::uint8_t kLacksColours = 16;
constexpr std::uint8_t kIsRelit = 32;
constexpr std::uint8_t kIsCheck = 64;

constexpr std::uint32_t kNoImage = std::numeric_limits<std::uint32_t>::max();

std::uint8_t bit(bool is_set, std::uint8_t value) {
  return is_set ? value : std::uint8_t{0};
}

double or_nan(const std::optional<double>& value) {
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

std::optional<double> unless_nan(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

void put_difference(ByteWriter& out, const PictureDifference& difference) {
  for (const double value : {difference.largest, difference.largest_of_colour, difference.share,
                             difference.shots.moved, difference.shots.beyond}) {
    out.put<double>(value);
  }
  out.put<std::uint8_t>(static_cast<std::uint8_t>(difference.places.size()));
  for (const Quad& place : difference.places) {
    for (const Point& corner : place) {
      out.put<double>(corner.x);
      out.put<double>(corner.y);
    }
  }
}

PictureDifference get_difference(ByteReader& in, std::uint8_t bits) {
  PictureDifference difference;
  difference.lacks_colours = (bits & kLacksColours) != 0;
  difference.is_relit = (bits & kIsRelit) != 0;
  difference.largest = in.get<double>();
  difference.largest_of_colour = in.get<double>();
  difference.share = in.get<double>();
  difference.shots.moved = in.get<double>();
  difference.shots.beyond = in.get<double>();
  const auto places = in.get<std::uint8_t>();
  for (std::uint8_t i = 0; i < places; ++i) {
    for (Point& corner : difference.places.emplace_back()) {
      corner.x = in.get<double>();
      corner.y = in.get<double>();
    }
  }
  return difference;
}

void put_pair(ByteWriter& out, const FoundPair& pair) {
  const Evidence& evidence = pair.evidence;
  const std::optional<PictureDifference>& difference = evidence.difference;
  const bool lacks_colours = difference && difference->lacks_colours;
  const bool is_relit = difference && difference->is_relit;
  out.put<std::uint32_t>(pair.first);
  out.put<std::uint32_t>(pair.second);
  out.put<std::uint8_t>(
      static_cast<std::uint8_t>(bit(pair.mirrored, kIsMirrored) | bit(pair.has_part, kHasPart) |
                                bit(pair.is_check, kIsCheck) | bit(evidence.identical, kIdentical) |
                                bit(difference.has_value(), kHasDifference) |
                                bit(lacks_colours, kLacksColours) | bit(is_relit, kIsRelit)));
  for (const double value : {evidence.votes, evidence.votes_ratio, evidence.votes_excess}) {
    out.put<double>(value);
  }
  out.put<std::uint32_t>(static_cast<std::uint32_t>(evidence.shortlist));
  out.put<std::uint32_t>(evidence.pairs);
  out.put<std::uint32_t>(evidence.inliers);
  out.put<std::uint32_t>(evidence.effective_inliers);
  for (const double value : {evidence.coherence, evidence.squeeze, or_nan(evidence.correlation),
                             or_nan(evidence.detail)}) {
    out.put<double>(value);
  }
  out.put_array(pair.first_to_second.h.data(), pair.first_to_second.h.size());
  if (difference) put_difference(out, *difference);
}

FoundPair get_pair(ByteReader& in) {
  FoundPair pair;
  Evidence& evidence = pair.evidence;
  pair.first = in.get<std::uint32_t>();
  pair.second = in.get<std::uint32_t>();
  const auto bits = in.get<std::uint8_t>();
  pair.mirrored = (bits & kIsMirrored) != 0;
  pair.has_part = (bits & kHasPart) != 0;
  pair.is_check = (bits & kIsCheck) != 0;
  evidence.identical = (bits & kIdentical) != 0;
  evidence.votes = in.get<double>();
  evidence.votes_ratio = in.get<double>();
  evidence.votes_excess = in.get<double>();
  evidence.shortlist = in.get<std::uint32_t>();
  evidence.pairs = in.get<std::uint32_t>();
  evidence.inliers = in.get<std::uint32_t>();
  evidence.effective_inliers = in.get<std::uint32_t>();
  evidence.coherence = in.get<double>();
  evidence.squeeze = in.get<double>();
  evidence.correlation = unless_nan(in.get<double>());
  evidence.detail = unless_nan(in.get<double>());
  in.get_array(pair.first_to_second.h.data(), pair.first_to_second.h.size());
  if ((bits & kHasDifference) != 0) {
    evidence.difference = get_difference(in, bits);
  }
  return pair;
}

// Throws Error(kStorage) if the file exists and does not begin like those of save_pairs(). A
// truncated one passes.
void require_own(const std::filesystem::path& file) {
  const std::optional<std::string> start = read_start(file, kMagic.size());
  if (!start || kMagic.starts_with(*start)) return;
  throw Error(ErrorKind::kStorage, fmt::format("{}: was not written by lookalike: move it away, or "
                                               "name another database",
                                               printable(file.native())));
}

}  // namespace

std::filesystem::path pair_file(const std::filesystem::path& database) {
  return resolved(database).native() + ".pairs";
}

std::optional<FileDescriptor> lock_pairs(const std::filesystem::path& database) {
  require_own(pair_file(database));
  const std::string name = pair_file(database).native() + ".lock";
  FileDescriptor file(::open(name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
  const bool is_taken =
      file.is_open() && ::flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  return is_taken ? std::nullopt : std::optional(std::move(file));
}

ContentHash pair_fingerprint(const Settings& settings, const MatchOptions& match) {
  std::string text;
  for (const auto& [name, value] : settings) text += fmt::format("{}={}\n", name, value);
  text += fmt::format("{} {} {} {} {} {} {} {}\n", kComparison, match.shortlist,
                      match.words_per_feature, match.hamming_threshold, match.min_inliers,
                      match.inlier_distance, match.same_probability, match.seed);
  return hash_content(bytes_of(text));
}

Bytes encode_pairs(const PairState& state, const ContentHash& fingerprint) {
  ByteWriter out;
  out.put_array(kMagic.data(), kMagic.size());
  out.put<std::uint16_t>(kVersion);
  out.put_array(fingerprint.data(), fingerprint.size());
  out.put_count(state.images.size());
  for (const ComparedImage& image : state.images) {
    out.put_array(image.content.data(), image.content.size());
    out.put<std::uint8_t>(static_cast<std::uint8_t>(bit(image.compared, kCompared) |
                                                    bit(image.mirrored, kMirrorCompared)));
    out.put<std::uint32_t>(image.reported_files);
    out.put<std::uint32_t>(image.representative.value_or(kNoImage));
  }
  out.put<std::uint64_t>(state.pairs.size());
  for (const FoundPair& pair : state.pairs) put_pair(out, pair);
  out.put<std::uint64_t>(checksum(out.view()));
  return out.take();
}

PairState decode_pairs(ByteView bytes, const ContentHash& fingerprint) {
  constexpr std::size_t kChecksumBytes = 8;
  ByteReader in(bytes, ErrorKind::kInput);
  std::string magic(kMagic.size(), '\0');
  in.get_array(magic.data(), magic.size());
  if (magic != kMagic) in.fail("is not a file of pairs");
  if (in.get<std::uint16_t>() != kVersion) in.fail("is of another version");
  const ByteView content = bytes.first(bytes.size() - std::min(bytes.size(), kChecksumBytes));
  ByteReader end(bytes.subspan(content.size()), ErrorKind::kInput);
  if (end.get<std::uint64_t>() != checksum(content)) in.fail("is damaged");

  ContentHash made_under{};
  in.get_array(made_under.data(), made_under.size());
  const bool is_current = made_under == fingerprint;
  PairState state;
  const auto images = in.get<std::uint32_t>();
  in.require_entries(images, kImageBytes);
  for (std::uint32_t i = 0; i < images; ++i) {
    ComparedImage& image = state.images.emplace_back();
    in.get_array(image.content.data(), image.content.size());
    const auto bits = in.get<std::uint8_t>();
    image.compared = is_current && (bits & kCompared) != 0;
    image.mirrored = is_current && (bits & kMirrorCompared) != 0;
    image.reported_files = in.get<std::uint32_t>();
    const auto representative = in.get<std::uint32_t>();
    if (representative == kNoImage || !is_current) continue;
    if (representative >= images) in.fail("names an unknown image");
    image.representative = representative;
  }
  for (const ComparedImage& image : state.images) {
    if (!image.representative) continue;
    if (state.images[*image.representative].representative) in.fail("names no representative");
  }
  const auto pairs = in.get<std::uint64_t>();
  in.require_entries(pairs, kPairBytes);
  if (!is_current) return state;
  for (std::uint64_t i = 0; i < pairs; ++i) {
    FoundPair pair = get_pair(in);
    if (pair.first >= pair.second || pair.second >= images) in.fail("names an unknown image");
    state.pairs.push_back(std::move(pair));
  }
  in.get<std::uint64_t>();
  in.require_end();
  return state;
}

PairState load_pairs(const std::filesystem::path& database, const ContentHash& fingerprint) {
  const std::filesystem::path file = pair_file(database);
  constexpr FileKind kPairs{
      .most_bytes = std::size_t{4} << 30U, .may_be_link = false, .beginning = kMagic};
  const std::optional<std::string> bytes = read_file(file, kPairs);
  if (!bytes && errno == ENOENT) return {};
  try {
    if (!bytes) throw Error(ErrorKind::kStorage, "cannot be read: " + why_unread());
    return decode_pairs(bytes_of(*bytes), fingerprint);
  } catch (const Error& error) {
    spdlog::warn("{}: {}: comparing all images again", printable(file.native()), error.what());
    return {};
  }
}

void save_pairs(const std::filesystem::path& database, const PairState& state,
                const ContentHash& fingerprint) {
  constexpr bool kSync = false;  // after a power cut the state can be computed again
  write_atomically(pair_file(database), encode_pairs(state, fingerprint), kSync);
}

}  // namespace lookalike
