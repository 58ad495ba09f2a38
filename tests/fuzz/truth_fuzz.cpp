// Ground truth: any text is refused with Error(kInput), or gives queries with paths.

#include <sstream>
#include <string>

#include "pipeline/error.h"
#include "tests/fuzz/fuzz_target.h"
#include "tools/evaluate/truth.h"

using namespace lookalike;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream input(std::string(reinterpret_cast<const char*>(data), size));
  try {
    for (const TruthQuery& query : read_truth(input, "fuzz.csv", "/folder")) {
      promise(!query.path.empty());
      for (const RelevantImage& image : query.relevant) promise(!image.path.empty());
    }
  } catch (const Error& error) {
    promise(error.kind() == ErrorKind::kInput);
  }
  return 0;
}
