// Configuration: any text is refused with Error(kUsage), or is a configuration that is the same
// once it was written and read again.

#include <string_view>

#include "base/error.h"
#include "config/fields.h"
#include "config/load.h"
#include "tests/fuzz/fuzz_target.h"

using namespace lookalike;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const RunConfig config = parse_config(text, "/folder/fuzz.toml");
    promise(parse_config(to_toml(config), "/folder/fuzz.toml") == config);
  } catch (const Error& error) {
    promise(error.kind() == ErrorKind::kUsage);
  }
  return 0;
}
