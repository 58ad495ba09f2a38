#include "tools/serve/qr_code.h"

#include <memory>
#include <qrencode.h>

namespace lookalike {
namespace {

constexpr int kMargin = 4;  // modules around a code (ISO/IEC 18004)
constexpr const char* kBlackOnWhite = "\033[38;5;16;48;5;231m";
constexpr const char* kOwnColours = "\033[0m\n";

}  // namespace

std::string qr_code(const std::string& text) {
  constexpr int kSmallestVersion = 0;
  const std::unique_ptr<QRcode, decltype(&QRcode_free)> code(
      QRcode_encodeString8bit(text.c_str(), kSmallestVersion, QR_ECLEVEL_L), QRcode_free);
  if (!code) return {};
  const int width = code->width;
  const auto is_dark = [&](int x, int y) {
    const bool is_inside = x >= 0 && y >= 0 && x < width && y < width;
    return is_inside && (code->data[y * width + x] & 1U) != 0;
  };
  std::string lines;
  for (int y = -kMargin; y < width + kMargin; y += 2) {  // a character shows two modules
    lines += kBlackOnWhite;
    for (int x = -kMargin; x < width + kMargin; ++x) {
      const bool upper = is_dark(x, y);
      const bool lower = is_dark(x, y + 1);
      lines += upper && lower ? "\u2588" : upper ? "\u2580" : lower ? "\u2584" : " ";
    }
    lines += kOwnColours;
  }
  return lines;
}

}  // namespace lookalike
