#include "stages/decode/metadata.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/image_formats.h"
#include "stages/decode/readers.h"
#include "tests/fixtures/image_files.h"
#include "tests/stages/pictures.h"
#include "tests/stages/png_bytes.h"

namespace lookalike {
namespace {

using enum MetadataField;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using Bytes = std::vector<std::uint8_t>;
using Entries = std::vector<MetadataEntry>;

std::optional<std::string> beyond(const Entries& one, const Entries& other) {
  return said_beyond(metadata_of(one), metadata_of(other));
}

bool say_the_same(const Entries& one, const Entries& other) {
  return !beyond(one, other) && !beyond(other, one);
}

TEST(Metadata, WhatOnlyOneFileSaysIsNamed) {
  EXPECT_EQ(beyond({{kKeyword, "beach"}, {kKeyword, "Anna"}, {kTitle, "Sea"}}, {{kTitle, "Sea"}}),
            "has keywords that the other lacks: beach, Anna");
  EXPECT_EQ(beyond({{kPlace, "48.1,11.5"}}, {}), "says where it was taken, the other does not");
  EXPECT_EQ(beyond({{kTaken, "2019:07:14 12:30:05"}}, {}),
            "says when it was taken, the other does not");
  EXPECT_EQ(beyond({{kRating, "5"}}, {}), "has a rating that the other lacks: 5");
  EXPECT_EQ(beyond({}, {{kRating, "5"}}), std::nullopt);
  EXPECT_THAT(beyond({{kCaption, std::string(200, 'a')}}, {}), Optional(HasSubstr("aaa...")));
  EXPECT_THAT(beyond({{kKeyword, "a"}, {kKeyword, "b"}, {kKeyword, "c"}, {kKeyword, "d"}}, {}),
              Optional(HasSubstr("a, b, c and 1 more")));
}

TEST(Metadata, WhatContradictsIsAnotherPhoto) {
  EXPECT_EQ(beyond({{kTaken, "2019:07:14 12:30:05"}}, {{kTaken, "2019:07:14 12:30:06"}}),
            "was taken at another time");
  EXPECT_EQ(beyond({{kPlace, "48.1,11.5"}}, {{kPlace, "48.2,11.5"}}), "was taken in another place");
  EXPECT_EQ(beyond({{kCamera, "Canon EOS R5"}}, {{kCamera, "Canon EOS R6"}}),
            "was taken with another camera");
  EXPECT_EQ(beyond({{kLens, "50 mm"}}, {{kLens, "35 mm"}}), "was taken with another lens");
  EXPECT_EQ(beyond({{kRating, "5"}}, {{kRating, "3"}}), "has another rating: 5");
}

TEST(Metadata, ATextIsTheSameWhereverItStands) {
  EXPECT_TRUE(say_the_same({{kCaption, "At the  lake\n"}}, {{kTitle, "at the lake"}}));
  EXPECT_TRUE(say_the_same({{kCaption,
                             "Gr\xfc\xdf"
                             "e"}},
                           {{kCaption, "Gr\u00fc\u00dfe"}}))
      << "Latin-1 and UTF-8";
  EXPECT_FALSE(say_the_same({{kAuthor, "Anna"}}, {{kCaption, "Anna"}}));
  const std::string text = "A sentence of more than thirty-two characters, and more.";
  EXPECT_EQ(beyond({{kCaption, text.substr(0, 40)}}, {{kCaption, text}}), std::nullopt);
  EXPECT_NE(beyond({{kCaption, text}}, {{kCaption, text.substr(0, 40)}}), std::nullopt);
  EXPECT_NE(beyond({{kCaption, "A"}}, {{kCaption, "A sentence"}}), std::nullopt);
}

TEST(Metadata, AKeywordIsPartOfItsHierarchy) {
  EXPECT_EQ(beyond({{kKeyword, "dog"}}, {{kKeyword, "animals|dog"}}), std::nullopt);
  EXPECT_NE(beyond({{kKeyword, "animals|dog"}}, {{kKeyword, "dog"}}), std::nullopt);
  EXPECT_NE(beyond({{kKeyword, "dog"}}, {{kKeyword, "hotdog"}}), std::nullopt);
  EXPECT_EQ(beyond({{kPerson, "Anna"}}, {{kRegion, "Anna"}}), std::nullopt);
  EXPECT_NE(beyond({{kRegion, "Anna"}}, {{kPerson, "Anna"}}), std::nullopt);
}

TEST(Metadata, OneTimeHasManyForms) {
  const auto is_same = [](const char* one, const char* other) {
    return say_the_same({{kTaken, one}}, {{kTaken, other}});
  };
  EXPECT_TRUE(is_same("2019:07:14 12:30:05", "2019-07-14T12:30:05.000"));
  EXPECT_TRUE(is_same("2019:07:14 12:30:05", "2019-07-14T12:30:05.25+02:00"));
  EXPECT_TRUE(is_same("2019-07-14T12:30:05+02:00", "2019-07-14T10:30:05Z"));
  EXPECT_TRUE(is_same("2019-07-14T23:30:05-0200", "2019-07-15T01:30:05Z"));
  EXPECT_FALSE(is_same("2019:07:14 12:30:05.25", "2019:07:14 12:30:05.75"));
  EXPECT_FALSE(is_same("2019-07-14T12:30:05", "2019-07-14T10:30:05Z"));
  EXPECT_EQ(beyond({{kTaken, "2019-07-14"}}, {{kTaken, "2019:07:14 12:30:05"}}), std::nullopt);
  EXPECT_EQ(beyond({{kTaken, "2019:07:14 12:30:05"}}, {{kTaken, "2019-07-14"}}),
            "says more exactly when it was taken");
}

TEST(Metadata, PlacesAreComparedOnTheGround) {
  EXPECT_TRUE(say_the_same({{kPlace, "48.1,11.5"}}, {{kPlace, "48.1003,11.4998"}}));
  EXPECT_TRUE(say_the_same({{kPlace, "10,180"}}, {{kPlace, "10,-179.9999"}}));
  EXPECT_FALSE(say_the_same({{kPlace, "48.1,11.5"}}, {{kPlace, "48.101,11.5"}}));
}

TEST(Metadata, WhatSaysNothingIsLeftOut) {
  const Entries empty = {{kCaption, "          "},
                         {kCaption, "OLYMPUS DIGITAL CAMERA         "},
                         {kCaption, std::string("\0\0\0", 3)},
                         {kComment, "CREATOR: gd-jpeg v1.0 (using IJG JPEG v62), quality = 90"},
                         {kComment, "Created with GIMP"},
                         {kRating, "0"},
                         {kPlace, "0.000000,0.000000"},
                         {kTaken, "0000:00:00 00:00:00"},
                         {kTaken, "    :  :     :  :  "},
                         {kKeyword, "||"}};
  EXPECT_THAT(metadata_of(empty).entries, IsEmpty());
  EXPECT_THAT(metadata_of(Entries{{kCaption, "Created with GIMP"}}).entries, testing::SizeIs(1));
}

TEST(Metadata, TheFileThatSaysMoreHasTheGreaterAmount) {
  const auto amount = [](const Entries& entries) { return amount_said(metadata_of(entries)); };
  EXPECT_EQ(amount({{kCaption, "Sea"}, {kTitle, "sea"}}), amount({{kCaption, "Sea"}}));
  EXPECT_GT(amount({{kCaption, "Sea"}, {kKeyword, "sea"}}), amount({{kCaption, "Sea"}}));
  EXPECT_GT(amount({{kTaken, "2019-07-14T12:30:05.25"}}),
            amount({{kTaken, "2019-07-14T12:30:05"}}));
}

TEST(Metadata, WhatCouldNotBeReadMayBeMore) {
  EXPECT_THAT(said_beyond({.problem = "damaged"}, {}), Optional(HasSubstr("damaged")));
  EXPECT_EQ(said_beyond({}, {.problem = "damaged"}), std::nullopt);
  const Entries many(3000, {kKeyword, "a"});
  EXPECT_EQ(metadata_of(many).problem, "");
  Entries different;
  for (int i = 0; i < 3000; ++i) different.push_back({kKeyword, std::to_string(i)});
  EXPECT_NE(metadata_of(different).problem, "");
}

class MetadataReader : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_built(ReaderModule::kMetadata)) GTEST_SKIP() << "built without libexiv2";
  }

  static Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }
  static Bytes with(Bytes file, std::size_t at, const Bytes& more) {
    file.insert(file.begin() + static_cast<std::ptrdiff_t>(at), more.begin(), more.end());
    return file;
  }
  // A JPEG with a segment.
  Bytes jpeg_with(std::uint8_t marker, std::string_view content) const {
    const std::size_t length = content.size() + 2;
    Bytes segment = {0xff, marker, static_cast<std::uint8_t>(length >> 8),
                     static_cast<std::uint8_t>(length)};
    segment.insert(segment.end(), content.begin(), content.end());
    return with(encode(".jpg", picture_), 2, segment);
  }
  static std::string xmp(std::string_view properties) {
    return R"(<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF )"
           R"(xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description )"
           R"(xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" )"
           R"(xmlns:tiff="http://ns.adobe.com/tiff/1.0/" xmlns:exif="http://ns.adobe.com/exif/1.0/" )"
           R"(xmlns:MicrosoftPhoto="http://ns.microsoft.com/photo/1.0/" )"
           R"(xmlns:digiKam="http://www.digikam.org/ns/1.0/" xmlns:own="http://own.example/" )" +
           std::string(properties) + "</rdf:Description></rdf:RDF></x:xmpmeta>";
  }
  Entries entries_of_xmp(std::string_view properties) const {
    const std::string name("http://ns.adobe.com/xap/1.0/\0", 29);
    return read(jpeg_with(0xe1, name + xmp(properties))).entries;
  }
  static Metadata read(const Bytes& file) { return read_metadata(file); }
  // A number of four bytes.
  static std::string big_endian(std::size_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
    return bytes;
  }
  static std::string little_endian(std::size_t value) {
    const std::string bytes = big_endian(value);
    return {bytes.rbegin(), bytes.rend()};
  }
  // A box of ISO 14496-12.
  static std::string box(const char* type, const std::string& content) {
    return big_endian(8 + content.size()) + type + content;
  }

  const cv::Mat picture_ = draw_picture(64, 48, 1);
  // Big-endian: 270, 0x9286 with "UNICODE" in little-endian form, in two directories.
  const std::string tiff_{
      "MM\0*\0\0\0\x08"
      "\0\x02\x01\x0e\0\x02\0\0\0\x05\0\0\0\x26\x87\x69\0\x04\0\0\0\x01\0\0\0\x2c"
      "\0\0\0\0Lake\0\0"
      "\0\x01\x92\x86\0\x07\0\0\0\x0c\0\0\0\x3e\0\0\0\0"
      "UNICODE\0\xfc\0h\0",
      74};
  const Entries of_tiff_ = {{kCaption, "Lake"}, {kComment, "\u00fch"}};
};

TEST_F(MetadataReader, ReadsExif) {
  const Metadata found = read(jpeg_with(0xe1, std::string("Exif\0\0", 6) + tiff_));
  EXPECT_EQ(found.problem, "");
  EXPECT_THAT(found.entries, ElementsAreArray(of_tiff_));
}

TEST_F(MetadataReader, ReadsExifOfPng) {
  constexpr std::size_t kBehindHeader = 33;
  const Metadata found =
      read(with(encode(".png", picture_), kBehindHeader, png_chunk("eXIf", bytes_of(tiff_))));
  EXPECT_EQ(found.problem, "");
  EXPECT_THAT(found.entries, ElementsAreArray(of_tiff_));
}

TEST_F(MetadataReader, ReadsExifAndXmpOfWebp) {
  const auto chunk = [](const char* name, std::string content) {
    const std::size_t size = content.size();
    if (size % 2 == 1) content += '\0';
    return name + little_endian(size) + content;
  };
  const Bytes plain = encode(".webp", picture_);
  const std::string picture(plain.begin() + 12, plain.end());
  const std::string extended("\x0c\0\0\0\x3f\0\0\x2f\0\0", 10);  // EXIF and XMP, 64 x 48
  const std::string chunks = "WEBP" + chunk("VP8X", extended) + picture + chunk("EXIF", tiff_) +
                             chunk("XMP ", xmp(R"(xmp:Rating="5">)"));
  const Metadata found = read(bytes_of("RIFF" + little_endian(chunks.size()) + chunks));
  EXPECT_EQ(found.problem, "");
  Entries expected = of_tiff_;
  expected.push_back({kRating, "5"});
  EXPECT_THAT(found.entries, ElementsAreArray(expected));
}

TEST_F(MetadataReader, ReadsExifOfHeif) {
  const std::string entry = box("infe", std::string("\2\0\0\0\0\1\0\0Exif\0", 13));
  const std::string items = box("iinf", std::string("\0\0\0\0\0\1", 6) + entry);
  // One item, in the box idat: its offset and length have four bytes.
  const std::string data = std::string("\0\0\0\0", 4) + tiff_;
  const std::string places =
      box("iloc",
          std::string("\1\0\0\0\x44\0\0\1\0\1\0\1\0\0\0\1\0\0\0\0", 20) + big_endian(data.size()));
  const std::string file = box("ftyp", "heic" + big_endian(0) + "mif1heic") +
                           box("meta", big_endian(0) + items + places + box("idat", data));
  const Metadata found = read(bytes_of(file));
  EXPECT_EQ(found.problem, "");
  EXPECT_THAT(found.entries, ElementsAreArray(of_tiff_));
}

TEST_F(MetadataReader, ReadsExifAndXmpOfCr3) {
  const auto directory = [](std::string_view entry, std::string_view value) {
    return std::string("MM\0*\0\0\0\x08\0\1", 10) + std::string(entry) +
           std::string("\0\0\0\x1a\0\0\0\0", 8) + std::string(value);
  };
  const std::string boxes =
      box("CMT1", directory({"\x01\x0e\0\x02\0\0\0\x05", 8}, {"Lake\0", 5})) +
      box("CMT2", directory({"\x90\x03\0\x02\0\0\0\x14", 8}, {"2019:07:14 12:30:05\0", 20}));
  const std::string canon = "\x85\xc0\xb6\x87\x82\x0f\x11\xe0\x81\x11\xf4\xce\x46\x2b\x6a\x48";
  const std::string packet = "\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac";
  const std::string file = box("ftyp", "crx " + big_endian(1) + "crx isom") +
                           box("moov", box("uuid", canon + boxes)) +
                           box("uuid", packet + xmp(R"(xmp:Rating="5">)"));
  const Metadata found = read(bytes_of(file));
  EXPECT_EQ(found.problem, "");
  EXPECT_THAT(found.entries,
              testing::UnorderedElementsAre(MetadataEntry{kCaption, "Lake"},
                                            MetadataEntry{kTaken, "2019-07-14T12:30:05"},
                                            MetadataEntry{kRating, "5"}));
}

TEST_F(MetadataReader, ReadsIptc) {
  const std::string iptc(
      "\x1c\x02\x19\0\x05"
      "beach\x1c\x02\x78\0\x04Lake\x1c\x02\x41\0\x04GIMP\0",
      28);
  const std::string block = std::string(
                                "Photoshop 3.0\0"
                                "8BIM\x04\x04\0\0\0\0\0\x1c",
                                26) +
                            iptc;
  EXPECT_THAT(read(jpeg_with(0xed, block)).entries,
              ElementsAre(MetadataEntry{kKeyword, "beach"}, MetadataEntry{kCaption, "Lake"}));
}

TEST_F(MetadataReader, ReadsXmp) {
  EXPECT_THAT(
      entries_of_xmp(R"(xmp:Rating="5" MicrosoftPhoto:Rating="75" own:word="new" )"
                     R"(tiff:Model="EOS" tiff:Make="Canon" exif:GPSLatitude="48,6.0N" )"
                     R"(exif:GPSLongitude="11,30,0W">)"
                     R"(<digiKam:TagsList><rdf:Seq><rdf:li>people/Anna</rdf:li></rdf:Seq>)"
                     R"(</digiKam:TagsList>)"),
      testing::UnorderedElementsAre(
          MetadataEntry{kRating, "5"}, MetadataEntry{kRating, "4"}, MetadataEntry{kOther, "new"},
          MetadataEntry{kKeyword, "people|Anna"}, MetadataEntry{kCamera, "Canon EOS"},
          MetadataEntry{kPlace, "48.100000,-11.500000"}));
}

TEST_F(MetadataReader, LeavesOutWhatSoftwareNotes) {
  EXPECT_THAT(entries_of_xmp(R"(xmp:CreatorTool="GIMP" xmp:CreateDate="2020-01-01T10:00:00" )"
                             R"(xmp:ModifyDate="2020-01-01T10:00:00" dc:format="image/jpeg">)"),
              IsEmpty());
  EXPECT_THAT(entries_of_xmp(R"(xmp:CreateDate="2020-01-01T10:00:00">)"),
              ElementsAre(MetadataEntry{kTaken, "2020-01-01T10:00:00"}));
}

TEST_F(MetadataReader, ReadsCommentsAndTexts) {
  EXPECT_THAT(read(jpeg_with(0xfe, "Lake")).entries, ElementsAre(MetadataEntry{kComment, "Lake"}));
  constexpr std::size_t kBehindHeader = 33;
  const Bytes png = encode(".png", picture_);
  const auto texts_of = [&](const char* type, std::string_view content) {
    return read(with(png, kBehindHeader, png_chunk(type, bytes_of(content)))).entries;
  };
  EXPECT_THAT(texts_of("tEXt", {"Title\0Lake", 10}), ElementsAre(MetadataEntry{kTitle, "Lake"}));
  EXPECT_THAT(texts_of("tEXt", {"Software\0GIMP", 13}), IsEmpty());
  EXPECT_THAT(texts_of("tEXt", {"Creation Time\0Sun, 14 Jul 2019 12:30:05 +0200", 45}),
              ElementsAre(MetadataEntry{kTaken, "2019-07-14T12:30:05+02:00"}));
  EXPECT_THAT(texts_of("tEXt", {"Creation Time\0Sun, 14 Jul 2019 12:30:05 ", 40}),
              ElementsAre(MetadataEntry{kTaken, "2019-07-14T12:30:05"}));
  EXPECT_THAT(texts_of("iTXt", {"prompt\0\0\0en\0word\0a lake", 24}),
              ElementsAre(MetadataEntry{kComment, "a lake"}));
  EXPECT_THAT(texts_of("zTXt", {"Title\0\0\x78\x01\x01\x04\0\xfb\xffLake\x03\x92\x01\x7e", 22}),
              ElementsAre(MetadataEntry{kTitle, "Lake"}));
  EXPECT_NE(
      read(with(png, kBehindHeader, png_chunk("zTXt", bytes_of({"Title\0\0junk", 11})))).problem,
      "");
}

TEST_F(MetadataReader, ReadsTheCommentsOfAGif) {
  if (!is_built(ReaderModule::kGif)) GTEST_SKIP() << "built without giflib";
  Bytes gif = make_gif(picture_);
  gif.pop_back();  // the end
  const Bytes comment = bytes_of({"\x21\xfe\x04Lake\0;", 9});
  gif.insert(gif.end(), comment.begin(), comment.end());
  EXPECT_THAT(read(gif).entries, ElementsAre(MetadataEntry{kComment, "Lake"}));
}

TEST_F(MetadataReader, ReadsXmpOfHeif) {
  if (!can_make_heif(false)) GTEST_SKIP() << "libheif has no encoder";
  cv::Mat colour;
  cv::cvtColor(picture_, colour, cv::COLOR_GRAY2BGR);
  const Bytes heif = make_heif(colour, {.exif_orientation = 6, .xmp = xmp(R"(xmp:Rating="5">)")});
  EXPECT_THAT(read(heif).entries, ElementsAre(MetadataEntry{kRating, "5"}));
}

TEST_F(MetadataReader, OfPartOfAFileGivesWhatStandsInIt) {
  Bytes start = jpeg_with(0xfe, "Lake");
  start.resize(200);
  EXPECT_THAT(read(start).entries, ElementsAre(MetadataEntry{kComment, "Lake"}));
}

TEST_F(MetadataReader, DamagedDataAreAProblem) {
  EXPECT_NE(read(jpeg_with(0xe1, std::string("Exif\0\0MM\0*\0\0\0\x08\xff\xff", 16))).problem, "");
  const std::string name("http://ns.adobe.com/xap/1.0/\0", 29);
  EXPECT_NE(read(jpeg_with(0xe1, name + "<x:xmpmeta")).problem, "");
}

TEST_F(MetadataReader, FilesWithoutAnyHaveNoProblem) {
  for (const FileFormat& format : file_formats()) {
    cv::Mat colour;
    cv::cvtColor(picture_, colour, cv::COLOR_GRAY2BGR);
    const Bytes file = format.make(colour);
    if (format_of(file) == ImageFormat::kRaw) continue;  // cameras name themselves
    const Metadata found = read(file);
    EXPECT_THAT(found.entries, IsEmpty()) << format.ending;
    EXPECT_EQ(found.problem, "") << format.ending;
  }
}

}  // namespace
}  // namespace lookalike
