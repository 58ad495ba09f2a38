#include "base/system_folders.h"

#include <cstddef>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content_of.h"

namespace lookalike {
namespace {

using testing::UnorderedElementsAreArray;

TEST(SystemFolders, AreKnownByTheirNamesInAnyCase) {
  for (const char* name : {"@eaDir", "#RECYCLE", "$Recycle.Bin", ".Trashes", ".trash-1000",
                           "System Volume Information", "FOUND.000", "files_trashbin",
                           "appdata_ocx1y2z3", "@GMT-2026.11.27-02.00.00"}) {
    EXPECT_TRUE(is_system_folder(name)) << name;
  }
  for (const char* name : {"recycle", "Trash", "snapshot", "eaDir", "found.0", "x@eaDir", ""}) {
    EXPECT_FALSE(is_system_folder(name)) << name;
  }
}

// Their patterns are the code in the rows of its table.
TEST(SystemFolders, AreThoseThatTheDocumentsList) {
  const std::filesystem::path root = LOOKALIKE_SOURCE_DIR;
  const std::string page = content_of(root / "docs/nightly.md");
  const std::size_t table = page.find("|---|---|\n", page.find("\n## System folders\n"));
  ASSERT_NE(table, std::string::npos);
  const std::string rows = page.substr(table, page.find("\n\n", table) - table);
  static const std::regex code_pattern("`([^`]+)`");
  std::vector<std::string> listed;
  for (std::sregex_iterator code(rows.begin(), rows.end(), code_pattern), end; code != end;
       ++code) {
    listed.push_back((*code)[1]);
  }
  std::vector<std::string> known;
  for (const SystemFolder& folder : system_folders()) known.emplace_back(folder.pattern);
  EXPECT_THAT(listed, UnorderedElementsAreArray(known));
}

}  // namespace
}  // namespace lookalike
