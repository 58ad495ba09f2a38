#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cases.h"
#include "kernels/session/device.h"

namespace lookalike {

struct DeviceTest {
  std::vector<SelfTestResult> results;  // in order
  std::optional<bool> adds_64_bits;     // see OpenClSession::has_int64_atomics(); of kAll
};

// Runs self-tests of a device in processes of their own, `lookalike-device-test`: drivers crash,
// hang and call exit(). A test that ends its process, or gives no result for five minutes, has
// failed; another process runs those after it.
//   device  its index in list_devices()
// After a failure, kBasic runs no further tests. Throws Error(kInternal) if the program cannot be
// started.
DeviceTest test_device(std::size_t device, SelfTests tests);

// Returns why a device must not be used: how it failed the basic self-tests. Nothing if it passed
// them, or had no memory for them at the time.
//
// The result is kept in own_cache_folder() for the device's name, platform and driver, and these
// kernels. A failure that may not come again is not kept: one that the driver reported, a call of
// exit() or abort(), or a kill. Where nothing can be kept, the tests run each time. Processes that
// ask at the same time wait for the first. Where the tests cannot be started, warns and returns
// nothing. Thread-safe.
std::optional<std::string> objection_to(std::size_t device, const DeviceInfo& info);

// Returns the objection that is kept, without testing.
std::optional<std::string> known_objection_to(const DeviceInfo& info);

// Makes objection_to() test the device again.
void forget_objection_to(const DeviceInfo& info);

}  // namespace lookalike
