#include "tools/command_line/format.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tools/command_line/command_line.h"

namespace lookalike {
namespace {

using Json = nlohmann::ordered_json;

// Returns what an answer of two rows prints under the words of a command line.
std::string printed(std::vector<const char*> words) {
  CLI::App app("Lists.", "lookalike-list");
  const FormatArgument format(
      app, {.columns = {"query", "rank", "share", "path", "error"}, .paths = {"query", "path"}});
  words.insert(words.begin(), "lookalike-list");
  parse_command_line(app, static_cast<int>(words.size()), words.data());
  testing::internal::CaptureStdout();
  const Json rows = {{{"query", "a \"b\",c"}, {"rank", 1}, {"share", 0.25}, {"path", "/x\ty"}},
                     {{"query", "/d\t"}, {"rank", nullptr}, {"error", "one\ntwo"}}};
  Printer(format).print({{"rows", 2}}, rows, [] { fmt::print("two rows\n"); });
  return testing::internal::GetCapturedStdout();
}

TEST(Printer, TextIsWhatTheCommandPrints) {
  EXPECT_EQ(printed({}), "two rows\n");
  EXPECT_EQ(printed({"--format", "text"}), "two rows\n");
}

TEST(Printer, JsonIsOneLineWithItsSchema) {
  EXPECT_EQ(printed({"--json"}), "{\"schema\":1,\"rows\":2}\n");
  EXPECT_EQ(printed({"--format", "json"}), printed({"--json"}));
}

TEST(Printer, TsvHasATabBetweenColumnsAndNoneInThem) {
  EXPECT_EQ(printed({"--format", "tsv"}),
            "query\trank\tshare\tpath\terror\n"
            "a \"b\",c\t1\t0.2500\tfile:///x%09y\t\n"
            "file:///d%09\t\t\t\tone two\n");
}

TEST(Printer, CsvQuotesText) {
  EXPECT_EQ(printed({"--format", "csv"}),
            "query,rank,share,path,error\n"
            "\"a \"\"b\"\",c\",1,0.2500,\"/x\ty\",\n"
            "\"/d\t\",,,,\"one\ntwo\"\n");
}

TEST(Printer, PathsAreThoseOfRowsThatHaveOne) {
  EXPECT_EQ(printed({"--format", "paths"}), "/x\ty\n");
  EXPECT_EQ(printed({"--format", "paths", "-0"}), std::string("/x\ty\0", 5));
}

TEST(FormatArgument, AnotherFormatIsAUsageError) {
  EXPECT_THROW(printed({"--format", "xml"}), Error);
  EXPECT_THROW(printed({"--format", "tsv", "--json"}), Error);
}

}  // namespace
}  // namespace lookalike
