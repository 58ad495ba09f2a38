#include "pipeline/duplicates/file_name.h"

#include <gtest/gtest.h>

namespace lookalike {
namespace {

TEST(FileName, CopyingAndEditingMakeNamesOfTheirOwn) {
  for (const char* path :
       {"/p/a (1).jpg", "/p/a(2).jpg", "/p/a - Copy.jpg", "/p/a copy 2.jpg", "/p/a - Copy (3).jpg",
        "/p/Copy of a.jpg", "/p/Kopie von a.jpg", "/p/a - Kopie.jpg", "/p/a_edited.jpg",
        "/p/a-bearbeitet.jpg", "/p/a~2.jpg", "/p/a (Ann's conflicted copy 2019-07-14).jpg",
        "/p/a\nb.jpg", "/p\x01/a.jpg", "/p/\xe2\x80\xaegpj.a.jpg", "/p/\xff.jpg"}) {
    EXPECT_TRUE(is_name_of_copy(path)) << path;
  }
  for (const char* path : {"/p/a.jpg", "/p/Summer (2019).jpg", "/p/copyright.jpg", "/p/copy/a.jpg",
                           "/p/IMG_0001.jpg", "/p/\xc3\xbc (x).jpg", "/p (1)/a.jpg"}) {
    EXPECT_FALSE(is_name_of_copy(path)) << path;
  }
}

TEST(FileName, WordsAndYearsSayMoreThanCounters) {
  EXPECT_EQ(meaning_of_name("/p/o6.jpg"), 0);
  EXPECT_EQ(meaning_of_name("/p/IMG_20190714_123005.jpg"), 0);
  EXPECT_EQ(meaning_of_name("/p/WhatsApp Image 2019-07-14.jpg"), 0);
  EXPECT_EQ(meaning_of_name("/p/deadbeefcafefeed0123.jpg"), 0);
  EXPECT_EQ(meaning_of_name("/12345/IMG_0001.jpg"), 0);
  EXPECT_EQ(meaning_of_name("/p/Grandma 80th birthday.jpg"), 1);
  EXPECT_EQ(meaning_of_name("/photos/2019-07 Summer/IMG_0001.jpg"), 1);
  EXPECT_EQ(meaning_of_name("/photos/2019/07/grandma.jpg"), 2);
}

}  // namespace
}  // namespace lookalike
