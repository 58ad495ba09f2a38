#include "tools/serve/multipart.h"

#include <string>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

constexpr const char* kType = "multipart/form-data; boundary=xyz";
const std::string kField = "--xyz\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n";
const std::string kFile =
    "--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.jpg\"\r\n"
    "Content-Type: image/jpeg\r\n\r\n";

TEST(Multipart, GivesTheBytesOfTheFirstFile) {
  const std::string bytes("\r\n--xy\0z\r\n", 10);
  EXPECT_EQ(multipart_file(kType, kFile + bytes + "\r\n--xyz--\r\n"), bytes);
  EXPECT_EQ(multipart_file(kType, kField + kFile + bytes + "\r\n--xyz--"), bytes);
  EXPECT_EQ(multipart_file(kType, kFile + "1\r\n" + kFile + "2\r\n--xyz--"), "1");
  EXPECT_EQ(multipart_file("multipart/form-data; boundary=\"xyz\"; charset=utf-8",
                           kFile + "1\r\n--xyz--"),
            "1");
  EXPECT_EQ(multipart_file(kType, kFile + "\r\n--xyz--"), "");
}

TEST(Multipart, RefusesWhatIsCutOrNone) {
  const std::string whole = kField + kFile + "bytes\r\n--xyz";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(multipart_file(kType, whole.substr(0, size)), std::nullopt) << size;
  }
  EXPECT_EQ(multipart_file(kType, kField + "--xyz--"), std::nullopt);
  EXPECT_EQ(multipart_file("multipart/form-data", whole), std::nullopt);
  EXPECT_EQ(multipart_file("multipart/form-data; boundary=", whole), std::nullopt);
  EXPECT_EQ(multipart_file("multipart/form-data; boundary=\"", whole), std::nullopt);
  EXPECT_EQ(multipart_file("multipart/form-data; boundary=abc", whole), std::nullopt);
}

}  // namespace
}  // namespace lookalike
