// Paths of the repository that its documents name.

#include <filesystem>
#include <iterator>
#include <regex>
#include <string>
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

std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    found.push_back((*match)[1]);
  }
  return found;
}

// The paths in a document that lead nowhere: those from the root of the repository, and links
// relative to the folder of the document.
std::vector<std::string> broken_paths(const fs::path& root, const fs::path& document,
                                      const std::string& text) {
  static const std::regex kPath(
      R"((?:^|[^\w./-])((?:base|config|kernels|storage|stages|pipeline|library|tools|tests|docs)/[\w./-]*[\w/]))");
  static const std::regex kLink(R"(\]\((?!https?:)([^)#]+)[^)]*\))");
  std::vector<std::string> broken;
  for (const std::string& path : matches(text, kPath)) {
    if (!fs::exists(root / path)) broken.push_back(document.string() + ": " + path);
  }
  for (const std::string& link : matches(text, kLink)) {
    if (!fs::exists((root / document).parent_path() / link)) {
      broken.push_back(document.string() + ": " + link);
    }
  }
  return broken;
}

TEST(Documents, EveryPathThatTheyNameExists) {
  const fs::path root = LOOKALIKE_SOURCE_DIR;
  std::vector<fs::path> documents = {"ARCHITECTURE.md", "CONTRIBUTING.md", "kernels/README.md",
                                     "storage/FORMATS.md"};
  for (const auto& entry : fs::directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") documents.push_back(fs::relative(entry.path(), root));
  }
  for (const fs::path& document : documents) {
    const std::string text = content_of(root / document);
    EXPECT_FALSE(text.empty()) << document;
    EXPECT_THAT(broken_paths(root, document, text), IsEmpty());
  }
}

TEST(DocumentCheck, CatchesPathsAndLinksThatLeadNowhere) {
  EXPECT_THAT(
      broken_paths(LOOKALIKE_SOURCE_DIR, "docs/page.md",
                   "`tests/documents_test.cpp`, docs/no.md, [a](../tests/no.cpp#L1), "
                   "[b](../tests/documents_test.cpp) and [c](https://example.org/tests/no)."),
      ElementsAre("docs/page.md: docs/no.md", "docs/page.md: ../tests/no.cpp"));
}

// Images cannot be built where tests run; what they build on can be checked.
TEST(Dockerfiles, RunScriptsAndInstallPackagesThatExist) {
  const fs::path root = LOOKALIKE_SOURCE_DIR;
  const std::string packages = content_of(root / "tools/install-packages");
  std::vector<std::string> builds;
  for (const char* name : {"cpu", "nvidia"}) {
    const fs::path file = root / "tools/packaging/docker" / (std::string(name) + ".Dockerfile");
    const std::string text = content_of(file);
    EXPECT_THAT(broken_paths(root, file, text), IsEmpty());
    static const std::regex kScript("/source/(\\S+)");
    for (const std::string& script : matches(text, kScript)) {
      EXPECT_TRUE(fs::exists(root / script)) << script;
    }
    static const std::regex kInstalled(R"(apt-get install [^\n]*\.deb ([a-z][a-z0-9-]*))");
    for (const std::string& package : matches(text, kInstalled)) {
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
  const fs::path root = LOOKALIKE_SOURCE_DIR;
  static const std::regex kVersion(R"(project\(lookalike VERSION ([0-9.]+))");
  const std::vector<std::string> version = matches(content_of(root / "CMakeLists.txt"), kVersion);
  ASSERT_EQ(version.size(), 1U);
  EXPECT_THAT(content_of(root / "CHANGELOG.md"),
              ContainsRegex("\n## " + version[0] + " - 20[0-9][0-9]-[01][0-9]-[0-3][0-9]\n"));
}

}  // namespace
}  // namespace lookalike
