// Ground truth: any text is refused with Error(kInput), or gives queries that are the same once
// they were written and read again.

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "tests/fuzz/fuzz_target.h"
#include "tools/evaluate/truth.h"

namespace lookalike {
namespace {

bool equal(const RelevantImage& a, const RelevantImage& b) {
  return a.path == b.path && a.quad == b.quad;
}

bool equal(const TruthQuery& a, const TruthQuery& b) {
  return a.path == b.path &&
         std::ranges::equal(a.relevant, b.relevant,
                            [](const auto& one, const auto& other) { return equal(one, other); });
}

std::vector<TruthQuery> read(const std::string& text) {
  return read_truth(text, "fuzz.csv", "/folder");
}

std::string written(const std::vector<TruthQuery>& queries) {
  std::string text = "query,relevant,x0,y0,x1,y1,x2,y2,x3,y3\n";
  for (const TruthQuery& query : queries) {
    if (query.relevant.empty()) text += csv_field(query.path) + ",,,,,,,,,\n";
    for (const RelevantImage& image : query.relevant) {
      text += csv_field(query.path) + "," + csv_field(image.path);
      for (std::size_t i = 0; i < 4; ++i) {
        text += image.quad ? fmt::format(",{},{}", (*image.quad)[i].x, (*image.quad)[i].y) : ",,";
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace
}  // namespace lookalike

using namespace lookalike;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::vector<TruthQuery> queries =
        read(std::string(reinterpret_cast<const char*>(data), size));
    const std::vector<TruthQuery> again = read(written(queries));
    promise(std::ranges::equal(queries, again,
                               [](const auto& a, const auto& b) { return equal(a, b); }));
  } catch (const Error& error) {
    promise(error.kind() == ErrorKind::kInput);
  }
  return 0;
}
