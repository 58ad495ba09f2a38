#include "base/fold_case.h"

#include <gtest/gtest.h>

namespace lookalike {
namespace {

TEST(FoldCase, FoldsAllOfUnicode) {
  EXPECT_EQ(fold_case("IMG_5000.JPG"), "img_5000.jpg");
  EXPECT_EQ(fold_case("Übermäßig"), fold_case("ÜBERMÄSSIG"));
  EXPECT_EQ(fold_case("Пляж Σίσυφος"), fold_case("ПЛЯЖ ΣΊΣΥΦΟΣ"));
  EXPECT_NE(fold_case("Übermäßig"), fold_case("Ubermassig"));
  EXPECT_EQ(fold_case(""), "");
}

TEST(FoldCase, FormsOfALetterAreOne) {
  EXPECT_EQ(fold_case("Cafe\u0301"), fold_case("CAF\u00C9")) << "as macOS writes names";
}

TEST(FoldCase, KeepsBytesThatAreNotUtf8) {
  EXPECT_EQ(fold_case("A\xFFÄ\xC3"), "a\xFFä\xC3");
  EXPECT_EQ(fold_case(std::string_view("A\0B", 3)), std::string_view("a\0b", 3));
}

}  // namespace
}  // namespace lookalike
