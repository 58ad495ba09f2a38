#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

// What a person or a camera wrote into a file: EXIF, IPTC, XMP, and the comments and texts of its
// format. Marks of software, thumbnails, histories and technical data are left out.
namespace lookalike {

enum class MetadataField : std::uint32_t {
  kTaken,   // "2019-07-14T12:30:05.25+02:00", local time, as far as the file says it
  kPlace,   // "48.137154,11.576124": degrees north and east
  kCamera,  // "Canon EOS R5"
  kLens,
  kRating,   // "1" to "5" stars; "-1": rejected
  kLabel,    // "Red"
  kKeyword,  // "beach"; levels of a hierarchy are separated by '|'
  kPerson,   // the name of a person who is shown
  kRegion,   // a marked part of the picture: its name, or else its place
  kTitle,
  kCaption,
  kComment,  // also the texts of a PNG
  kAuthor,
  kCopyright,
  kAddress,  // the place in words
  kOther,    // what the others do not cover, such as instructions
};

struct MetadataEntry {
  MetadataField field = MetadataField::kOther;
  std::string text;

  bool operator==(const MetadataEntry&) const = default;
};

struct Metadata {
  std::vector<MetadataEntry> entries{};  // EXIF first; none twice
  // Why there may be more: a file, or a library that is missing. Empty if all was read.
  std::string problem{};

  // True if there is an entry of the field, or for a title, caption or comment of any of the three.
  bool has(MetadataField field) const;
};

// Returns entries as they are compared: texts in UTF-8, without blanks at their ends; numbers and
// dates in the forms above. What says nothing is left out: blanks, what cameras and programs write
// into the fields of people ("OLYMPUS DIGITAL CAMERA"), no stars, 0 degrees north and east.
Metadata metadata_of(std::span<const MetadataEntry> found);

// Returns in words what a file says that another one does not, for example "has keywords that the
// other lacks: beach" or "was taken at another time"; nothing if the other says all of it. A text
// counts as the same wherever in the file it stands: a title, caption or comment as either of them.
// A date and the same date with more digits or with its zone do not differ; nor do places within
// kSamePlaceDegrees, a keyword and one with the levels above it, and a text that the 32 or more
// first characters of another one equal, as IPTC cuts them.
std::optional<std::string> said_beyond(const Metadata& one, const Metadata& other);

// Largest difference of one place in latitude or longitude: 55 m.
inline constexpr double kSamePlaceDegrees = 0.0005;

// Returns how much a file says: more than another one if it says all that the other does, and more.
std::size_t amount_said(const Metadata& metadata);

// Where a picture comes from.
struct PhotoOrigin {
  std::string camera{};  // empty if unknown
  std::string taken{};   // local time: "2019-07-14T12:30:05"; empty if unknown
};

// Returns the first camera, and the first date that is known to the second.
PhotoOrigin origin_of(const Metadata& metadata);

}  // namespace lookalike
