#include "tests/kernels/shared_session.h"

#include <map>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

class Sessions : public ::testing::Environment {
 public:
  OpenClSession& on(const std::string& device, bool profile) {
    std::unique_ptr<OpenClSession>& session = sessions_[{device, profile}];
    if (!session) {
      session =
          std::make_unique<OpenClSession>(SessionOptions{.device = device, .profile = profile});
    }
    return *session;
  }

  void TearDown() override { sessions_.clear(); }

 private:
  std::map<std::pair<std::string, bool>, std::unique_ptr<OpenClSession>> sessions_;
};

// GoogleTest owns it.
Sessions& sessions() {
  static auto* const sessions = new Sessions;
  static const bool is_known = ::testing::AddGlobalTestEnvironment(sessions) != nullptr;
  EXPECT_TRUE(is_known);
  return *sessions;
}

}  // namespace

std::vector<std::string> every_device() {
  std::vector<std::string> devices = {"::0"};
  for (std::size_t i = 1; i < list_devices().size(); ++i)
    devices.push_back("::" + std::to_string(i));
  return devices;
}

OpenClSession& shared_session(const std::string& device) {
  return sessions().on(device, false);
}

OpenClSession& shared_profiling_session() {
  return sessions().on({}, true);
}

}  // namespace lookalike
