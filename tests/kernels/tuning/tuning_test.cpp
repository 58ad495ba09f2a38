#include "kernels/tuning/tuning.h"

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "kernels/session/kernel_source.h"
#include "kernels/session/session.h"
#include "tests/kernels/shared_session.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TuningFile file_with(std::vector<Measurement> measurements) {
  return {.measurements = std::move(measurements)};
}

std::optional<std::string> fastest(const Tuning& tuning, const TuningSizes& sizes,
                                   const std::vector<std::string>& variants = {"a", "b"}) {
  return tuning.fastest("kernel", sizes, variants);
}

TEST(OctavesBetween, AreThoseOfEachSizeSquaredAndSummed) {
  EXPECT_DOUBLE_EQ(octaves_between({{"a", 8}, {"b", 1}}, {{"a", 1}, {"b", 16}}), 5);
  EXPECT_EQ(octaves_between({{"a", 0}}, {{"a", 1}}), 0);
  EXPECT_TRUE(std::isinf(octaves_between({{"a", 1}}, {{"b", 1}})));
  EXPECT_TRUE(std::isinf(octaves_between({{"a", 1}}, {{"a", 1}, {"b", 1}})));
}

TEST(Tuning, FastestVariantAtTheNearestSizesWins) {
  const Tuning tuning({file_with({{"kernel", {{"n", 100}}, "a", 1},
                                  {"kernel", {{"n", 100}}, "b", 2},
                                  {"kernel", {{"n", 10000}}, "a", 50},
                                  {"kernel", {{"n", 10000}}, "b", 40}})});
  EXPECT_EQ(fastest(tuning, {{"n", 100}}), "a");
  EXPECT_EQ(fastest(tuning, {{"n", 10000}}), "b");
  EXPECT_EQ(fastest(tuning, {{"n", 0}}), "a");
  EXPECT_EQ(fastest(tuning, {{"n", 900}}), "a");
  EXPECT_EQ(fastest(tuning, {{"n", 1100}}), "b");
}

TEST(Tuning, HalfWayBetweenSizesTheSmallerCount) {
  const Tuning tuning(
      {file_with({{"kernel", {{"n", 1024}}, "a", 1}, {"kernel", {{"n", 64}}, "b", 1}})});
  EXPECT_EQ(fastest(tuning, {{"n", 256}}), "b");
}

TEST(Tuning, OfEquallyFastVariantsTheFirstGuessWins) {
  const Tuning tuning(
      {file_with({{"kernel", {{"n", 1}}, "a", 2}, {"kernel", {{"n", 1}}, "b", 2}})});
  EXPECT_EQ(fastest(tuning, {{"n", 1}}, {"a", "b"}), "a");
  EXPECT_EQ(fastest(tuning, {{"n", 1}}, {"b", "a"}), "b");
}

TEST(Tuning, VariantsThatTheDeviceCannotRunDoNotCount) {
  const Tuning tuning({file_with({{"kernel", {{"n", 1}}, "matrix", 1},
                                  {"kernel", {{"n", 1}}, "b", 3},
                                  {"kernel", {{"n", 1}}, "a", 2}})});
  EXPECT_EQ(fastest(tuning, {{"n", 1}}), "a");
  EXPECT_EQ(fastest(tuning, {{"n", 1}}, {"c"}), std::nullopt);
}

TEST(Tuning, OtherKernelsAndOtherSizesSayNothing) {
  const Tuning tuning(
      {file_with({{"other", {{"n", 1}}, "a", 1}, {"kernel", {{"width", 1}}, "a", 1}})});
  EXPECT_EQ(fastest(tuning, {{"n", 1}}), std::nullopt);
}

TEST(Tuning, FirstFileThatKnowsTheKernelDecides) {
  const TuningFile own = file_with({{"other", {{"n", 1}}, "a", 1}});
  const TuningFile shipped = file_with({{"kernel", {{"n", 1000}}, "b", 1}});
  const TuningFile alike = file_with({{"kernel", {{"n", 1}}, "a", 1}});
  EXPECT_EQ(fastest(Tuning({own, shipped, alike}), {{"n", 1}}), "b");
}

const TuningTarget kSmallGpu = {"NVIDIA CUDA", "NVIDIA", "GPU 1", "10.1", "GPU", ""};
const TuningTarget kLargeGpu = {"NVIDIA CUDA", "NVIDIA", "GPU 2", "10.1", "GPU", ""};
const TuningTarget kOtherGpu = {"Clover", "AMD", "GPU 3", "1", "GPU", ""};
const TuningTarget kAvx2Cpu = {"PoCL", "Intel", "CPU 1", "3.1", "CPU", "avx2"};
const TuningTarget kAvx512Cpu = {"PoCL", "AMD", "CPU 2", "3.1", "CPU", "avx512"};
const TuningTarget kOldCpu = {"PoCL", "AMD", "CPU 3", "3.1", "CPU", ""};

TuningFile file_of(const TuningTarget& target) {
  return {target, {{"kernel", {}, "a", 1}}};
}

const std::vector<TuningFile> kShipped = {file_of(kAvx2Cpu), file_of(kAvx512Cpu),
                                          file_of(kLargeGpu), file_of(kOtherGpu)};

class TuningStore : public testing::Test {
 protected:
  // Returns the devices whose measurements are used, the most trusted first.
  std::vector<std::string> used_for(const TuningTarget& target) {
    const auto warn = [this](const std::string& line) { warnings_.push_back(line); };
    std::vector<std::string> devices;
    const Tuning tuning = load_tuning(target, folder_.path(), kShipped, warn);
    for (const TuningFile& file : tuning.files()) devices.push_back(file.target.device);
    return devices;
  }
  std::string own_name(const TuningTarget& target) { return tuning_path({}, target).string(); }

  TemporaryFolder folder_;
  std::vector<std::string> warnings_;
};

TEST_F(TuningStore, OwnMeasurementsComeFirst) {
  store_tuning(folder_.path(), file_of(kSmallGpu));
  EXPECT_THAT(used_for(kSmallGpu), ElementsAre("GPU 1", "GPU 2"));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(TuningStore, ADeviceOfTheSameNameComesBeforeOneAlike) {
  EXPECT_THAT(used_for(kAvx512Cpu), ElementsAre("CPU 2", "CPU 1"));
}

TEST_F(TuningStore, AGpuUsesThoseOfItsVendor) {
  EXPECT_THAT(used_for(kSmallGpu), ElementsAre("GPU 2"));
  TuningTarget stranger = kSmallGpu;
  stranger.vendor = "Somebody";
  EXPECT_THAT(used_for(stranger), IsEmpty());
}

TEST_F(TuningStore, ACpuUsesTheRichestInstructionSetThatItHas) {
  TuningTarget cpu = kAvx512Cpu;
  cpu.device = "CPU 9";
  EXPECT_THAT(used_for(cpu), ElementsAre("CPU 2", "CPU 1"));
  cpu.instructions = "avx2";
  EXPECT_THAT(used_for(cpu), ElementsAre("CPU 1"));
  EXPECT_THAT(used_for(kOldCpu), IsEmpty());
}

TEST_F(TuningStore, AnotherDriverIsMeasuredAnew) {
  store_tuning(folder_.path(), file_of(kSmallGpu));
  TuningTarget updated = kSmallGpu;
  updated.driver = "10.2";
  EXPECT_THAT(used_for(updated), ElementsAre("GPU 2"));
}

TEST_F(TuningStore, AFileThatCannotBeParsedIsLeftOutWithALine) {
  folder_.write(own_name(kSmallGpu), "lookalike tuning 7\n");
  EXPECT_THAT(used_for(kSmallGpu), ElementsAre("GPU 2"));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr(".txt:1: expected 'lookalike tuning 1'")));
}

TEST_F(TuningStore, AFileOfAnotherDeviceIsLeftOutWithALine) {
  folder_.write(own_name(kSmallGpu), format_tuning_file(file_of(kOtherGpu)));
  EXPECT_THAT(used_for(kSmallGpu), ElementsAre("GPU 2"));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("belongs to another device, GPU 3")));
}

TEST_F(TuningStore, AFolderInPlaceOfTheFileIsLeftOutWithALine) {
  std::filesystem::create_directories(tuning_path(folder_.path(), kSmallGpu));
  EXPECT_THAT(used_for(kSmallGpu), ElementsAre("GPU 2"));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr(": cannot be read")));
}

TEST_F(TuningStore, StoringWhereNothingCanBeWrittenIsAStorageError) {
  const std::string file = folder_.write("file", "");
  try {
    store_tuning(file, file_of(kSmallGpu));
    FAIL() << "stored below a file";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  }
}

TEST(ShippedTunings, AllParseAndNameTheirDevice) {
  const std::vector<std::string_view> names = kernel_source_names("tuning/shipped/");
  ASSERT_THAT(names, Not(IsEmpty()));
  for (const std::string_view name : names) {
    const TuningFile file = parse_tuning_file(kernel_source(name), name);
    EXPECT_THAT(file.target.device, Not(IsEmpty()));
    EXPECT_THAT(file.target.kind, Not(IsEmpty()));
    EXPECT_THAT(file.measurements, Not(IsEmpty()));
  }
}

TEST(SessionTuning, ReadsTheUsersFolder) {
  const TemporaryFolder folder;
  const TuningTarget target = shared_session().tuning_target();
  store_tuning(folder.path(), {target, {{"kernel", {{"n", 1}}, "b", 1}}});
  OpenClSession session({.tuning_folder = folder.path()});
  const std::vector<std::string> variants = {"a", "b"};
  EXPECT_EQ(session.tuning().fastest("kernel", {{"n", 2}}, variants), "b");
  EXPECT_EQ(session.tuning_target(), target);
}

TEST(SessionTuning, TellsOfAFileThatIsLeftOut) {
  const TemporaryFolder folder;
  const TuningTarget target = shared_session().tuning_target();
  folder.write(tuning_path({}, target).string(), "rubbish");
  std::vector<std::string> warnings;
  OpenClSession session({.tuning_folder = folder.path(),
                         .warn = [&](const std::string& line) { warnings.push_back(line); }});
  session.tuning();
  session.tuning();
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("rubbish")));
}

}  // namespace
}  // namespace lookalike
