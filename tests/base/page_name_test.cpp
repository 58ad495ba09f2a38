#include "base/page_name.h"

#include <gtest/gtest.h>

namespace lookalike {
namespace {

TEST(PageName, OfAPageThatIsNotTheFirstEndsInItsNumber) {
  EXPECT_EQ(page_name("/a/scan.tif", 1), "/a/scan.tif");
  EXPECT_EQ(page_name("/a/scan.tif", 12), "/a/scan.tif[12]");
  EXPECT_EQ(page_of("/a/scan.tif[12]").file, "/a/scan.tif");
  EXPECT_EQ(page_of("/a/scan.tif[12]").number, 12U);
  EXPECT_EQ(page_of("/a/scan.tif[1]").file, "/a/scan.tif");
}

TEST(PageName, AnyOtherNameIsAFirstPage) {
  for (const char* name : {"scan.tif", "photo[2].jpg", "[2]", "a[]", "a[0]", "a[-1]", "a[2", "a2]",
                           "a[2 ]", "a[4294967296]", ""}) {
    EXPECT_EQ(page_of(name).file, name);
    EXPECT_EQ(page_of(name).number, 1U) << name;
  }
}

TEST(PageName, EachPageHasAContentOfItsOwn) {
  const ContentHash file = {1, 2, 3};
  EXPECT_EQ(page_content(file, 1), file);
  EXPECT_NE(page_content(file, 2), file);
  EXPECT_NE(page_content(file, 2), page_content(file, 3));
  EXPECT_NE(page_content(file, 2), page_content(ContentHash{1, 2, 4}, 2));
  EXPECT_NE(page_content(file, 2), page_content(file, 2 + 256));
}

}  // namespace
}  // namespace lookalike
