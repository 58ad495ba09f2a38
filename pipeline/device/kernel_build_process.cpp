#include "pipeline/device/kernel_build_process.h"

#include <csignal>
#include <cstddef>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "base/parallel.h"
#include "kernels/session/program_cache.h"
#include "pipeline/device/device_test.h"
#include "pipeline/device/open_session.h"
#include "stages/extract/extract_stage.h"
#include "stages/match/matcher.h"
#include "stages/match/vote/query_words.h"

namespace lookalike {
namespace {

bool has_threads() {
  std::error_code unknown;
  const std::filesystem::directory_iterator threads("/proc/self/task", unknown);
  return unknown || std::distance(begin(threads), end(threads)) != 1;
}

// The parent prints the same messages and driver warnings.
void silence() {
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    dup2(nowhere, descriptor);
  }
}

// Begins with the kernels that a query needs last, so that the two processes seldom build the same
// one.
void build(SessionOptions options, const ExtractOptions& extract, const MatchOptions& match) {
  // The parent tests the device meanwhile if it was not tested.
  options.object = [](std::size_t, const DeviceInfo& info) { return known_objection_to(info); };
  options.warn = nullptr;
  options.inform = nullptr;
  OpenClSession session(options);
  const std::size_t size = extract.descriptor_size;
  build_word_kernels(session, size, most_words_per_feature(match));
  ExtractStage(session, extract).build_description();
  build_pixel_kernels(session);
}

}  // namespace

KernelBuildProcess::KernelBuildProcess(const DeviceOptions& device, const ExtractOptions& extract,
                                       const MatchOptions& match) {
  const SessionOptions options = query_session_options(device);
  const ProgramCache cache(options.program_cache);
  const std::string tried = "first kernels of " LOOKALIKE_VERSION " for " + options.device;
  if (!cache.is_on() || cache.load(tried) || core_count() == 1 || has_threads()) return;
  cache.store(tried, {});
  if (!cache.load(tried)) return;  // in a read-only folder every query would fork
  const pid_t parent = getpid();
  const pid_t forked = fork();
  if (forked != 0) {
    child_ = forked > 0 ? forked : 0;
    return;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // the parent ended before prctl()
  silence();
  try {
    build(options, extract, match);
  } catch (const std::exception&) {
    // The parent meets the same problem and reports it.
  }
  _exit(0);
}

KernelBuildProcess::~KernelBuildProcess() {
  if (child_ == 0) return;
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

}  // namespace lookalike
