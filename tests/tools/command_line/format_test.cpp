#include "tools/command_line/format.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tools/command_line/command_line.h"

namespace lookalike {
namespace {

using Json = nlohmann::ordered_json;

// What a table of two rows prints under the words of a command line.
std::string printed(std::vector<const char*> words) {
  CLI::App app("Lists.", "lookalike-list");
  const FormatArgument format(app, "Print JSON");
  words.insert(words.begin(), "lookalike-list");
  parse_command_line(app, static_cast<int>(words.size()), words.data());
  testing::internal::CaptureStdout();
  const Table table(format, {"query", "rank", "share", "path", "error"}, {"query", "path"});
  table.add({{"query", "a \"b\",c"}, {"rank", 1}, {"share", 0.25}, {"path", "/x\ty"}});
  table.add({{"query", "/d\t"}, {"rank", nullptr}, {"error", "one\ntwo"}});
  return testing::internal::GetCapturedStdout();
}

TEST(Table, TsvHasATabBetweenColumnsAndNoneInThem) {
  EXPECT_EQ(printed({"--format", "tsv"}),
            "query\trank\tshare\tpath\terror\n"
            "a \"b\",c\t1\t0.2500\tfile:///x%09y\t\n"
            "file:///d%09\t\t\t\tone two\n");
}

TEST(Table, CsvQuotesText) {
  EXPECT_EQ(printed({"--format", "csv"}),
            "query,rank,share,path,error\n"
            "\"a \"\"b\"\",c\",1,0.2500,\"/x\ty\",\n"
            "\"/d\t\",,,,\"one\ntwo\"\n");
}

TEST(Table, PathsAreThoseOfRowsThatHaveOne) {
  EXPECT_EQ(printed({"--format", "paths"}), "/x\ty\n");
  EXPECT_EQ(printed({"--format", "paths", "-0"}), std::string("/x\ty\0", 5));
}

TEST(FormatArgument, JsonStandsForItsFormat) {
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{"list", "--json"}, {"list", "--format", "json"}}) {
    CLI::App app("Lists.", "list");
    const FormatArgument format(app, "Print JSON");
    parse_command_line(app, static_cast<int>(words.size()), words.data());
    EXPECT_TRUE(format.is_json());
    EXPECT_FALSE(format.is_table());
  }
}

TEST(FormatArgument, AnotherFormatIsAUsageError) {
  EXPECT_THROW(printed({"--format", "xml"}), Error);
  EXPECT_THROW(printed({"--format", "tsv", "--json"}), Error);
}

}  // namespace
}  // namespace lookalike
