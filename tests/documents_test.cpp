// What documents name exists.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content_of.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Strings = std::vector<std::string>;

const fs::path kRoot = LOOKALIKE_SOURCE_DIR;

// The first group of every match, or the whole match of a pattern without groups.
Strings matches(const std::string& text, const std::regex& pattern) {
  const std::size_t group = pattern.mark_count() > 0 ? 1 : 0;
  Strings found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    found.push_back((*match)[group]);
  }
  return found;
}

std::string replaced(const std::string& text, const std::string& pattern, const char* by) {
  return std::regex_replace(text, std::regex(pattern), by);
}

// Every document by its path from the root: those of the root and of docs/, and two others.
std::map<std::string, std::string> documents() {
  std::map<std::string, std::string> texts;
  const auto add = [&](const fs::path& file) {
    if (file.extension() == ".md") texts[fs::relative(file, kRoot)] = content_of(file);
  };
  for (const auto& entry : fs::directory_iterator(kRoot)) add(entry.path());
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "docs")) add(entry.path());
  add(kRoot / "kernels/README.md");
  add(kRoot / "storage/FORMATS.md");
  return texts;
}

// Runs a check over each document; expects that it finds nothing.
template <typename Check>
void expect_none(const Check& check) {
  for (const auto& [document, text] : documents()) {
    EXPECT_FALSE(text.empty()) << document;
    EXPECT_THAT(check(document, text), IsEmpty()) << document;
  }
}

// Paths

// The anchor that a heading gets on GitHub.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char character : heading) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == ' ') anchor += '-';
    if (std::isalnum(byte) || character == '-' || character == '_') {
      anchor += static_cast<char>(std::tolower(byte));
    }
  }
  return anchor;
}

bool has_heading(const std::string& text, const std::string& anchor) {
  static const std::regex heading_pattern("(?:^|\n)#+ ([^\n]+)");
  const Strings headings = matches(text, heading_pattern);
  return std::any_of(headings.begin(), headings.end(),
                     [&](const std::string& heading) { return anchor_of(heading) == anchor; });
}

// Paths that lead nowhere: those from the root of the repository, and links relative to the folder
// of the document, with their anchors.
Strings broken_paths(const fs::path& document, const std::string& text) {
  static const std::regex path_pattern(
      R"((?:^|[^\w./-])((?:base|config|kernels|storage|stages|pipeline|tools|tests|docs)/[\w./-]*[\w/]))");
  static const std::regex link_pattern(R"(\]\((?!https?:)([^)]+)\))");
  Strings broken;
  for (const std::string& path : matches(text, path_pattern)) {
    if (!fs::exists(kRoot / path)) broken.push_back(path);
  }
  for (const std::string& link : matches(text, link_pattern)) {
    const std::size_t hash = std::min(link.find('#'), link.size());
    const fs::path target =
        hash == 0 ? kRoot / document : (kRoot / document).parent_path() / link.substr(0, hash);
    const bool to_heading = hash < link.size() && target.extension() == ".md";
    if (!fs::exists(target) ||
        (to_heading && !has_heading(content_of(target), link.substr(hash + 1)))) {
      broken.push_back(link);
    }
  }
  return broken;
}

// Documents named in capitals, such as CHANGELOG.md, that are nowhere.
Strings unknown_documents(const std::string& text) {
  static const std::regex name_pattern(R"(\b([A-Z]{4,}\.md)\b)");
  static const std::set<std::string> known = [] {
    std::set<std::string> names;
    for (const auto& [document, content] : documents()) names.insert(fs::path(document).filename());
    return names;
  }();
  Strings unknown;
  for (const std::string& name : matches(text, name_pattern)) {
    if (!known.contains(name)) unknown.push_back(name);
  }
  return unknown;
}

TEST(Documents, NameOnlyPathsAndDocumentsThatExist) {
  expect_none(broken_paths);
  expect_none([](const std::string&, const std::string& text) { return unknown_documents(text); });
}

TEST(Sources, NameOnlyDocumentsThatExist) {
  static const std::regex document_pattern(R"(\b(docs/[\w./-]*\.md)\b)");
  for (const char* folder :
       {"base", "config", "kernels", "storage", "stages", "pipeline", "tools", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      const std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp" && extension != ".cl") continue;
      if (entry.path().filename() == "documents_test.cpp") continue;
      const std::string text = content_of(entry.path());
      if (text.find(".md") == text.npos) continue;
      EXPECT_THAT(unknown_documents(text), IsEmpty()) << entry.path();
      for (const std::string& document : matches(text, document_pattern)) {
        EXPECT_TRUE(fs::exists(kRoot / document)) << entry.path() << ": " << document;
      }
    }
  }
}

TEST(DocumentCheck, CatchesPathsAndLinksThatLeadNowhere) {
  EXPECT_THAT(
      broken_paths("docs/page.md",
                   "`tests/documents_test.cpp`, docs/no.md, [a](../tests/no.cpp#L1), "
                   "[b](../tests/documents_test.cpp) and [c](https://example.org/tests/no)."),
      ElementsAre("docs/no.md", "../tests/no.cpp#L1"));
}

TEST(DocumentCheck, CatchesAnchorsWithoutAHeading) {
  EXPECT_THAT(broken_paths("README.md",
                           "[a](docs/guide.md#search-from-c) [b](docs/guide.md#no) [c](#no) "
                           "[d](#how-it-compares)"),
              ElementsAre("docs/guide.md#no", "#no"));
}

TEST(DocumentCheck, CatchesDocumentsThatAreGone) {
  EXPECT_THAT(unknown_documents("README.md, FORMATS.md and DIARY.md"), ElementsAre("DIARY.md"));
}

// Commands and keys

// The parts of a document that are set as code, a line each: blocks and spans.
std::string code_of(const std::string& text) {
  static const std::regex block_pattern("```[a-z]*\n([^`]*)```");
  static const std::regex span_pattern("`([^`]+)`");
  std::string code;
  for (const std::string& block : matches(text, block_pattern)) code += block + '\n';
  const std::string prose = std::regex_replace(text, block_pattern, "");
  for (const std::string& span : matches(prose, span_pattern)) {
    code += replaced(span, "\\s+", " ") + '\n';
  }
  return code;
}

// "lookalike query" and the like for every command, and the names of the stage executables.
std::set<std::string> known_commands() {
  static const std::regex command_pattern(R"(\n  COMMAND\((\w+),)");
  std::set<std::string> known = {"lookalike help",     // an option's other name
                                 "lookalike tuning"};  // a mark of a file
  for (const std::string& name :
       matches(content_of(kRoot / "tools/lookalike/commands.h"), command_pattern)) {
    known.insert("lookalike " + name);
  }
  for (const auto& entry : fs::directory_iterator(kRoot / "tools/stages")) {
    known.insert("lookalike-" + entry.path().stem().native());
  }
  return known;
}

// Commands of lookalike that do not exist, and programs that no target builds.
Strings unknown_commands(const std::string& text) {
  static const std::regex command_pattern(
      R"((?:^|[\n|&;] *|\$ |\(|sudo )(lookalike(?:-[a-z]+(?![\w@.-])| [a-z]+\b)))");
  static const std::set<std::string> known = known_commands();
  static const std::string targets = [] {
    std::string text_of_all;
    for (const char* folder : {"stages", "tools"}) {
      for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
        if (entry.path().filename() == "CMakeLists.txt") text_of_all += content_of(entry.path());
      }
    }
    return text_of_all;
  }();
  Strings unknown;
  for (const std::string& command : matches(code_of(text), command_pattern)) {
    const bool is_target = command.find('-') != command.npos &&
                           std::regex_search(targets, std::regex("\\(" + command + "\\b"));
    if (!known.contains(command) && !is_target) unknown.push_back(command);
  }
  return unknown;
}

// Names like match.seed, with a table of the configuration, that are no key of it.
Strings unknown_keys(const std::string& text) {
  static const std::regex name_pattern(R"((?:^|[^\w./-])([a-z]+\.[a-z_]+)(?![\w./*-]))");
  static const std::set<std::string> extensions = {"h",    "cpp", "cl",   "md",
                                                   "json", "db",  "html", "toml"};
  std::istringstream lines(content_of(kRoot / "config/default.toml"));
  std::set<std::string> tables;
  std::set<std::string> keys;
  std::string table;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('[')) tables.insert(table = line.substr(1, line.find(']') - 1));
    const std::size_t end = line.find(" =");
    if (!line.starts_with('#') && end != line.npos) keys.insert(table + '.' + line.substr(0, end));
  }
  Strings unknown;
  for (const std::string& name : matches(code_of(text), name_pattern)) {
    const std::size_t dot = name.find('.');
    if (tables.contains(name.substr(0, dot)) && !extensions.contains(name.substr(dot + 1)) &&
        !keys.contains(name)) {
      unknown.push_back(name);
    }
  }
  return unknown;
}

TEST(Documents, NameOnlyCommandsAndKeysThatExist) {
  expect_none([](const std::string&, const std::string& text) { return unknown_commands(text); });
  expect_none([](const std::string& document, const std::string& text) {
    // The changelog also has the earlier names of keys.
    return document == "CHANGELOG.md" ? Strings() : unknown_keys(text);
  });
}

TEST(DocumentCheck, CatchesCommandsThatAreGone) {
  EXPECT_THAT(unknown_commands("lookalike finds photos; `lookalike find` and `lookalike query x`\n"
                               "```\n$ lookalike search | lookalike index\n"
                               "lookalike-extract a\nlookalike-peers b\nlookalike-gone c\n```\n"),
              ElementsAre("lookalike search", "lookalike-gone", "lookalike find"));
}

TEST(DocumentCheck, CatchesKeysThatAreGone) {
  EXPECT_THAT(unknown_keys("`match.seed`, `match.gone`, `match.cpp` and `person.name`"),
              ElementsAre("match.gone"));
}

// Commits

// Words that look like abbreviated commits: seven hexadecimal digits, not all of one kind. Those in
// URLs are of other repositories.
Strings commits_in(const std::string& text) {
  static const std::regex commit_pattern(R"(\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7}\b)");
  return matches(replaced(text, R"(https?://[^\s)]+)", ""), commit_pattern);
}

// Runs git in the repository; true if it succeeds.
bool git(const std::string& arguments) {
  const std::string command =
      "git -C '" + kRoot.native() + "' " + arguments + " >/dev/null 2>/dev/null";
  return std::system(command.c_str()) == 0;
}

TEST(Documents, NameOnlyCommitsOfTheHistory) {
  if (!git("rev-parse --verify HEAD")) GTEST_SKIP() << "no git, or no clone";
  if (!git("rev-parse --is-shallow-repository | grep -q false")) GTEST_SKIP() << "a shallow clone";
  std::set<std::string> commits;
  for (const auto& [document, text] : documents()) {
    for (const std::string& commit : commits_in(text)) commits.insert(commit);
  }
  for (const std::string& commit : commits) {
    EXPECT_TRUE(git("merge-base --is-ancestor " + commit + " HEAD")) << commit;
  }
  EXPECT_FALSE(git("merge-base --is-ancestor 0000000 HEAD"));
}

TEST(DocumentCheck, TellsCommitsFromWordsAndNumbers) {
  EXPECT_THAT(commits_in("7e3d4e0, of a612da0 (1048576 words, defaced, 0x1234abcd), "
                         "https://example.org/76f570f"),
              ElementsAre("7e3d4e0", "a612da0"));
}

// The rest

TEST(DocumentCheck, CoversEveryDocument) {
  const auto texts = documents();
  for (const char* document :
       {"README.md", "DECISIONS.md", "CHANGELOG.md", "BIBLIOGRAPHY.md", "ARCHITECTURE.md",
        "CONTRIBUTING.md", "kernels/README.md", "storage/FORMATS.md", "docs/guide.md",
        "docs/measurements/performance.md"}) {
    EXPECT_TRUE(texts.contains(document)) << document;
  }
}

// Trying all faults takes hours; that each applies can be seen at once.
TEST(Faults, ApplyToTheirFiles) {
  std::istringstream lines(content_of(kRoot / "tests/faults/faults.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    Strings columns;
    std::istringstream rest(line);
    for (std::string column; std::getline(rest, column, '\t');) columns.push_back(column);
    ASSERT_EQ(columns.size(), 4U) << line;
    const std::string source = content_of(kRoot / columns[0]);
    const std::size_t place = source.find(columns[1]);
    ASSERT_NE(place, source.npos) << line;
    EXPECT_EQ(source.find(columns[1], place + 1), source.npos) << "not only once: " << line;
  }
}

// Images cannot be built where tests run; what they build on can be checked.
TEST(Dockerfiles, RunScriptsAndInstallPackagesThatExist) {
  const std::string packages = content_of(kRoot / "tools/install-packages");
  Strings builds;
  for (const char* name : {"cpu", "nvidia"}) {
    const fs::path file = fs::path("tools/packaging/docker") / (std::string(name) + ".Dockerfile");
    const std::string text = content_of(kRoot / file);
    EXPECT_THAT(broken_paths(file, text), IsEmpty());
    static const std::regex script_pattern("/source/(\\S+)");
    for (const std::string& script : matches(text, script_pattern)) {
      EXPECT_TRUE(fs::exists(kRoot / script)) << script;
    }
    static const std::regex installed_pattern(R"(apt-get install [^\n]*\.deb ([a-z][a-z0-9-]*))");
    for (const std::string& package : matches(text, installed_pattern)) {
      EXPECT_THAT(packages, HasSubstr(" " + package + " "));
    }
    const std::size_t build = text.find("FROM ");
    builds.push_back(text.substr(build, text.find("FROM ", build + 1) - build));
  }
  EXPECT_THAT(builds[0], HasSubstr("RUN /source/tools/packaging/package /packages"));
  EXPECT_EQ(builds[0], builds[1]);
}

// CPack dates the packages by it.
TEST(Changelog, HasTheVersionWithItsDate) {
  static const std::regex version_pattern(R"(project\(lookalike VERSION ([0-9.]+))");
  const Strings version = matches(content_of(kRoot / "CMakeLists.txt"), version_pattern);
  ASSERT_EQ(version.size(), 1U);
  EXPECT_THAT(content_of(kRoot / "CHANGELOG.md"),
              ContainsRegex("\n## " + version[0] + " - 20[0-9][0-9]-[01][0-9]-[0-3][0-9]\n"));
}

}  // namespace
}  // namespace lookalike
