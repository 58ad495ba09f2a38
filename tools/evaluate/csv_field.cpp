#include "tools/evaluate/csv_field.h"

namespace lookalike {

std::string csv_field(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

}  // namespace lookalike
