// Files whose metadata are read: each says all that it says itself, unless something was not read.

#include <exception>
#include <span>
#include <string>
#include <vector>

#include "stages/decode/metadata.h"
#include "stages/decode/readers.h"
#include "tests/fuzz/fuzz_target.h"

using namespace lookalike;

extern "C" {
extern const ImageReader kReaderOfTheTarget;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<MetadataEntry> entries;
  std::string problem;
  try {
    kReaderOfTheTarget.read_metadata({data, size}, entries, problem);
  } catch (const std::exception& exception) {  // as the reader process does
    problem = exception.what();
  }
  Metadata metadata = metadata_of(entries);
  if (!problem.empty()) metadata.problem = problem;
  promise(said_beyond(metadata, metadata).has_value() == !metadata.problem.empty());
  return 0;
}
