#include "base/text.h"

#include <array>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/error.h"

namespace lookalike {
namespace {

TEST(FileUri, PathThatIsUtf8StandsForItself) {
  EXPECT_EQ(text_of_path("a b%20/\xC3\xA9.jpg"), "a b%20/\xC3\xA9.jpg");
  EXPECT_EQ(path_of_text("a b%20/\xC3\xA9.jpg"), "a b%20/\xC3\xA9.jpg");
}

TEST(FileUri, AnyOtherPathComesBackAsItWas) {
  const std::string path = "/photos/caf\xE9 100%/\xC3\xA9\n.jpg";
  EXPECT_EQ(text_of_path(path), "file:///photos/caf%E9%20100%25/%C3%A9%0A.jpg");
  EXPECT_EQ(path_of_text(text_of_path(path)), path);
}

TEST(Utf8, AppendedCharactersAreReadBack) {
  for (const char32_t character :
       {0x41U, 0x7FU, 0x80U, 0x7FFU, 0x800U, 0xFFFFU, 0x10000U, 0x10FFFFU}) {
    std::string text;
    append_utf8(text, character);
    EXPECT_EQ(first_code_point(text).value, character);
    EXPECT_EQ(first_code_point(text).length, text.size());
  }
}

TEST(LowerCase, LowersAsciiAlone) {
  EXPECT_EQ(in_lower_case("IMG_\xC3\x89.JPG"), "img_\xC3\x89.jpg");
}

TEST(FileUri, RelativePathBecomesAbsolute) {
  EXPECT_EQ(path_of_text(text_of_path("\xE9.jpg")),
            (std::filesystem::current_path() / "\xE9.jpg").string());
}

TEST(FileUri, OfThisHostIsAPath) {
  EXPECT_EQ(path_of_text("file:///a%2fb"), "/a/b");
  EXPECT_EQ(path_of_text("file://localhost/a"), "/a");
  EXPECT_EQ(path_of_text("file:relative"), "file:relative");
}

TEST(FileUri, DamagedOneOrOneOfAnotherHostIsAUsageError) {
  for (const char* uri : {"file://other/a", "file:///a%", "file:///a%4", "file:///a%zz",
                          "file:///a%00", "file://localhost"}) {
    try {
      path_of_text(uri);
      ADD_FAILURE() << uri;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    }
  }
}

TEST(FileUri, Utf8IsWhatTheStandardAllows) {
  for (const char* text :
       {"", "a", "\xC3\xA9", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(text_of_path(text), text);
  }
  for (const char* text : {"\x80", "\xC3", "\xC0\x80", "\xE0\x9F\xBF", "\xED\xA0\x80",
                           "\xF4\x90\x80\x80", "\xFF", "a\xC3z"}) {
    EXPECT_NE(text_of_path(text), text);
  }
}

TEST(Printable, NamesThatCanBeShownStayAsTheyAre) {
  EXPECT_EQ(printable("/photos/Ä 'ö' \"日本\" 🙂.jpg"),
            "/photos/Ä 'ö' \"日本\" 🙂.jpg");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, WhatWouldBreakTheLineOrTheTerminalIsWrittenAsNumbers) {
  EXPECT_EQ(printable("a\nb\x1B[31m\x7F"), "a\\x0Ab\\x1B[31m\\x7F");
  EXPECT_EQ(printable("\xC2\x9B"), "\\xC2\\x9B");
  EXPECT_EQ(printable("a\\x0A"), "a\\x5Cx0A");
}

TEST(Printable, InvisibleCharactersAreWrittenAsNumbers) {
  EXPECT_EQ(printable("photo\u202Egpj.exe"), "photo\\xE2\\x80\\xAEgpj.exe");
  for (const char* const invisible :
       {"\u00AD", "\u061C", "\u200B", "\u200E", "\u200F", "\u2028", "\u2029", "\u202A", "\u202D",
        "\u2066", "\u2069", "\uFEFF", "\U000E0041"}) {
    EXPECT_TRUE(printable(invisible).starts_with("\\x")) << printable(invisible);
  }
  for (const char* const shown : {"\u00A0", "\u0640", "\u200C", "\u200D", "\uFE0F", "\U0001F468"}) {
    EXPECT_EQ(printable(shown), shown);
  }
}

TEST(Printable, MessagesKeepTheirLinesAndWhatIsEscapedAlready) {
  EXPECT_EQ(printable_message(printable("a\n\u202E") + ":\n\x1B"), "a\\x0A\\xE2\\x80\\xAE:\n\\x1B");
}

TEST(Printable, BytesThatAreNoUtf8AreWrittenAsNumbers) {
  EXPECT_EQ(printable("\xFFz\x80"), "\\xFFz\\x80");
  EXPECT_EQ(printable("\xC3"), "\\xC3");
  EXPECT_EQ(printable("\xE2\x82"), "\\xE2\\x82");
}

TEST(NearestName, TakesTheNearestAndTheFirstOfEquals) {
  const std::array<std::string_view, 3> known = {"layers", "octaves", "octavos"};
  EXPECT_EQ(nearest_name("octave", known), "octaves");
  EXPECT_EQ(nearest_name("octavxs", known), "octaves");
}

TEST(NearestName, LettersMayBePutInTakenOutOrChanged) {
  const std::array<std::string_view, 2> known = {"layers", "octaves"};
  for (const char* name : {"xoctaves", "octxaves", "octavesx", "ctaves", "octves", "octave",
                           "xctaves", "octxves", "octavex", "otcaves"}) {
    EXPECT_EQ(nearest_name(name, known), "octaves") << name;
  }
}

TEST(NearestName, TwoLettersMayChangePlaces) {
  const std::array<std::string_view, 2> known = {"layers", "query"};
  EXPECT_EQ(nearest_name("qeury", known), "query");
  EXPECT_EQ(nearest_name("uqrey", known), "");
}

TEST(Wrapped, BreaksAtSpacesAndIndentsWhatFollows) {
  EXPECT_EQ(wrapped("", 10, 0, 2), "");
  EXPECT_EQ(wrapped("one two", 7, 0, 2), "one two");
  EXPECT_EQ(wrapped("one two three", 9, 0, 2), "one two\n  three");
  EXPECT_EQ(wrapped("one two", 9, 4, 4), "one\n    two");
}

TEST(Wrapped, CountsCharactersAndKeepsLongWordsWhole) {
  EXPECT_EQ(wrapped("\xC3\xA4\xC3\xA4 b", 4, 0, 0), "\xC3\xA4\xC3\xA4 b");
  EXPECT_EQ(wrapped("a longword b", 4, 0, 0), "a\nlongword\nb");
}

TEST(CsvField, IsQuotedWithItsQuotesDoubled) {
  EXPECT_EQ(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
  EXPECT_EQ(csv_field("=1+1"), "\"'=1+1\"");
  EXPECT_EQ(csv_field("'tis"), "\"'tis\"");
  for (const char* text : {"=HYPERLINK(\"x\")", "+1", "-1.jpg", "@a", "\ta", "\ra", "\na", "'=a",
                           "''-a", "'tis.jpg", "''", "a=b", "/photos/-1.jpg", ""}) {
    const std::string field = csv_field(text);
    EXPECT_EQ(std::string_view("=+-@\t\r\n").find(field[1]), std::string_view::npos) << field;
    EXPECT_EQ(csv_records("1," + field)[0][1], text);
  }
}

TEST(CsvRecords, HaveQuotedFieldsWithBreaksCommasAndQuotes) {
  using Records = std::vector<std::vector<std::string>>;
  EXPECT_EQ(csv_records("a,b\r\n\"1,\"\"\n2\",\r\n\nlast"),
            (Records{{"a", "b"}, {"1,\"\n2", ""}, {"last"}}));
  EXPECT_EQ(csv_records("x\ry,\"open\n"), (Records{{"x\ry", "open\n"}}));
  EXPECT_EQ(csv_records(""), Records());
}

TEST(CsvRecords, AreReadAsSpreadsheetsWriteThem) {
  using Records = std::vector<std::vector<std::string>>;
  EXPECT_EQ(csv_records("\xEF\xBB\xBFquery;relevant\r\na,b.jpg;c\r\n"),
            (Records{{"query", "relevant"}, {"a,b.jpg", "c"}}));
  EXPECT_EQ(csv_records("query,relevant\na;b,c\n"), (Records{{"query", "relevant"}, {"a;b", "c"}}));
}

TEST(NearestName, AThirdOfTheLongerNameMayDiffer) {
  const std::array<std::string_view, 2> known = {"layers", "top"};
  EXPECT_EQ(nearest_name("lxyerx", known), "layers");
  EXPECT_EQ(nearest_name("lxyxrx", known), "");
  EXPECT_EQ(nearest_name("layersxyz", known), "layers");
  EXPECT_EQ(nearest_name("layerswxyz", known), "");
  EXPECT_EQ(nearest_name("to", known), "top");
  EXPECT_EQ(nearest_name("t", known), "");
}

TEST(NearestName, AKnownNameIsNearestToItself) {
  const std::array<std::string_view, 2> known = {"octaves", "octave"};
  EXPECT_EQ(nearest_name("octave", known), "octave");
}

TEST(NearestName, IsEmptyWhenNothingIsNear) {
  const std::array<std::string_view, 2> known = {"layers", "octaves"};
  EXPECT_EQ(nearest_name("colour", known), "");
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name("layers", {}), "");
}

}  // namespace
}  // namespace lookalike
