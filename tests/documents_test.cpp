// Paths of the repository that its documents name.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
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
      R"((?:^|[^\w./-])((?:base|config|kernels|storage|stages|pipeline|tools|tests|docs)/[\w./-]*[\w/]))");
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
    std::ifstream stream(root / document);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
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

}  // namespace
}  // namespace lookalike
