#include "tools/serve/qr_code.h"

#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/core.hpp>
#include <opencv2/objdetect.hpp>

namespace lookalike {
namespace {

using testing::IsEmpty;
using testing::StartsWith;

// Draws the characters of a code, each two modules high, with 6 px for a module.
cv::Mat picture_of(const std::string& code) {
  constexpr int kModule = 6;
  cv::Mat1b picture(1000, 1000, std::uint8_t{255});
  std::istringstream lines(code);
  int y = 0;
  for (std::string line; std::getline(lines, line); y += 2 * kModule) {
    EXPECT_THAT(line, StartsWith("\033[38;5;16;48;5;231m")) << "black on white";
    int x = 0;
    for (std::size_t at = line.find('m') + 1; line[at] != '\033'; x += kModule) {
      const std::string shown = line.substr(at, line[at] == ' ' ? 1 : 3);
      at += shown.size();
      const bool upper = shown == "\u2588" || shown == "\u2580";
      const bool lower = shown == "\u2588" || shown == "\u2584";
      if (upper) picture(cv::Rect(x, y, kModule, kModule)) = 0;
      if (lower) picture(cv::Rect(x, y + kModule, kModule, kModule)) = 0;
    }
  }
  return picture;
}

// Debian's OpenCV finds codes but does not decode them; where it does, the text is compared.
TEST(QrCode, IsFoundInItsPicture) {
  const std::string url = "http://192.168.100.7:8765/#token=0123456789abcdef0123456789abcdef";
  const cv::Mat picture = picture_of(qr_code(url));
  cv::Mat corners;
  EXPECT_TRUE(cv::QRCodeDetector().detect(picture, corners));
  const std::string text = cv::QRCodeDetector().detectAndDecode(picture);
  EXPECT_TRUE(text.empty() || text == url) << text;
}

TEST(QrCode, IsEmptyForATextThatDoesNotFit) {
  EXPECT_THAT(qr_code(std::string(4000, 'x')), IsEmpty());
}

}  // namespace
}  // namespace lookalike
