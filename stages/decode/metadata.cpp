#include "stages/decode/metadata.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace lookalike {
namespace {

using enum MetadataField;

// Entries of a file beyond which they are not compared, as each is with each.
constexpr std::size_t kMostCompared = 1000;

// Texts that cameras and programs write into the fields of people, in lower case.
constexpr std::array<std::string_view, 24> kDefaults = {"sony dsc",
                                                        "minolta dsc",
                                                        "exif_jpeg_picture",
                                                        "image description",
                                                        "camera",
                                                        "default",
                                                        "untitled",
                                                        "unknown",
                                                        "binary comment",
                                                        "user comments",
                                                        "screenshot",
                                                        "applemark",
                                                        "dav",
                                                        "sdr",
                                                        "hdr",
                                                        "hdrpl",
                                                        "cof",
                                                        "mde",
                                                        "edf",
                                                        "ptr",
                                                        "rhdr",
                                                        "oznor",
                                                        "none",
                                                        "false"};
constexpr std::array<std::string_view, 13> kCommentStarts = {
    "creator: gd-jpeg",
    "file written by adobe photoshop",
    "created with gimp",
    "created with the gimp",
    "optimized by jpegmini",
    "compressed by jpeg-recompress",
    "processed by ebay",
    "lavc",
    "lead technologies",
    "intel(r) jpeg library",
    "jpeg encoder copyright",
    "handmade software, inc. image alchemy",
    "xv version"};
constexpr std::string_view kDefaultEnd = "digital camera";  // "OLYMPUS DIGITAL CAMERA"
constexpr std::string_view kFolderOfCameras = "dcim\\";     // "DCIM\100MEDIA\DJI_0001.JPG"

bool is_default(MetadataField field, std::string_view text) {
  if (field == kKeyword || field == kPerson || field == kRegion) return false;
  const std::string lower = in_lower_case(text);
  const auto begins = [&](std::string_view start) { return lower.starts_with(start); };
  return std::ranges::find(kDefaults, lower) != kDefaults.end() || lower.ends_with(kDefaultEnd) ||
         lower.starts_with(kFolderOfCameras) ||
         (field == kComment && std::ranges::any_of(kCommentStarts, begins));
}

// Returns a text in UTF-8; bytes that are none are taken for Latin-1.
std::string utf8_of(std::string_view bytes) {
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::size_t length = first_code_point(rest).length;
    if (length > 0) {
      rest.remove_prefix(length);
      continue;
    }
    std::string text;
    for (const char byte : bytes) append_utf8(text, static_cast<unsigned char>(byte));
    return text;
  }
  return std::string(bytes);
}

// Joins words by one blank, where there were blanks, line breaks or control characters.
std::string joined_words(std::string_view text) {
  std::string words;
  bool is_apart = false;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code <= ' ' || code == 0x7f) {
      is_apart = !words.empty();
      continue;
    }
    if (is_apart) words += ' ';
    is_apart = false;
    words += c;
  }
  return words;
}

// A date as far as it is known.
struct Taken {
  std::string local{};     // "2019", "2019-07-14T12:30:05": ends after any part
  std::string fraction{};  // digits of the seconds, without zeros at the end
  std::optional<int> zone_minutes{};

  bool has_seconds() const {
    return local.size() == std::string_view("0000-00-00T00:00:00").size();
  }
};

bool are_digits(std::string_view text, std::size_t at, std::size_t count) {
  return at + count <= text.size() &&
         std::ranges::all_of(text.substr(at, count), [](char c) { return c >= '0' && c <= '9'; });
}

int number_at(std::string_view text, std::size_t at, std::size_t count) {
  int number = 0;
  std::from_chars(text.data() + at, text.data() + at + count, number);
  return number;
}

// Reads "+02:00", "+0200" or "Z" at the start of a text.
std::optional<int> zone_minutes_of(std::string_view text) {
  if (text.starts_with('Z')) return 0;
  if (text.empty() || (text[0] != '+' && text[0] != '-') || !are_digits(text, 1, 2)) {
    return std::nullopt;
  }
  const std::size_t minutes = text.size() > 3 && text[3] == ':' ? 4 : 3;
  const int zone =
      60 * number_at(text, 1, 2) + (are_digits(text, minutes, 2) ? number_at(text, minutes, 2) : 0);
  return text[0] == '-' ? -zone : zone;
}

// Reads the forms of EXIF, XMP and IPTC; nothing for other texts and for clocks that were not set.
std::optional<Taken> taken_of(std::string_view text) {
  struct Part {
    std::string_view separators;
    char written;
    int least;
  };
  constexpr std::array<Part, 5> kParts = {
      {{":-", '-', 1}, {":-", '-', 1}, {" T", 'T', 0}, {":", ':', 0}, {":", ':', 0}}};
  if (!are_digits(text, 0, 4) || text.starts_with("0000")) return std::nullopt;
  Taken taken{.local = std::string(text.substr(0, 4))};
  std::size_t at = 4;
  for (const Part& part : kParts) {
    if (at >= text.size() || part.separators.find(text[at]) == std::string_view::npos) break;
    if (!are_digits(text, at + 1, 2) || number_at(text, at + 1, 2) < part.least) break;
    taken.local += part.written;
    taken.local += text.substr(at + 1, 2);
    at += 3;
  }
  if (at < text.size() && text[at] == '.') {
    for (++at; are_digits(text, at, 1); ++at) taken.fraction += text[at];
    taken.fraction.erase(taken.fraction.find_last_not_of('0') + 1);
  }
  if (taken.local.size() > 10) taken.zone_minutes = zone_minutes_of(text.substr(at));
  const bool is_unset =
      taken.local == "1970-01-01T00:00:00" || taken.local == "1904-01-01T00:00:00";
  return is_unset ? std::nullopt : std::optional(taken);
}

std::string text_of(const Taken& taken) {
  std::string text = taken.local;
  if (!taken.fraction.empty()) text += "." + taken.fraction;
  if (!taken.zone_minutes) return text;
  const int zone = std::abs(*taken.zone_minutes);
  return text +
         fmt::format("{}{:02}:{:02}", *taken.zone_minutes < 0 ? '-' : '+', zone / 60, zone % 60);
}

// Returns the minutes since an epoch in UTC, and the seconds within them.
std::pair<std::chrono::minutes, int> instant_of(const Taken& taken) {
  using namespace std::chrono;
  const auto part = [&](std::size_t at) { return number_at(taken.local, at, 2); };
  const sys_days day = year(number_at(taken.local, 0, 4)) / part(5) / part(8);
  return {day.time_since_epoch() + hours(part(11)) + minutes(part(14) - *taken.zone_minutes),
          part(17)};
}

bool is_same_time(const Taken& one, const Taken& other) {
  const std::size_t known = std::min(one.local.size(), other.local.size());
  const bool is_same_local = one.local.compare(0, known, other.local, 0, known) == 0;
  const bool are_instants =
      one.has_seconds() && other.has_seconds() && one.zone_minutes && other.zone_minutes;
  if (!is_same_local && !(are_instants && instant_of(one) == instant_of(other))) return false;
  const std::size_t digits = std::min(one.fraction.size(), other.fraction.size());
  return one.fraction.compare(0, digits, other.fraction, 0, digits) == 0;
}

// Reads "48.1,11.5".
std::optional<std::pair<double, double>> place_of(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto north = parse_number<double>(text.substr(0, comma));
  const auto east = parse_number<double>(text.substr(comma + 1));
  const bool is_on_earth = north && east && std::abs(*north) <= 90 && std::abs(*east) <= 360;
  if (!is_on_earth || (*north == 0 && *east == 0)) return std::nullopt;
  return std::pair(*north, *east);
}

bool is_same_place(std::string_view one, std::string_view other) {
  const auto a = place_of(one);
  const auto b = place_of(other);
  return a && b && std::abs(a->first - b->first) <= kSamePlaceDegrees &&
         std::abs(std::remainder(a->second - b->second, 360)) <= kSamePlaceDegrees;
}

// Returns the levels of a keyword with a separator on both sides: "|animals|dog|".
std::string levels_of(std::string_view keyword) {
  std::string levels = "|";
  for (const std::string_view level : split(keyword, '|')) {
    const std::string words = joined_words(level);
    if (!words.empty()) levels += words + "|";
  }
  return levels;
}

// Fields whose texts count as the same in either of them.
MetadataField group_of(MetadataField field) {
  return field == kTitle || field == kComment ? kCaption : field;
}

bool is_start(std::string_view start, std::string_view text) {
  constexpr std::size_t kLeastStart = 32;  // IPTC cuts titles at 64 bytes and shorter fields at 32
  return start.size() >= kLeastStart && text.starts_with(start);
}

// True if an entry says what another one, in any field, says.
bool says(const MetadataEntry& entry, const MetadataEntry& wanted) {
  const bool may_name =
      wanted.field == kPerson && (entry.field == kRegion || entry.field == kKeyword);
  if (!may_name && group_of(entry.field) != group_of(wanted.field)) return false;
  const std::string ours = in_lower_case(entry.text);
  const std::string theirs = in_lower_case(wanted.text);
  if (may_name) return levels_of(ours).ends_with("|" + theirs + "|");
  switch (wanted.field) {
    case kTaken: {
      const auto a = taken_of(entry.text);
      const auto b = taken_of(wanted.text);
      return a && b && is_same_time(*a, *b) && a->local.size() >= b->local.size();
    }
    case kPlace:
      return is_same_place(entry.text, wanted.text);
    case kCamera:
    case kLens:
      return ours.find(theirs) != std::string::npos || theirs.find(ours) != std::string::npos;
    case kKeyword:
      return levels_of(ours).find(levels_of(theirs)) != std::string::npos;
    default:
      return ours == theirs || is_start(theirs, ours);
  }
}

bool is_said_by(const Metadata& metadata, const MetadataEntry& wanted) {
  return std::ranges::any_of(metadata.entries,
                             [&](const MetadataEntry& entry) { return says(entry, wanted); });
}

// Returns "beach, Anna and 3 more".
std::string list_of(const std::vector<const MetadataEntry*>& entries) {
  constexpr std::size_t kMostListed = 3;
  constexpr std::size_t kMostCharacters = 60;
  std::string list;
  for (std::size_t i = 0; i < std::min(entries.size(), kMostListed); ++i) {
    std::string_view rest = entries[i]->text;
    std::string text;
    for (std::size_t k = 0; k < kMostCharacters && !rest.empty(); ++k) {
      const std::size_t length = std::max<std::size_t>(1, first_code_point(rest).length);
      text += rest.substr(0, length);
      rest.remove_prefix(length);
    }
    list += (i > 0 ? ", " : "") + text + (rest.empty() ? "" : "...");
  }
  if (entries.size() > kMostListed)
    list += fmt::format(" and {} more", entries.size() - kMostListed);
  return printable(list);
}

std::string_view name_of(MetadataField field) {
  constexpr std::array<std::string_view, 16> kNames = {"a date",
                                                       "a place",
                                                       "a camera",
                                                       "a lens",
                                                       "a rating",
                                                       "a label",
                                                       "keywords",
                                                       "names of people",
                                                       "marked people or regions",
                                                       "a title",
                                                       "a caption",
                                                       "a comment",
                                                       "an author",
                                                       "a copyright notice",
                                                       "an address",
                                                       "entries"};
  return kNames.at(static_cast<std::size_t>(field));
}

// Says what a file would be without entries of one field.
std::string lost(const std::vector<const MetadataEntry*>& missing, const Metadata& other) {
  const MetadataField field = missing.front()->field;
  const bool differs = other.has(field);
  switch (field) {
    case kTaken: {
      const auto ours = taken_of(missing.front()->text);
      const bool is_finer =
          ours && std::ranges::any_of(other.entries, [&](const auto& entry) {
            const auto theirs = taken_of(entry.text);
            return entry.field == kTaken && theirs && is_same_time(*ours, *theirs);
          });
      if (is_finer) return "says more exactly when it was taken";
      return differs ? "was taken at another time" : "says when it was taken, the other does not";
    }
    case kPlace:
      return differs ? "was taken in another place" : "says where it was taken, the other does not";
    case kCamera:
      return differs ? "was taken with another camera" : "names its camera, the other does not";
    case kLens:
      return differs ? "was taken with another lens" : "names its lens, the other does not";
    case kRating:
      if (differs) return fmt::format("has another rating: {}", missing.front()->text);
      [[fallthrough]];
    default:
      return fmt::format("has {} that the other lacks: {}", name_of(field), list_of(missing));
  }
}

// Returns an entry's text as it is compared; empty if it says nothing.
std::string compared_text(const MetadataEntry& entry) {
  const std::string text = joined_words(utf8_of(entry.text));
  switch (entry.field) {
    case kTaken: {
      const auto taken = taken_of(text);
      return taken ? text_of(*taken) : std::string();
    }
    case kPlace: {
      const auto place = place_of(text);
      return place ? fmt::format("{:.6f},{:.6f}", place->first, place->second) : std::string();
    }
    case kRating: {
      const auto stars = parse_number<double>(text);
      return stars && *stars != 0 ? fmt::format("{:g}", *stars) : std::string();
    }
    case kKeyword: {
      const std::string levels = levels_of(text);
      return levels.size() > 2 ? levels.substr(1, levels.size() - 2) : std::string();
    }
    default:
      return text == "0" || is_default(entry.field, text) ? std::string() : text;
  }
}

}  // namespace

bool Metadata::has(MetadataField field) const {
  return std::ranges::any_of(entries, [&](const MetadataEntry& entry) {
    return group_of(entry.field) == group_of(field);
  });
}

Metadata metadata_of(std::span<const MetadataEntry> found) {
  Metadata metadata;
  std::set<std::pair<MetadataField, std::string>> known;
  for (const MetadataEntry& entry : found) {
    std::string text = compared_text(entry);
    if (text.empty() || !known.insert({group_of(entry.field), in_lower_case(text)}).second)
      continue;
    if (metadata.entries.size() == kMostCompared) {
      metadata.problem = "it has more entries than are compared";
      break;
    }
    metadata.entries.push_back({entry.field, std::move(text)});
  }
  return metadata;
}

std::optional<std::string> said_beyond(const Metadata& one, const Metadata& other) {
  std::vector<const MetadataEntry*> missing;
  for (const MetadataEntry& entry : one.entries) {
    if (!is_said_by(other, entry)) missing.push_back(&entry);
  }
  if (!missing.empty()) {
    const MetadataField first =
        (*std::ranges::min_element(missing, {}, &MetadataEntry::field))->field;
    std::erase_if(missing, [&](const MetadataEntry* entry) { return entry->field != first; });
    return lost(missing, other);
  }
  if (one.problem.empty()) return std::nullopt;
  return fmt::format("may say more than could be read: {}", one.problem);
}

std::size_t amount_said(const Metadata& metadata) {
  std::size_t amount = metadata.entries.size() + (metadata.problem.empty() ? 0 : 1);
  for (const MetadataEntry& entry : metadata.entries) {
    if (entry.field != kTaken) continue;
    const auto taken = taken_of(entry.text);
    if (taken && !taken->fraction.empty()) ++amount;
    if (taken && taken->zone_minutes) ++amount;
  }
  return amount;
}

PhotoOrigin origin_of(const Metadata& metadata) {
  PhotoOrigin origin;
  for (const MetadataEntry& entry : metadata.entries) {
    if (entry.field == kCamera && origin.camera.empty()) origin.camera = entry.text;
    if (entry.field != kTaken || !origin.taken.empty()) continue;
    const auto taken = taken_of(entry.text);
    if (taken && taken->has_seconds()) origin.taken = taken->local;
  }
  return origin;
}

}  // namespace lookalike
