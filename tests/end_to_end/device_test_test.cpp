#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "kernels/session/device.h"
#include "tests/end_to_end/run_program.h"
#include "tests/fixtures/drawing.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// PoCL's two CPU devices, and a script in place of the program that tests devices, in a cache of
// its own. A script finds the device's index in $1.
class DeviceTests : public testing::Test {
 protected:
  DeviceTests() { cv::imwrite(path("photo.jpg"), draw_poster(1, {300, 400})); }

  std::string path(const std::string& name) const { return (folder_.path() / name).native(); }

  ProgramResult features(const std::string& script, const std::string& devices = "basic pthread") {
    const std::string counted = "echo >>" + path("calls") + "\necho ready\n" + script;
    return run_program(install_with(folder_.path() / std::to_string(++installed_),
                                    "lookalike-device-test", counted),
                       {"features", path("photo.jpg")}, settings(devices));
  }
  // Kernels that are compiled are those of other tests.
  std::vector<std::string> settings(const std::string& devices) const {
    return {"XDG_CACHE_HOME=" + path("cache"), "POCL_DEVICES=" + devices,
            "POCL_CACHE_DIR=" + pocl_cache_folder().native()};
  }
  long calls() const {
    std::ifstream lines(path("calls"));
    return std::count(std::istreambuf_iterator<char>(lines), {}, '\n');
  }

 private:
  TemporaryFolder folder_;
  int installed_ = 0;
};

constexpr const char* kPasses = "echo done";
constexpr const char* kCrashes = "printf 'begin\\tsurf cpu\\n'; kill -SEGV $$";

TEST_F(DeviceTests, ADeviceThatPassesIsTestedOnce) {
  const ProgramResult first = features(kPasses, "pthread");
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("testing pthread"));
  const ProgramResult second = features(kCrashes, "pthread");
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_THAT(second.err, Not(HasSubstr("testing")));
  EXPECT_EQ(calls(), 1);
}

TEST_F(DeviceTests, ADriverThatCrashesIsNamedAndTheNextDeviceUsed) {
  const std::string first_crashes =
      std::string("if [ $1 = 0 ]; then ") + kCrashes + "; fi; " + kPasses;
  for (int run = 0; run < 2; ++run) {
    const ProgramResult result = features(first_crashes);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, AllOf(HasSubstr("failed its self-test: surf cpu: the driver ended by "
                                            "signal 11 (Segmentation fault)"),
                                  HasSubstr("; using pthread")));
  }
  EXPECT_EQ(calls(), 2);  // each device once
}

TEST_F(DeviceTests, AWrongResultOfTheOnlyDeviceEndsTheCommandWithFour) {
  const std::string wrong =
      "printf 'begin\\tsurf cpu\\nend\\tsurf cpu\\twrong\\t1\\tvalue 2 is 3\\n"
      "begin\\twarp\\nend\\twarp\\tpassed\\t1\\t\\n'; " +
      std::string(kPasses);
  for (int run = 0; run < 2; ++run) {
    const ProgramResult result = features(wrong, "pthread");
    EXPECT_EQ(result.exit_code, 4);
    EXPECT_THAT(result.err, AllOf(HasSubstr("error: device: pthread"),
                                  HasSubstr("failed its self-test: surf cpu: value 2 is 3")));
  }
  EXPECT_EQ(calls(), 1);
}

TEST_F(DeviceTests, AFailureThatMayNotComeAgainIsNotKept) {
  EXPECT_THAT(features("kill -KILL $$", "pthread").err, HasSubstr("signal 9 (Killed)"));
  EXPECT_THAT(features("exit 1", "pthread").err, HasSubstr("exit code 1; the compiler of an"));
  EXPECT_THAT(features("printf 'error\\tno such device\\n'", "pthread").err,
              HasSubstr("failed its self-test: start: no such device"));
  const ProgramResult result = features(kPasses, "pthread");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(calls(), 4);
}

TEST_F(DeviceTests, ADeviceWithoutMemoryAtTheTimeIsUsedAndTestedAgain) {
  const std::string full = "printf 'end\\tsurf cpu\\tmemory\\t1\\tfull\\n'; echo done";
  EXPECT_EQ(features(full, "pthread").exit_code, 0);
  EXPECT_EQ(features(kPasses, "pthread").exit_code, 0);
  EXPECT_EQ(calls(), 2);
}

TEST_F(DeviceTests, WithoutTheProgramADeviceIsUsedUntested) {
  const std::string program = install_with(path("without"), "lookalike-device-test", "");
  const ProgramResult result =
      run_program(program, {"features", path("photo.jpg")}, settings("pthread"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("is not tested: "));
}

// Each test that ends its process costs itself alone.
TEST_F(DeviceTests, DevicesShowsWhatFailedAndWhatWouldBeUsed) {
  const std::string script =
      "[ $1 = 0 ] || exec echo done; shift 3; "
      "case \"$*\" in *surf*) printf 'end\\twarp\\tpassed\\t1\\t\\n'; exec echo done; esac; " +
      std::string(kCrashes);
  const std::string program =
      install_with(path("bin"), "lookalike-device-test", "echo ready\n" + script);
  const ProgramResult tested =
      run_program(program, {"devices", "--self-test"}, settings("basic pthread"));
  EXPECT_EQ(tested.exit_code, 4);
  EXPECT_THAT(tested.out, AllOf(HasSubstr("surf cpu"), HasSubstr("FAILED: the driver ended by"),
                                HasSubstr("warp"), HasSubstr("* 1: CPU pthread")));
  const ProgramResult listed = run_program(program, {"devices"}, settings("basic pthread"));
  EXPECT_EQ(listed.exit_code, 0);
  EXPECT_THAT(listed.out, AllOf(HasSubstr("not used"), HasSubstr("* 1: CPU pthread")));
}

}  // namespace
}  // namespace lookalike
