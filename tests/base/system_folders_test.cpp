#include "base/system_folders.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content_of.h"

namespace lookalike {
namespace {

using testing::HasSubstr;

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

TEST(SystemFolders, AreThoseThatTheDocumentsList) {
  std::string rows = "|---|---|---|\n";
  for (const SystemFolder& folder : system_folders()) {
    rows += "| `" + std::string(folder.pattern) + "` | " + std::string(folder.keeper) + " | " +
            std::string(folder.content) + " |\n";
  }
  const std::filesystem::path root = LOOKALIKE_SOURCE_DIR;
  EXPECT_THAT(content_of(root / "docs/nightly.md"), HasSubstr(rows + '\n'));
}

}  // namespace
}  // namespace lookalike
