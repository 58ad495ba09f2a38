// Help, versions, and errors in command lines.

#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/run_program.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

struct CommandLine {
  std::string program;
  std::vector<std::string> words;
};

void PrintTo(const CommandLine& line, std::ostream* out) {
  *out << line.program;
  for (const std::string& word : line.words) *out << ' ' << word;
}

class EveryCommand : public testing::TestWithParam<CommandLine> {};

TEST_P(EveryCommand, HelpExitsZeroAndSaysWhatGoesInAndOut) {
  std::vector<std::string> words = GetParam().words;
  words.emplace_back("--help");
  const ProgramResult result = run_program(GetParam().program, words);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, HasSubstr("Output:"));
  EXPECT_THAT(result.out, HasSubstr("Example: " + GetParam().program));
}

TEST_P(EveryCommand, HelpFitsATerminalOf80Columns) {
  std::vector<std::string> words = GetParam().words;
  words.emplace_back("--help");
  std::istringstream help(run_program(GetParam().program, words).out);
  for (std::string line; std::getline(help, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST_P(EveryCommand, AnUnknownOptionIsAUsageErrorInOneLine) {
  std::vector<std::string> words = GetParam().words;
  words.emplace_back("--no-such-option");
  const ProgramResult result = run_program(GetParam().program, words);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, StartsWith(GetParam().program + ": error: "));
  EXPECT_THAT(result.err, HasSubstr("--help"));
  EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
}

std::vector<CommandLine> every_command_line() {
  std::vector<CommandLine> all = {{"lookalike-scan", {}},     {"lookalike-extract", {}},
                                  {"lookalike-variance", {}}, {"lookalike-sample", {}},
                                  {"lookalike-codebook", {}}, {"lookalike-assign", {}},
                                  {"lookalike-store", {}},    {"lookalike-match", {}}};
  for (const std::string& command : commands_of("lookalike"))
    all.push_back({"lookalike", {command}});
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, EveryCommand, testing::ValuesIn(every_command_line()));

TEST(Lookalike, HelpAndVersionExitZero) {
  EXPECT_EQ(run_program("lookalike", {"--help"}).exit_code, 0);
  const ProgramResult version = run_program("lookalike", {"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_THAT(version.out, ContainsRegex("^lookalike [0-9]+\\.[0-9]+\\.[0-9]+\n$"));
  EXPECT_EQ(run_program("lookalike", {"-V"}).out, version.out);
}

TEST(Lookalike, AnOptionBeforeTheCommandIsToldItsPlace) {
  EXPECT_EQ(run_program("lookalike", {"-d", "x.db", "query", "photo.jpg"}).err,
            "lookalike: error: -d: options come after the command: lookalike query ...; see "
            "lookalike query --help\n");
}

TEST(Lookalike, StageExecutablesHaveTheVersionToo) {
  EXPECT_THAT(run_program("lookalike-scan", {"-V"}).out,
              ContainsRegex("^lookalike-scan [0-9.]+\n$"));
}

TEST(Lookalike, HelpIsACommandToo) {
  EXPECT_EQ(run_program("lookalike", {"help"}).out, run_program("lookalike", {"--help"}).out);
  EXPECT_EQ(run_program("lookalike", {"help", "query"}).out,
            run_program("lookalike", {"query", "--help"}).out);
  EXPECT_EQ(run_program("lookalike", {"help", "qery"}).exit_code, 2);
}

TEST(Lookalike, TheListOfCommandsFitsATerminalOf80Columns) {
  std::istringstream help(run_program("lookalike", {"--help"}).out);
  for (std::string line; std::getline(help, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(Lookalike, WithoutACommandIsAUsageError) {
  EXPECT_EQ(run_program("lookalike", {}).exit_code, 2);
}

TEST(Lookalike, AMistypedCommandIsToldTheNearestOne) {
  const ProgramResult result = run_program("lookalike", {"qery", "photo.jpg"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "lookalike: error: qery: no such command; did you mean \"query\"?\n");
  EXPECT_THAT(run_program("lookalike", {"searhc"}).err, HasSubstr("did you mean \"query\"?"));
}

TEST(Lookalike, AValueOutOfRangeIsToldWhatIsAllowed) {
  const ProgramResult result =
      run_program("lookalike", {"query", "--database", "x.db", "--top", "0", "photo.jpg"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err,
            "lookalike: error: --top: must be an integer from 1 to 1000 places, was \"0\"\n");
}

TEST(Lookalike, AWrongConfigurationIsToldWithItsPlace) {
  const TemporaryFolder folder;
  const std::string file = folder.write("run.toml", "[extract]\noctaves = 9\n");
  const ProgramResult result = run_program("lookalike", {"index", "--config", file});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "lookalike: error: " + file +
                            ":2:11: extract.octaves: must be an integer from 1 to 6, was 9\n");
}

TEST(Lookalike, AMissingIndexIsAnInputError) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"query", "photo.jpg"},
                                                {"explain", "photo.jpg", "1"},
                                                {"show", "photo.jpg"},
                                                {"check"},
                                                {"runs"},
                                                {"quarantine"},
                                                {"compact"},
                                                {"folders"},
                                                {"list"},
                                                {"calibrate"},
                                                {"retrain"},
                                                {"merge", "/nowhere/index.db"},
                                                {"move", "old", "new"},
                                                {"remove", "photo.jpg"}}) {
    std::vector<std::string> arguments = words;
    arguments.insert(arguments.end(), {"--database", "/nowhere/index.db"});
    const ProgramResult result = run_program("lookalike", arguments);
    EXPECT_EQ(result.exit_code, 3) << words.front();
    EXPECT_THAT(result.err, HasSubstr("/nowhere/index.db"));
  }
}

TEST(Lookalike, ADeviceThatIsNotThereIsADeviceError) {
  const ProgramResult result =
      run_program("lookalike", {"devices", "--device", "::no-such-device"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, HasSubstr("no-such-device"));
}

TEST(Lookalike, ConfigPrintsAFileThatLoads) {
  const TemporaryFolder folder;
  const ProgramResult defaults = run_program("lookalike", {"config"});
  EXPECT_EQ(defaults.exit_code, 0);
  const std::string file = folder.write("run.toml", defaults.out);
  EXPECT_EQ(run_program("lookalike", {"config", "--config", file}).out, defaults.out);
}

TEST(Lookalike, DevicesListsThemWithSelfTestsThatPass) {
  const ProgramResult result = run_program("lookalike", {"devices", "--self-test", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json devices = nlohmann::json::parse(result.out)["devices"];
  std::size_t used = 0;
  for (const auto& device : devices) {
    used += device["used"] ? 1 : 0;
    EXPECT_TRUE(device["int64_atomics"].is_boolean());
    EXPECT_GT(device["local_memory_bytes"], 0);
    EXPECT_GT(device["constant_buffer_bytes"], 0);
    EXPECT_THAT(device["self_tests"], testing::Not(IsEmpty()));
    for (const auto& test : device["self_tests"]) EXPECT_TRUE(test["passed"]) << test;
  }
  EXPECT_EQ(used, 1U);
}

}  // namespace
}  // namespace lookalike
