#include "tools/serve/multipart.h"

#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

constexpr const char* kType = "multipart/form-data; boundary=xyz";
const std::string kField = "--xyz\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n";
const std::string kFile =
    "--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.jpg\"\r\n"
    "Content-Type: image/jpeg\r\n\r\n";

std::optional<std::string> first_file(std::string_view type, std::string_view body) {
  const auto files = multipart_files(type, body, 9);
  if (files.empty()) return std::nullopt;
  return std::string(files.front().content);
}

TEST(Multipart, GivesEachFileWithItsName) {
  const std::string body = kFile + "1\r\n" + kField +
                           "--xyz\r\nContent-Disposition: form-data; filename=b\r\n\r\n2\r\n"
                           "--xyz\r\nContent-Disposition: form-data; filename*=x\r\n\r\n3\r\n"
                           "--xyz--";
  const auto files = multipart_files(kType, body, 9);
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0].name, "a.jpg");
  EXPECT_EQ(files[0].content, "1");
  EXPECT_EQ(files[1].name, "b");
  EXPECT_EQ(files[1].content, "2");
  EXPECT_EQ(files[2].name, "");
  EXPECT_EQ(multipart_files(kType, body, 2).size(), 2U);
}

TEST(Multipart, ReadsNamesAsBrowsersWriteThem) {
  const auto name = [](const std::string& text) {
    return multipart_files(kType,
                           "--xyz\r\nContent-Disposition: form-data; name=\"a\\\"; filename=\"" +
                               text + "\"\r\n\r\n1\r\n--xyz--",
                           9)
        .at(0)
        .name;
  };
  EXPECT_EQ(name("a%22b%0D%0Ac.jpg"), "a\"b\r\nc.jpg");
  EXPECT_EQ(name("a\\b\\\\c\\"), "a\\b\\\\c\\");
  EXPECT_EQ(name("100%20%2"), "100%20%2");
}

TEST(Multipart, GivesTheBytesOfTheFirstFile) {
  const std::string bytes("\r\n--xy\0z\r\n", 10);
  EXPECT_EQ(first_file(kType, kFile + bytes + "\r\n--xyz--\r\n"), bytes);
  EXPECT_EQ(first_file(kType, kField + kFile + bytes + "\r\n--xyz--"), bytes);
  EXPECT_EQ(first_file(kType, kFile + "1\r\n" + kFile + "2\r\n--xyz--"), "1");
  EXPECT_EQ(
      first_file("multipart/form-data; boundary=\"xyz\"; charset=utf-8", kFile + "1\r\n--xyz--"),
      "1");
  EXPECT_EQ(first_file(kType, kFile + "\r\n--xyz--"), "");
}

TEST(Multipart, TakesEveryFormThatTheStandardsAllow) {
  const std::string part = kFile + "1\r\n--xyz--";
  for (const char* type :
       {"Multipart/Form-Data; Boundary=xyz", "MULTIPART/FORM-DATA;BOUNDARY=\"xyz\"",
        "multipart/form-data; charset=\"a;boundary=b\"; boundary=xyz",
        "multipart/form-data; boundary=\"x\\yz\" ; a=b"}) {
    EXPECT_TRUE(is_multipart(type)) << type;
    EXPECT_EQ(first_file(type, part), "1") << type;
  }
  EXPECT_FALSE(is_multipart("image/jpeg"));
  EXPECT_FALSE(is_multipart("multipart"));
  for (const char* before : {"\r\n", "a preamble\r\n", "--xy\r\nx--xyz\r\n\r\n"}) {
    EXPECT_EQ(first_file(kType, before + part), "1") << before;
  }
  const auto file_of = [](const std::string& headers) {
    return first_file(kType, "--xyz \t\r\n" + headers + "\r\n\r\n1\r\n--xyz--");
  };
  for (const char* headers :
       {"Content-Disposition: form-data; filename=a", "content-disposition:form-data;FileName=\"\"",
        "Content-Disposition: form-data; name=\"a\"; filename*=UTF-8''%E2%82%AC.jpg",
        "A: b\r\nContent-Disposition: form-data;\r\n\tfilename=\"a\\\"b\"\r\nC: d"}) {
    EXPECT_EQ(file_of(headers), "1") << headers;
  }
  for (const char* headers :
       {"Content-Disposition: form-data; name=\"filename=a\"", "Content-Type: a; filename=a",
        "X-Content-Disposition: form-data; filename=a", "Content-Disposition: filename",
        "Content-Disposition: form-data; filename=\"a"}) {
    EXPECT_EQ(file_of(headers), std::nullopt) << headers;
  }
}

TEST(Multipart, RefusesWhatIsCutOrNone) {
  const std::string whole = kField + kFile + "bytes\r\n--xyz";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(first_file(kType, whole.substr(0, size)), std::nullopt) << size;
  }
  EXPECT_EQ(first_file(kType, kField + "--xyz--"), std::nullopt);
  EXPECT_EQ(first_file("multipart/form-data", whole), std::nullopt);
  EXPECT_EQ(first_file("multipart/form-data; boundary=", whole), std::nullopt);
  EXPECT_EQ(first_file("multipart/form-data; boundary=\"", whole), std::nullopt);
  EXPECT_EQ(first_file("multipart/form-data; boundary=abc", whole), std::nullopt);
}

}  // namespace
}  // namespace lookalike
