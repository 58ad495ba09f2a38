#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <exiv2/exiv2.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <zlib.h>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "stages/decode/boxes.h"
#include "stages/decode/bytes.h"
#include "stages/decode/jpeg_markers.h"
#include "stages/decode/readers.h"

// Exiv2 reads EXIF, IPTC and XMP; what it leaves out of a container is read here: the comments of
// JPEG and GIF, texts of PNG, XMP of GIF, the boxes of CR3, and the items of HEIF, of whose places
// Exiv2 0.27 ignores the base.
namespace lookalike {
namespace {

using enum MetadataField;

constexpr std::size_t kMostTextBytes = std::size_t{1} << 20U;

// Converts without iconv, which would open files.
std::string utf8_of_utf16(ByteSpan bytes, bool is_big) {
  const auto unit = [&](std::size_t at) {
    return static_cast<std::uint32_t>(is_big ? big_endian(bytes, at, 2)
                                             : little_endian(bytes, at, 2));
  };
  std::string text;
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    std::uint32_t code = unit(at);
    if (code == 0xfeff) continue;
    const bool is_high = code >= 0xd800 && code < 0xdc00;
    const std::uint32_t low = is_high ? unit(at + 2) : 0;
    if (low >= 0xdc00 && low < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      at += 2;
    }
    append_utf8(text, code);
  }
  return text;
}

// Returns the stars of one of Microsoft's ratings, which are shares of a hundred: 1, 25, 50,
// 75, 99.
std::string stars_of(const std::string& percent) {
  const double share = std::strtod(percent.c_str(), nullptr);
  return share <= 0 ? "" : std::to_string(1 + std::lround(share / 25 - 0.01));
}

class Found {
 public:
  explicit Found(std::vector<MetadataEntry>& entries) : entries_(entries) {}

  void add(MetadataField field, std::string_view text) {
    if (!text.empty()) entries_.push_back({field, std::string(text)});
  }
  void add_each(MetadataField field, std::string_view texts, char separator) {
    while (!texts.empty()) {
      const std::size_t end = std::min(texts.find(separator), texts.size());
      add(field, texts.substr(0, end));
      texts.remove_prefix(std::min(end + 1, texts.size()));
    }
  }
  bool has(MetadataField field) const {
    return std::ranges::find(entries_, field, &MetadataEntry::field) != entries_.end();
  }

 private:
  std::vector<MetadataEntry>& entries_;
};

// Returns "520 m above the sea"; nothing for 0.
std::string height_of(const Exiv2::Rational& metres, bool is_below) {
  const double height =
      metres.second == 0 ? 0 : std::round(metres.first / double{1} / metres.second);
  if (height == 0) return {};
  return fmt::format("{} m {} the sea", height, is_below ? "below" : "above");
}

// EXIF (JEITA CP-3451, and Microsoft's tags).
class ExifEntries {
 public:
  ExifEntries(const Exiv2::ExifData& exif, Found& found) : exif_(exif), found_(found) {}

  void add() {
    add_texts();
    add_date();
    add_place();
    found_.add(kCamera, camera_of(text("Image", 271), text("Image", 272)));
    add_lens();
  }

  // Returns the camera's name. Most models begin with their maker's name, some in capitals.
  static std::string camera_of(const std::string& maker, const std::string& model) {
    if (maker.empty() || model.empty()) return maker + model;
    const std::string_view brand = std::string_view(maker).substr(0, maker.find(' '));
    const bool has_brand = std::ranges::equal(
        brand, std::string_view(model).substr(0, brand.size()), {}, lower_case, lower_case);
    return has_brand ? model : maker + " " + model;
  }

 private:
  const Exiv2::Exifdatum* tag(std::string_view group, int number) const {
    const auto at = std::ranges::find_if(exif_, [&](const Exiv2::Exifdatum& datum) {
      return datum.tag() == number && datum.groupName() == group;
    });
    return at == exif_.end() || at->count() == 0 ? nullptr : &*at;
  }
  std::vector<std::uint8_t> bytes(const Exiv2::Exifdatum& datum) const {
    std::vector<std::uint8_t> copy(static_cast<std::size_t>(datum.size()));
    datum.copy(copy.data(), Exiv2::bigEndian);
    return copy;
  }
  // Returns a text up to its first NUL, without blanks at its end.
  std::string text(std::string_view group, int number) const {
    const Exiv2::Exifdatum* const datum = tag(group, number);
    if (datum == nullptr) return {};
    std::string value = datum->toString();
    value.erase(std::min(value.find('\0'), value.size()));
    value.erase(value.find_last_not_of(' ') + 1);
    return value;
  }

  void add_texts() {
    struct Tag {
      std::string_view group;
      int number;
      MetadataField field;
    };
    constexpr std::array<Tag, 7> kTexts = {{{"Image", 270, kCaption},
                                            {"Image", 315, kAuthor},
                                            {"Photo", 0xa436, kTitle},
                                            {"Photo", 0xa437, kAuthor},
                                            {"Photo", 0xa430, kAuthor},
                                            {"Image", 33432, kCopyright},
                                            {"Image", 18246, kRating}}};
    constexpr std::array<Tag, 5> kWide = {{{"Image", 40091, kTitle},
                                           {"Image", 40092, kComment},
                                           {"Image", 40093, kAuthor},
                                           {"Image", 40094, kKeyword},
                                           {"Image", 40095, kCaption}}};
    for (const Tag& known : kTexts) {
      const char separator = known.field == kAuthor ? ';' : '\0';
      found_.add_each(known.field, text(known.group, known.number), separator);
    }
    for (const Tag& known : kWide) {
      const Exiv2::Exifdatum* const datum = tag(known.group, known.number);
      if (datum == nullptr) continue;
      std::string value = utf8_of_utf16(bytes(*datum), false);
      value.erase(std::min(value.find('\0'), value.size()));
      const bool is_list = known.field == kAuthor || known.field == kKeyword;
      found_.add_each(known.field, value, is_list ? ';' : '\0');
    }
    if (tag("Image", 18246) == nullptr) found_.add(kRating, stars_of(text("Image", 18249)));
    if (const Exiv2::Exifdatum* const comment = tag("Photo", 0x9286)) add_comment(*comment);
  }

  // Its first eight bytes name its characters.
  void add_comment(const Exiv2::Exifdatum& comment) {
    const std::vector<std::uint8_t> value = bytes(comment);
    const ByteSpan rest = from(value, 8);
    if (!has_text(value, 0, "UNICODE")) {
      found_.add(kComment, text_of(rest));
      return;
    }
    // In the byte order of the EXIF data, from which many programs depart: letters have one byte.
    const auto zeros = [&](std::size_t first) {
      std::size_t count = 0;
      for (std::size_t at = first; at < rest.size(); at += 2) count += rest[at] == 0 ? 1 : 0;
      return count;
    };
    found_.add(kComment, utf8_of_utf16(rest, zeros(0) > zeros(1)));
  }

  void add_date() {
    struct Date {
      std::string_view group;
      int date;
      int fraction;
      int zone;
    };
    constexpr std::array<Date, 3> kDates = {{{"Photo", 0x9003, 0x9291, 0x9011},
                                             {"Image", 0x9003, 0x9291, 0x9011},
                                             {"Photo", 0x9004, 0x9292, 0x9012}}};
    for (const Date& known : kDates) {
      std::string date = text(known.group, known.date);
      if (date.find_first_of("123456789") == std::string::npos) continue;
      const std::string fraction = text(known.group, known.fraction);
      if (fraction.find_first_not_of("0123456789") == std::string::npos && !fraction.empty()) {
        date += "." + fraction;
      }
      found_.add(kTaken, date + text(known.group, known.zone));
      return;
    }
  }

  void add_place() {
    if (const Exiv2::Exifdatum* const height = tag("GPSInfo", 6)) {
      found_.add(kOther, height_of(height->toRational(), text("GPSInfo", 5) == "1"));
    }
    const auto degrees = [&](int number) -> std::optional<double> {
      const Exiv2::Exifdatum* const datum = tag("GPSInfo", number);
      if (datum == nullptr || datum->count() > 3) return std::nullopt;
      double sum = 0;
      double share = 1;
      for (int i = 0; i < static_cast<int>(datum->count()); ++i, share /= 60) {
        const auto [above, below] = datum->toRational(i);
        if (below == 0 && above != 0) return std::nullopt;
        if (below != 0) sum += share * above / below;
      }
      return sum;
    };
    const auto north = degrees(2);
    const auto east = degrees(4);
    if (!north || !east) return;
    found_.add(kPlace, fmt::format("{:.6f},{:.6f}", text("GPSInfo", 1) == "S" ? -*north : *north,
                                   text("GPSInfo", 3) == "W" ? -*east : *east));
  }

  void add_lens() {
    const std::string lens = text("Photo", 0xa434);
    if (!lens.empty()) {
      found_.add(kLens, lens);
      return;
    }
    const auto at = Exiv2::lensName(exif_);  // as the maker notes it
    if (at == exif_.end()) return;
    const std::string name = at->print(&exif_);
    if (name.find_first_not_of("0123456789 ()/") != std::string::npos) found_.add(kLens, name);
  }

  const Exiv2::ExifData& exif_;
  Found& found_;
};

// IPTC-IIM 4.2, record 2.
void add_iptc(const Exiv2::IptcData& iptc, Found& found) {
  static const std::map<int, MetadataField> fields = {
      {5, kTitle},    {25, kKeyword},  {80, kAuthor}, {90, kAddress},    {92, kAddress},
      {95, kAddress}, {101, kAddress}, {105, kTitle}, {116, kCopyright}, {120, kCaption},
      {10, kOther},   {15, kOther},    {20, kOther},  {40, kOther},      {85, kOther},
      {103, kOther},  {110, kOther},   {115, kOther}, {118, kOther},     {121, kOther},
      {122, kOther},  {12, kOther},    {22, kOther},  {26, kOther},      {27, kOther}};
  std::string date;
  std::string time;
  for (const Exiv2::Iptcdatum& datum : iptc) {
    if (datum.record() != 2) continue;
    if (datum.tag() == 55) date = datum.toString();
    if (datum.tag() == 60) time = datum.toString();
    const auto known = fields.find(datum.tag());
    if (known != fields.end()) found.add(known->second, datum.toString());
  }
  if (!date.empty()) found.add(kTaken, time.empty() ? date : date + "T" + time);
}

// XMP (ISO 16684) with the namespaces of IPTC, MWG and well-known programs.
class XmpEntries {
 public:
  XmpEntries(const Exiv2::XmpData& xmp, Found& found) : xmp_(xmp), found_(found) {}

  void add() {
    for (const Exiv2::Xmpdatum& datum : xmp_) add_property(datum);
    found_.add(kCamera, ExifEntries::camera_of(maker_, model_));
    const auto height = xmp_.findKey(Exiv2::XmpKey("Xmp.exif.GPSAltitude"));
    const auto below = xmp_.findKey(Exiv2::XmpKey("Xmp.exif.GPSAltitudeRef"));
    if (height != xmp_.end()) {
      const bool is_below = below != xmp_.end() && below->toString() == "1";
      found_.add(kOther, height_of(height->toRational(), is_below));
    }
    if (!latitude_.empty() && !longitude_.empty()) {
      found_.add(kPlace, degrees_of(latitude_) + "," + degrees_of(longitude_));
    }
    for (const auto& [path, region] : regions_) {
      if (region.type == "Focus") continue;
      found_.add(kRegion, region.name.empty() ? "at " + region.place : region.name);
    }
    // Programs set it to the time at which they made a file.
    if (!found_.has(kTaken)) found_.add(kTaken, digitized_);
    if (!found_.has(kTaken) && !is_made_by_program_) found_.add(kTaken, created_);
  }

 private:
  struct Region {
    std::string name{};
    std::string type{};
    std::string place{};
  };

  static std::vector<std::string> texts_of(const Exiv2::Xmpdatum& datum) {
    std::vector<std::string> texts;
    const Exiv2::Value& value = datum.value();
    if (const auto* const languages = dynamic_cast<const Exiv2::LangAltValue*>(&value)) {
      for (const auto& [language, text] : languages->value_) texts.push_back(text);
    } else if (dynamic_cast<const Exiv2::XmpArrayValue*>(&value) != nullptr) {
      for (int i = 0; i < static_cast<int>(value.count()); ++i) texts.push_back(value.toString(i));
    } else if (const auto* const text = dynamic_cast<const Exiv2::XmpValue*>(&value)) {
      const bool is_leaf = text->xmpArrayType() == Exiv2::XmpValue::xaNone &&
                           text->xmpStruct() == Exiv2::XmpValue::xsNone;
      if (is_leaf) texts.push_back(value.toString());
    }
    return texts;
  }

  void add_property(const Exiv2::Xmpdatum& datum) {
    const std::string space = datum.groupName();
    const std::string name = datum.tagName();
    for (const std::string& text : texts_of(datum)) {
      if (!text.empty()) add_text(space, name, text);
    }
  }

  void add_text(const std::string& space, const std::string& name, const std::string& text) {
    const std::string key = space + "." + name;
    keep(key, text);
    if (add_region(space, name, text)) return;
    if (const auto field = field_of(key)) {
      found_.add_each(*field, text, *field == kAuthor ? ';' : '\0');
    } else if (key == "MicrosoftPhoto.Rating") {
      found_.add(kRating, stars_of(text));
    } else if (key == "digiKam.TagsList" || key.starts_with("MicrosoftPhoto.LastKeyword")) {
      std::string levels = text;
      std::ranges::replace(levels, '/', '|');
      found_.add(kKeyword, levels);
    } else if (name.ends_with("PersonName")) {
      found_.add(kPerson, text);
    } else if (space == "mwg-kw") {
      if (name.ends_with(":Keyword")) found_.add(kKeyword, text);
    } else if (name.starts_with("LocationShown") || name.starts_with("LocationCreated")) {
      found_.add(kAddress, text);
    } else if (!is_technical(space, key)) {
      found_.add(kOther, text);
    }
  }

  static std::optional<MetadataField> field_of(const std::string& key) {
    static const std::map<std::string_view, MetadataField> fields = {
        {"xmp.Rating", kRating},
        {"xmp.Label", kLabel},
        {"xmp.Nickname", kOther},
        {"dc.title", kTitle},
        {"dc.description", kCaption},
        {"dc.subject", kKeyword},
        {"dc.creator", kAuthor},
        {"dc.rights", kCopyright},
        {"tiff.ImageDescription", kCaption},
        {"tiff.Artist", kAuthor},
        {"tiff.Copyright", kCopyright},
        {"exif.DateTimeOriginal", kTaken},
        {"exif.UserComment", kComment},
        {"exifEX.LensModel", kLens},
        {"aux.Lens", kLens},
        {"lr.hierarchicalSubject", kKeyword},
        {"lr.weightedFlatSubject", kKeyword},
        {"photoshop.DateCreated", kTaken},
        {"photoshop.Headline", kTitle},
        {"photoshop.City", kAddress},
        {"photoshop.State", kAddress},
        {"photoshop.Country", kAddress},
        {"photoshop.AuthorsPosition", kOther},
        {"photoshop.CaptionWriter", kOther},
        {"photoshop.Category", kOther},
        {"photoshop.Credit", kOther},
        {"photoshop.Instructions", kOther},
        {"photoshop.Source", kOther},
        {"photoshop.SupplementalCategories", kOther},
        {"photoshop.TransmissionReference", kOther},
        {"photoshop.Urgency", kOther},
        {"iptc.Location", kAddress},
        {"iptcExt.PersonInImage", kPerson},
        {"xmpRights.Owner", kCopyright},
        {"xmpRights.UsageTerms", kCopyright},
        {"xmpRights.WebStatement", kCopyright},
        {"digiKam.ColorLabel", kLabel},
        {"digiKam.PickLabel", kLabel},
        {"acdsee.caption", kCaption},
        {"acdsee.notes", kComment},
        {"acdsee.author", kAuthor},
        {"acdsee.rating", kRating},
        {"acdsee.keywords", kKeyword},
        {"acdsee.categories", kOther}};
    const auto found = fields.find(key);
    return found == fields.end() ? std::nullopt : std::optional(found->second);
  }

  // Keeps the parts of entries.
  void keep(const std::string& key, const std::string& text) {
    if (key == "tiff.Make") maker_ = text;
    if (key == "tiff.Model") model_ = text;
    if (key == "exif.GPSLatitude") latitude_ = text;
    if (key == "exif.GPSLongitude") longitude_ = text;
    if (key == "exif.DateTimeDigitized") digitized_ = text;
    if (key == "xmp.CreateDate") created_ = text;
    if (key == "xmp.CreatorTool") is_made_by_program_ = true;
  }

  // Regions of the Metadata Working Group and of Microsoft.
  bool add_region(const std::string& space, const std::string& name, const std::string& text) {
    if (space != "mwg-rs" && space != "MP") return false;
    const std::size_t bracket = name.find(']');
    if (bracket == std::string::npos) return true;
    Region& region = regions_[space + name.substr(0, bracket)];
    if (name.ends_with("mwg-rs:Name") || name.ends_with("MPReg:PersonDisplayName")) {
      region.name = text;
    } else if (name.ends_with("mwg-rs:Type")) {
      region.type = text;
    } else if (name.ends_with("stArea:x") || name.ends_with("stArea:y") ||
               name.ends_with("MPReg:Rectangle")) {
      constexpr std::size_t kDigits = 4;  // "0.12"
      region.place += (region.place.empty() ? "" : ",") + text.substr(0, kDigits);
    }
    return true;
  }

  // What programs and devices note of their own accord.
  static bool is_technical(const std::string& space, const std::string& key) {
    constexpr std::array<std::string_view, 33> kSpaces = {
        "xmp",       "xmpMM",     "xmpGImg",    "xmpNote",        "xmpTPg",
        "stEvt",     "tiff",      "exif",       "exifEX",         "aux",
        "photoshop", "crs",       "crd",        "crss",           "pdf",
        "pdfx",      "lr",        "darktable",  "hdrgm",          "HDRGainMap",
        "apdi",      "GCamera",   "GContainer", "Container",      "GDepth",
        "GImage",    "GAudio",    "drone-dji",  "MicrosoftPhoto", "digiKam",
        "acdsee",    "xmpRights", "x"};
    constexpr std::array<std::string_view, 5> kKeys = {"dc.format", "dc.identifier", "dc.type",
                                                       "dc.date", "dc.language"};
    return std::ranges::find(kSpaces, space) != kSpaces.end() ||
           std::ranges::find(kKeys, key) != kKeys.end();
  }

  // Returns the degrees of "48,6.5N" or "48,6,30N".
  static std::string degrees_of(const std::string& text) {
    double degrees = 0;
    double share = 1;
    for (std::size_t at = 0; at < text.size() && share > 1e-4; share /= 60) {
      degrees += share * std::strtod(text.c_str() + at, nullptr);
      at = std::min(text.find(',', at), text.size() - 1) + 1;
    }
    const bool is_negative = text.back() == 'S' || text.back() == 'W';
    return fmt::format("{:.6f}", is_negative ? -degrees : degrees);
  }

  const Exiv2::XmpData& xmp_;
  Found& found_;
  std::string maker_;
  std::string model_;
  std::string latitude_;
  std::string longitude_;
  std::string digitized_;
  std::string created_;
  bool is_made_by_program_ = false;
  std::map<std::string, Region> regions_;
};

// Collects what Exiv2 tells of data that it could not read. It reads one file at a time.
std::string& messages() {
  static std::string collected;
  return collected;
}

void collect(int level, const char* text) {
  constexpr std::array<std::string_view, 3> kDirectories = {"irectory Image", "irectory Photo",
                                                            "irectory GPSInfo"};
  const std::string_view message(text);
  const auto names = [&](auto directory) {
    return message.find(directory) != std::string_view::npos;
  };
  const bool is_lost = level >= Exiv2::LogMsg::error && !names("Next pointer") &&
                       std::ranges::any_of(kDirectories, names);
  if (is_lost || names("Failed to decode")) messages() = message;
}

void add_xmp(std::string_view packet, Found& found) {
  if (packet.empty()) return;
  Exiv2::XmpData xmp;
  if (Exiv2::XmpParser::decode(xmp, std::string(packet)) != 0) {
    messages() = "Failed to decode XMP metadata";
  }
  XmpEntries(xmp, found).add();
}

void add_exif(ByteSpan tiff, Found& found) {
  Exiv2::ExifData exif;
  Exiv2::ExifParser::decode(exif, tiff.data(), static_cast<std::uint32_t>(tiff.size()));
  ExifEntries(exif, found).add();
}

// Reads the comments of a JPEG, and XMP that continues in further segments (XMP, part 3).
void add_jpeg(ByteSpan file, Found& found) {
  constexpr std::string_view kExtension("http://ns.adobe.com/xmp/extension/\0", 35);
  constexpr std::size_t kHead = kExtension.size() + 32 + 4 + 4;  // digest, length, place
  std::string further;
  JpegMarkers markers(file);
  while (markers.next() && !markers.at_end() && !markers.at_scan()) {
    const ByteSpan content = markers.content();
    if (markers.marker() == 0xfe) found.add(kComment, text_of(content));
    if (markers.marker() == 0xe1 && has_text(content, 0, kExtension)) {
      further += text_of(from(content, kHead));
    }
  }
  add_xmp(further, found);
}

// Inflates a text of a PNG; nothing if it is damaged or longer than is read.
std::optional<std::string> inflated(ByteSpan bytes) {
  std::string text(std::min(kMostTextBytes, 1024 * (bytes.size() + 1)), '\0');
  auto length = static_cast<uLongf>(text.size());
  const int code = ::uncompress(reinterpret_cast<Bytef*>(text.data()), &length, bytes.data(),
                                static_cast<uLong>(bytes.size()));
  if (code != Z_OK) return std::nullopt;
  text.resize(length);
  return text;
}

// Returns the time of "14 Jul 2019 12:30:05", which may follow a day of the week, as PNG asks for.
std::string time_of(const std::string& text) {
  const std::size_t comma = text.find(',');
  const char* const start = text.c_str() + (comma == std::string::npos ? 0 : comma + 1);
  std::tm time{};
  const char* const end = ::strptime(start, " %d %b %Y %H:%M:%S", &time);
  if (end == nullptr) return text;
  const std::string_view rest(end);
  const std::string_view zone = rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}", time.tm_year + 1900, time.tm_mon + 1,
                     time.tm_mday, time.tm_hour, time.tm_min, time.tm_sec,
                     rest.starts_with(' ') ? zone : std::string_view());
}

// True for texts that programs write of their own accord, and for those that Exiv2 reads.
bool is_technical_text(std::string_view keyword) {
  constexpr std::array<std::string_view, 2> kNames = {"Software", "signature"};
  return keyword.find(':') != std::string_view::npos ||  // "date:create"
         keyword.starts_with("Raw profile type") ||
         std::ranges::find(kNames, keyword) != kNames.end();
}

void add_png_text(std::string_view keyword, const std::string& text, Found& found) {
  static const std::map<std::string_view, MetadataField> fields = {{"Title", kTitle},
                                                                   {"Author", kAuthor},
                                                                   {"Description", kCaption},
                                                                   {"Copyright", kCopyright},
                                                                   {"Comment", kComment}};
  if (keyword == "Creation Time") {
    const std::string time = time_of(text);
    const bool is_date = time.find_first_not_of("0123456789") == 4;
    found.add(is_date ? kTaken : kComment, time);
    return;
  }
  const auto known = fields.find(keyword);
  found.add(known == fields.end() ? kComment : known->second, text);
}

// Reads the texts of a PNG (section 11.3.3): keyword, NUL, and what its chunk puts before the text.
void add_png(ByteSpan file, Found& found) {
  for (ByteSpan rest = from(file, 8); rest.size() >= 12;) {
    const std::uint64_t length = big_endian(rest, 0, 4);
    const std::string_view name = text_of(rest.subspan(4, 4));
    const ByteSpan content = from(rest, 8).first(std::min<std::size_t>(length, rest.size() - 8));
    rest = from(rest, 12 + length);
    if (name != "tEXt" && name != "zTXt" && name != "iTXt") continue;
    const std::string_view keyword = text_of(content).substr(0, text_of(content).find('\0'));
    if (is_technical_text(keyword)) continue;
    ByteSpan text = from(content, keyword.size() + 1);
    bool is_compressed = name == "zTXt";
    if (name == "iTXt") {
      is_compressed = big_endian(text, 0, 1) == 1;
      text = from(text, 2);  // compression, its method; then language and keyword in it
      for (int i = 0; i < 2; ++i) text = from(text, text_of(text).find('\0') + 1);
    } else if (is_compressed) {
      text = from(text, 1);
    }
    const auto plain = is_compressed ? inflated(text) : std::string(text_of(text));
    if (plain) {
      add_png_text(keyword, *plain, found);
    } else {
      messages() = "a text of the PNG cannot be read";
    }
  }
}

// Reads the comments and the XMP of a GIF.
void add_gif(ByteSpan file, Found& found) {
  const auto colours = [](std::uint64_t flags) {
    return (flags & 0x80) != 0 ? std::size_t{3} << ((flags & 7) + 1) : 0;
  };
  ByteSpan rest = from(file, 13 + colours(big_endian(file, 10, 1)));
  while (!rest.empty() && rest[0] != 0x3b) {
    const bool is_picture = rest[0] == 0x2c;
    if (!is_picture && rest[0] != 0x21) return;
    const bool is_comment = has_text(rest, 0, "\x21\xfe");
    if (has_text(rest, 0, "\x21\xff\x0bXMP DataXMP")) {
      const std::string_view packet = text_of(from(rest, 14));
      add_xmp(packet.substr(0, packet.find('\x01')), found);
    }
    rest = from(rest, is_picture ? 11 + colours(big_endian(rest, 9, 1)) : 2);
    std::string text;
    while (!rest.empty() && rest[0] != 0) {
      const std::size_t length = std::min<std::size_t>(rest[0], rest.size() - 1);
      if (is_comment) text += text_of(rest.subspan(1, length));
      rest = from(rest, 1 + length);
    }
    rest = from(rest, 1);
    found.add(kComment, text);
  }
}

// Reads the items of EXIF and XMP of a HEIC or AVIF file (ISO 23008-12).
class HeifItems {
 public:
  HeifItems(ByteSpan file, Found& found) : file_(file), found_(found) {}

  void add() {
    for_each_box(file_, [&](std::string_view type, ByteSpan box) {
      if (type == "meta") look_at_items(from(box, 4));
    });
  }

 private:
  void look_at_items(ByteSpan meta) {
    for_each_box(meta, [&](std::string_view type, ByteSpan box) {
      const std::size_t count_bytes = big_endian(box, 0, 1) == 0 ? 2 : 4;
      if (type == "idat") data_ = box;
      if (type != "iinf") return;
      for_each_box(from(box, 4 + count_bytes), [&](std::string_view, ByteSpan entry) {
        const std::size_t id_bytes = big_endian(entry, 0, 1) < 3 ? 2 : 4;
        const std::string_view kind = text_of(from(entry, 4 + id_bytes + 2));
        const std::uint64_t id = big_endian(entry, 4, id_bytes);
        if (kind.starts_with("Exif")) exif_ = id;
        if (kind.starts_with("mime") && kind.find("rdf+xml") != std::string_view::npos) xmp_ = id;
      });
    });
    for_each_box(meta, [&](std::string_view type, ByteSpan box) {
      if (type == "iloc") look_at_locations(LocationReader(box));
    });
  }

  void look_at_locations(LocationReader locations) {
    for (auto item = locations.next_item(); item; item = locations.next_item()) {
      const bool is_wanted = item->id == exif_ || item->id == xmp_;
      std::string data;
      for (std::uint64_t i = 0; i < item->parts && data.size() <= file_.size(); ++i) {
        const auto [offset, length] = locations.next_part();
        if (!is_wanted) continue;
        const ByteSpan rest = from(item->method == 1 ? data_ : file_, offset);
        data += text_of(rest.first(std::min(length, rest.size())));
      }
      if (is_wanted) (item->id == exif_ ? exif_data_ : xmp_data_) = std::move(data);
    }
    add_items();
  }

  // Adds EXIF first, whatever the order of the items. Before its data, four bytes say how far its
  // TIFF header is.
  void add_items() {
    const ByteSpan exif = bytes_of(exif_data_);
    if (!exif.empty()) add_exif(from(exif, 4 + big_endian(exif, 0, 4)), found_);
    add_xmp(xmp_data_, found_);
  }

  ByteSpan file_;
  Found& found_;
  ByteSpan data_;
  std::optional<std::uint64_t> exif_;
  std::optional<std::uint64_t> xmp_;
  std::string exif_data_;
  std::string xmp_data_;
};

// Reads a CR3 file of Canon: each directory of EXIF is a TIFF file in a box of its own, whose first
// directory it is. Source: Laurent Clevy, https://github.com/lclevy/canon_cr3.
void add_cr3(ByteSpan file, Found& found) {
  constexpr std::size_t kUuidBytes = 16;
  constexpr std::string_view kXmp(
      "\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac");
  static const std::map<std::string_view, const char*> groups = {
      {"CMT1", "Image"}, {"CMT2", "Photo"}, {"CMT4", "GPSInfo"}};
  Exiv2::ExifData exif;
  const auto add_directory = [&](std::string_view type, ByteSpan tiff) {
    const auto group = groups.find(type);
    if (group == groups.end()) return;
    Exiv2::ExifData directory;
    Exiv2::ExifParser::decode(directory, tiff.data(), static_cast<std::uint32_t>(tiff.size()));
    for (const Exiv2::Exifdatum& datum : directory) {
      if (datum.groupName() != "Image") continue;
      exif.add(Exiv2::ExifKey(datum.tag(), group->second), &datum.value());
    }
  };
  std::string_view xmp;
  for_each_box(file, [&](std::string_view type, ByteSpan box) {
    if (type == "uuid" && has_text(box, 0, kXmp)) xmp = text_of(from(box, kUuidBytes));
    if (type != "moov") return;
    for_each_box(box, [&](std::string_view inner, ByteSpan content) {
      if (inner == "uuid") for_each_box(from(content, kUuidBytes), add_directory);
    });
  });
  ExifEntries(exif, found).add();
  add_xmp(xmp, found);
}

void add_by_exiv2(ByteSpan file, Found& found) {
  auto image = Exiv2::ImageFactory::open(file.data(), static_cast<long>(file.size()));
  try {
    image->readMetadata();
  } catch (const std::exception& error) {  // what was read before counts
    messages() = error.what();
  }
  ExifEntries(image->exifData(), found).add();
  add_iptc(image->iptcData(), found);
  XmpEntries(image->xmpData(), found).add();
}

void read_metadata(ByteSpan file, std::vector<MetadataEntry>& entries, std::string& problem) {
  Exiv2::LogMsg::setHandler(collect);
  messages().clear();
  Found found(entries);
  if (has_text(file, 4, "ftypcrx ")) {
    add_cr3(file, found);
  } else if (has_text(file, 4, "ftyp")) {
    HeifItems(file, found).add();
  } else if (has_text(file, 0, "GIF8")) {
    add_gif(file, found);
  } else {
    add_by_exiv2(file, found);
    if (has_text(file, 0, "\xff\xd8")) add_jpeg(file, found);
    if (has_text(file, 0, "\x89PNG")) add_png(file, found);
  }
  if (!messages().empty()) problem = "libexiv2: " + messages();
}

}  // namespace

extern "C" {
extern const ImageReader LOOKALIKE_MODULE_EXPORTS;
const ImageReader LOOKALIKE_MODULE_EXPORTS = {.read_metadata = read_metadata};
}

}  // namespace lookalike
