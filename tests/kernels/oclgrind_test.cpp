// Runs every family of kernels at tiny sizes on Oclgrind, a simulator of a device that sees
// accesses outside of buffers, races between work-items and wrong calls of OpenCL. It cannot
// compile the forms of assignment and correlation written in one vendor's instructions (matrix,
// dot_product), and would run correlation by VkFFT (frequency) for minutes, so these are left out.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

// Returns the reports of a log, each a paragraph, without those on kernels that lack a function of
// Oclgrind's compiler: lookalike does not offer such a kernel there, and fails itself where it
// needs one.
std::vector<std::string> reports(const fs::path& log) {
  std::vector<std::string> reports;
  std::ifstream stream(log);
  std::string report;
  const auto end_report = [&] {
    const bool cannot_make = report.find("Undefined external function") != std::string::npos ||
                             report.find("CL_INVALID_KERNEL_NAME") != std::string::npos;
    if (!report.empty() && !cannot_make) reports.push_back(report);
    report.clear();
  };
  for (std::string line; std::getline(stream, line);) {
    if (line.find_first_not_of(" \t") == std::string::npos) {
      end_report();
    } else {
      report += line + '\n';
    }
  }
  end_report();
  return reports;
}

// Returns what a shell command prints, errors included.
std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((command + " 2>&1").c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), part.size(), pipe.get()) != nullptr) text += part.data();
  return text;
}

TEST(Oclgrind, FindsNoWrongAccessNoRaceAndNoWrongCall) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "oclgrind puts a library in front of AddressSanitizer's";
#endif
  if (std::system("command -v oclgrind > /dev/null") != 0) {
    GTEST_SKIP() << "oclgrind is not installed; tools/install-packages installs it";
  }
  const TemporaryFolder folder;
  const fs::path log = folder.path() / "log";
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  // Without restrict, which changes no result: Oclgrind misreads it after inlining.
  const std::string output = output_of(
      "oclgrind --data-races --check-api --max-errors 9 --build-options '-Drestrict=' --log '" +
      log.string() + "' '" + self +
      "' --gtest_filter='EveryDevice/SelfTest.ThoseForASimulatorPass/0'");
  EXPECT_THAT(output, HasSubstr("[  PASSED  ] 1 test.")) << output;
  EXPECT_THAT(reports(log), IsEmpty());
}

}  // namespace
}  // namespace lookalike
