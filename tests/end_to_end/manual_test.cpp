// Manual pages, completions and the reference have every command and option that --help has, and no
// other.

#include <filesystem>
#include <iterator>
#include <ostream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content_of.h"
#include "tests/end_to_end/run_program.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::ContainerEq;
using testing::HasSubstr;
using testing::IsEmpty;
using Words = std::vector<std::string>;
using Names = std::set<std::string>;

// Returns what `PROGRAM [COMMAND] LAST...` prints.
std::string printed(const std::string& program, const std::string& command, const Words& last) {
  Words words = last;
  if (!command.empty()) words.insert(words.begin(), command);
  const ProgramResult result = run_program(program, words);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

std::string in_shell(const Words& command) {
  const ProgramResult result = run_program("/usr/bin/env", command);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  return result.out;
}

bool has_program(const std::string& name) {
  return run_program("/usr/bin/env", {"sh", "-c", "command -v " + name}).exit_code == 0;
}

// Returns the first group of all matches, split at commas.
Names matches(const std::string& text, const std::regex& pattern) {
  Names names;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    std::istringstream list((*match)[1]);
    for (std::string name; std::getline(list, name, ',');) names.insert(name);
  }
  return names;
}

// Returns the options in the lists of --help; the text behind these may also begin a line with one.
Names options_of(const std::string& help) {
  static const std::regex option_pattern(R"(\n  (-[^ \n]+))");
  const std::size_t list = help.find("\nOptions:");
  return matches(help.substr(list, help.find("\nOutput:", list) - list), option_pattern);
}

struct Command {
  std::string program;
  std::string command;  // empty: the program itself
};

void PrintTo(const Command& command, std::ostream* out) {
  *out << command.program << ' ' << command.command;
}

std::vector<Command> all_commands() {
  std::vector<Command> all;
  for (const char* program : {"lookalike", "lookalike-scan", "lookalike-extract",
                              "lookalike-variance", "lookalike-sample", "lookalike-codebook",
                              "lookalike-assign", "lookalike-store", "lookalike-match"}) {
    all.push_back({program, ""});
    for (const std::string& name : commands_of(program)) {
      all.push_back({program, name});
    }
  }
  return all;
}

class Manual : public testing::TestWithParam<Command> {
 protected:
  static std::string help() { return printed(GetParam().program, GetParam().command, {"--help"}); }
};
INSTANTIATE_TEST_SUITE_P(All, Manual, testing::ValuesIn(all_commands()));

TEST_P(Manual, PageHasEveryOptionAndCommandOfTheHelp) {
  std::string page = printed(GetParam().program, GetParam().command, {"--generate", "man"});
  page = std::regex_replace(page, std::regex(R"(\\-)"), "-");
  static const std::regex entry_pattern(R"(\n\.TP\n\\fB(-[^\\]*)\\fR)");
  const std::string text = help();
  EXPECT_THAT(matches(page, entry_pattern), ContainerEq(options_of(text)));
  static const std::regex command_pattern(R"(\n\.TP\n\\fB([a-z]+)\\fR\n)");
  const Names commands = GetParam().command.empty() ? commands_of(GetParam().program) : Names();
  EXPECT_THAT(matches(page, command_pattern), ContainerEq(commands));
  for (const std::string& command : commands) EXPECT_THAT(text, HasSubstr("\n  " + command + " "));
  const std::string name =
      GetParam().program + (GetParam().command.empty() ? "" : "-" + GetParam().command);
  EXPECT_THAT(page, HasSubstr("\n.SH NAME\n" + name + " - "));
  EXPECT_THAT(page, HasSubstr("\n.SH DESCRIPTION\n"));
}

TEST(Manuals, CanBeCopiedFrom) {
  const std::string page = printed("lookalike", "query", {"--generate", "man"});
  EXPECT_THAT(page, HasSubstr("\n.nh\n.ad l\n"));
  EXPECT_THAT(page, HasSubstr("\n.SH DESCRIPTION\nFind the indexed images"));
}

TEST_P(Manual, PageIsRoffWithoutWarnings) {
  if (!has_program("groff")) GTEST_SKIP() << "groff is not installed";
  const std::string page = GetParam().program +
                           (GetParam().command.empty() ? "" : " " + GetParam().command) +
                           " --generate man";
  const std::string text =
      in_shell({"sh", "-c", LOOKALIKE_PROGRAMS "/" + page + " | groff -man -ww -Tutf8 -P-cbou"});
  EXPECT_THAT(text, HasSubstr("SYNOPSIS"));
}

TEST_P(Manual, EveryOptionIsCompleted) {
  Words line = {"--complete"};
  if (!GetParam().command.empty()) line.push_back(GetParam().command);
  line.emplace_back("-");
  static const std::regex word_pattern("\n(-[^\t]*)\t");
  EXPECT_THAT(matches(printed(GetParam().program, "", line), word_pattern),
              ContainerEq(options_of(help())));
}

// The script that completes lookalike in a shell.
std::string script_of(const std::string& shell) {
  return std::regex_replace(
      content_of(fs::path(LOOKALIKE_SOURCE_DIR) / "tools/packaging/completions" / shell),
      std::regex("@PROGRAM@"), "lookalike");
}

std::string completed_by_bash(const std::string& words) {
  // compopt needs a real completion.
  return in_shell({"bash", "-c",
                   "compopt() { :; }; PATH=" LOOKALIKE_PROGRAMS ":$PATH; cd /usr/bin/..; " +
                       script_of("bash") + "COMP_WORDS=(" + words +
                       "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _lookalike; "
                       "echo \"${COMPREPLY[*]}\""});
}

// Expects that bash completes each line of `lookalike` by the words beside it.
void expect_completed(const std::vector<std::pair<std::string, std::string>>& lines) {
  for (const auto& [line, words] : lines) {
    EXPECT_EQ(completed_by_bash("lookalike " + line), words + "\n") << line;
  }
}

TEST(Completions, OfferCommandsAndValues) {
  expect_completed({{"que", "query"},
                    {"help exp", "explain"},
                    {"gone que", ""},
                    {"query --format t", "text tsv"},
                    {"query --repo", "--report"},
                    {"query --top 1", ""},
                    {"query --set match.min_d", "match.min_decision="},
                    {"duplicates --kind exact,mi", "exact,mirrored"},
                    {"evaluate --synthetic --kinds no", "noise"},
                    {"query --format --t", ""}});
}

TEST(Completions, OfFilesAreFilesAndOfFoldersFolders) {
  expect_completed({{"index bi", "bin"},
                    {"query --json bi", "bin"},
                    {"query bi", "bin"},
                    {"index bin/en", ""},
                    {"locate --object one.png --fo", "--force --format"},
                    {"locate --object one.png --longest-side bin/en", ""},
                    {"duplicates --within bi", "bin"},
                    {"duplicates --between bin bi", "bin"},
                    {"duplicates --between bin/en", ""},
                    {"init bin/en", ""}});
  EXPECT_THAT(completed_by_bash("lookalike query bin/en"), HasSubstr("bin/env"));
  EXPECT_THAT(completed_by_bash("lookalike locate --object one.png bin/en"), HasSubstr("bin/env"));
}

TEST(Completions, WorkInOtherShells) {
  if (has_program("fish")) {
    const auto completed = [](const std::string& line) {
      return in_shell({"fish", "--no-config", "-c",
                       "set -p PATH " LOOKALIKE_PROGRAMS "; cd /usr/bin/..; " + script_of("fish") +
                           "complete -C '" + line + "'"});
    };
    EXPECT_THAT(completed("lookalike que"), testing::StartsWith("query\tFind "));
    EXPECT_THAT(completed("lookalike query --repo"), testing::StartsWith("--report\tWrite "));
    EXPECT_THAT(completed("lookalike query bin/en"), HasSubstr("bin/env"));
    EXPECT_THAT(completed("lookalike index "), HasSubstr("bin/"));
  }
  if (has_program("zsh")) {
    // _describe and _files need a real completion.
    const std::string script =
        "_describe() { print -l -- $candidates; }; _files() { print files; }; "
        "words=(" LOOKALIKE_PROGRAMS "/lookalike query --repo); CURRENT=3; ";
    EXPECT_THAT(in_shell({"zsh", "-f", "-c", script + script_of("zsh")}),
                testing::StartsWith("--report:Write "));
  }
}

TEST(Reference, HasAChapterForEachProgramAndCommand) {
  const std::string reference =
      in_shell({LOOKALIKE_SOURCE_DIR "/tools/packaging/make-reference", LOOKALIKE_PROGRAMS});
  EXPECT_THAT(reference, HasSubstr("\n## lookalike-store\n"));
  std::istringstream commands(printed("lookalike", "", {"--generate", "commands"}));
  std::size_t chapters = 0;
  for (std::string command; commands >> command; ++chapters) {
    EXPECT_THAT(reference, HasSubstr("\n## lookalike " + command + "\n"));
  }
  EXPECT_GT(chapters, 1U);
}

TEST(Generate, RefusesWhatItDoesNotKnow) {
  const ProgramResult kind = run_program("lookalike", {"--generate", "csh"});
  EXPECT_EQ(kind.exit_code, 2);
  EXPECT_THAT(kind.err, HasSubstr("was csh"));
  EXPECT_EQ(run_program("lookalike", {"index", "--generate"}).exit_code, 2);
}

}  // namespace
}  // namespace lookalike
