// A run with too little memory.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/index_check.h"
#include "tests/address_space_limit.h"
#include "tests/pipeline/index/index_run_fixture.h"

namespace lookalike {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The header of a BMP file of 8-bit grey without pixels: readers allocate memory before reading
// them.
std::vector<std::uint8_t> bmp_header(std::uint32_t width, std::uint32_t height) {
  const std::array<std::uint32_t, 13> words = {0, 0, 54 + 1024, 40, width, height, 1U | (8U << 16U),
                                               0, 0, 0,         0,  256,   0};
  std::vector<std::uint8_t> bytes = {'B', 'M'};
  for (const std::uint32_t word : words) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      bytes.push_back(static_cast<std::uint8_t>(word >> shift));
    }
  }
  bytes.resize(54 + 1024);
  return bytes;
}

TEST_F(IndexRunTest, AnImageThatMemoryIsTooSmallForCostsItselfAlone) {
  if (!AddressSpaceLimit::kIsPossible) GTEST_SKIP() << "a sanitizer needs much address space";
  draw_some(3);
  run();
  const std::string huge = write("huge.bmp", bmp_header(31'000, 31'000));
  draw("new.png", 100);
  config_.images.max_megapixels = 1000;
  {
    const AddressSpaceLimit limit(std::uint64_t{600} << 20U);  // the picture takes 916 MiB
    EXPECT_EQ(run().indexed, 1U);
  }
  const auto quarantine = index().quarantine();
  ASSERT_EQ(quarantine.size(), 1U);
  EXPECT_EQ(quarantine[0].file.path, huge);
  EXPECT_THAT(quarantine[0].detail, HasSubstr("memory"));
  EXPECT_THAT(check_index(config_.store.database), IsEmpty());
}

}  // namespace
}  // namespace lookalike
