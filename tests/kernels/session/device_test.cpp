#include "kernels/session/device.h"

#include <string>

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

std::vector<Device> some_devices() {
  const auto device = [](const char* platform, const char* name, DeviceKind kind) {
    Device result;
    result.info.platform = platform;
    result.info.name = name;
    result.info.kind = kind;
    return result;
  };
  return {device("Portable Computing Language", "pthread-EPYC", DeviceKind::kCpu),
          device("NVIDIA CUDA", "NVIDIA H200", DeviceKind::kGpu),
          device("NVIDIA CUDA", "NVIDIA T4", DeviceKind::kGpu)};
}

using Indices = std::vector<std::size_t>;

ErrorKind kind_of_failure(const char* choice) {
  try {
    matching_devices(some_devices(), choice);
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::kInternal;
}

TEST(MatchingDevices, OfNoChoiceAreGpusFirst) {
  EXPECT_EQ(matching_devices(some_devices(), ""), Indices({1, 2, 0}));
}

TEST(MatchingDevices, PartsNarrowWhateverTheCase) {
  EXPECT_EQ(matching_devices(some_devices(), "::t4"), Indices({2}));
  EXPECT_EQ(matching_devices(some_devices(), "nvidia::"), Indices({1, 2}));
  EXPECT_EQ(matching_devices(some_devices(), ":cpu:"), Indices({0}));
}

TEST(MatchingDevices, IndexCountsWhatTheOtherPartsLeaveAndNamesOne) {
  EXPECT_EQ(matching_devices(some_devices(), ":GPU:1"), Indices({2}));
  EXPECT_EQ(matching_devices(some_devices(), "::0"), Indices({0}));
}

TEST(MatchingDevices, MalformedChoiceIsAUsageError) {
  EXPECT_EQ(kind_of_failure("H200"), ErrorKind::kUsage);
  EXPECT_EQ(kind_of_failure(":FPGA:"), ErrorKind::kUsage);
}

TEST(MatchingDevices, NoMatchIsADeviceError) {
  EXPECT_EQ(kind_of_failure(":GPU:2"), ErrorKind::kDevice);
  EXPECT_THROW(matching_devices({}, ""), Error);
}

TEST(ListDevices, DescribesWhatThisMachineHas) {
  const std::vector<Device> devices = list_devices();
  ASSERT_FALSE(devices.empty());
  for (const Device& device : devices) {
    EXPECT_FALSE(device.info.name.empty());
    EXPECT_GT(device.info.compute_units, 0U);
  }
}

TEST(ListDevices, DoublesAreThereWhereTheDeviceSaysHowTheyRound) {
  const std::vector<Device> devices = list_devices();
  ASSERT_FALSE(devices.empty());
  for (const Device& device : devices) {
    EXPECT_EQ(device.info.has_doubles, device.handle.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>() != 0)
        << device.info.name;
  }
}

TEST(DeviceInfo, NvidiaIsKnownByItsVendor) {
  DeviceInfo info;
  info.vendor = "AuthenticAMD";
  EXPECT_FALSE(info.is_nvidia());
  info.vendor = "NVIDIA Corporation";
  EXPECT_TRUE(info.is_nvidia());
}

TEST(RoomForKernels, IsThatOfTheFolderOrWhereItWillBeMade) {
  const TemporaryFolder folder;
  const std::filesystem::path later = folder.path() / "cache/pocl";
  EXPECT_NO_THROW(require_room_for_kernels(later, 1));
  try {
    require_room_for_kernels(later, std::uint64_t{1} << 62U);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDevice);
    EXPECT_EQ(std::string(error.what()).find(later.string() + ": has no room"), 0U);
  }
}

}  // namespace
}  // namespace lookalike
