// lookalike-device-test DEVICE all|basic CACHE [TEST]...: runs the self-tests of a device, without
// those named, for another process; see device_test.h. Started by it alone. Prints lines whose
// fields are separated by tabs: "ready", then "begin" and "end" of each test, "atomics", and "done"
// or "error".
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "kernels/cases.h"
#include "kernels/session/session.h"

namespace lookalike {
namespace {

void say(std::string line) {
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::puts(line.c_str());
  std::fflush(stdout);
}

void say_result(const SelfTestResult& result) {
  const char* const outcome = result.passed             ? "passed"
                              : result.is_wrong         ? "wrong"
                              : result.is_out_of_memory ? "memory"
                                                        : "error";
  std::string detail = result.detail;
  std::replace(detail.begin(), detail.end(), '\t', ' ');
  say("end\t" + result.name + '\t' + outcome + '\t' + std::to_string(result.elapsed_ms) + '\t' +
      detail);
}

void run(const std::string& device, bool all, const std::filesystem::path& cache,
         const std::vector<std::string>& left_out) {
  const auto begin = [&](const std::string& name) {
    if (std::find(left_out.begin(), left_out.end(), name) != left_out.end()) return false;
    say("begin\t" + name);
    return true;
  };
  SessionOptions options{.device = "::" + device, .program_cache = cache};
  if (!cache.empty()) options.tuning_folder = cache / "tuning";
  options.answer_soon = true;
  OpenClSession session(options);
  if (all && begin("64-bit atomics")) {
    say(std::string("atomics\t") + (session.has_int64_atomics() ? "yes" : "no"));
  }
  run_self_tests(session, all ? SelfTests::kAll : SelfTests::kBasic, CaseScale::kSelfTest,
                 {.begin = begin, .end = say_result});
}

}  // namespace
}  // namespace lookalike

int main(int count, char** words) {
  const std::vector<std::string> arguments(words, words + count);
  if (count < 4) return 2;
  // A driver that hangs does not see that nobody waits for it any more.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{};
  ::setrlimit(RLIMIT_CORE, &none);
  lookalike::say("ready");
  try {
    lookalike::run(arguments[1], arguments[2] == "all", arguments[3],
                   {arguments.begin() + 4, arguments.end()});
    lookalike::say("done");
  } catch (const lookalike::DeviceOutOfMemory& error) {
    lookalike::say_result({.name = "start", .is_out_of_memory = true, .detail = error.what()});
    lookalike::say("done");
  } catch (const std::exception& error) {
    lookalike::say(std::string("error\t") + error.what());
  }
  ::_exit(0);
}
