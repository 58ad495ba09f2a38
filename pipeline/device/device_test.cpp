#include "pipeline/device/device_test.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <string_view>
#include <sys/file.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/files.h"
#include "base/module.h"
#include "base/parse_number.h"
#include "base/program.h"
#include "base/start_program.h"
#include "base/text.h"
#include "kernels/session/kernel_source.h"
#include "pipeline/device/open_session.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// A test without a result for this long hangs: PoCL compiles SURF, the longest, in 6 s.
constexpr std::chrono::minutes kPatience{5};

// A running `lookalike-device-test` whose lines are read.
class TestProcess {
 public:
  explicit TestProcess(std::vector<std::string> arguments) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("a pipe", errno);
    lines_ = FileDescriptor(ends[0]);
    const FileDescriptor theirs(ends[1]);
    start(std::move(arguments), theirs);
  }
  ~TestProcess() {
    if (id_ == 0) return;
    ::kill(id_, SIGKILL);
    wait();
  }
  TestProcess(const TestProcess&) = delete;
  TestProcess& operator=(const TestProcess&) = delete;

  // Returns the next line; nothing once the process has ended, or was stopped because it hung.
  std::optional<std::string> next_line() {
    Clock::duration waited{};
    while (true) {
      if (const std::size_t end = buffer_.find('\n'); end != std::string::npos) {
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return line;
      }
      // Counts no time in which this process was stopped, as by Ctrl-Z.
      constexpr std::chrono::milliseconds kSlice{1000};
      const auto start = Clock::now();
      pollfd waiting{.fd = lines_.number(), .events = POLLIN, .revents = 0};
      const int ready = ::poll(&waiting, 1, static_cast<int>(kSlice.count()));
      if (ready == 0 || (ready < 0 && errno == EINTR)) {
        waited += std::min<Clock::duration>(Clock::now() - start, kSlice);
        hangs_ = waited >= kPatience;
        if (hangs_) break;
        continue;
      }
      std::array<char, 4096> bytes{};
      const ssize_t count =
          ready > 0 ? ::read(lines_.number(), bytes.data(), bytes.size()) : ssize_t{0};
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      buffer_.append(bytes.data(), static_cast<std::size_t>(count));
    }
    if (hangs_) ::kill(id_, SIGKILL);
    wait();
    return std::nullopt;
  }

  // After the last line: says how the process ended.
  std::string ending() const {
    if (hangs_) return fmt::format("no result within {} minutes", kPatience.count());
    if (WIFSIGNALED(status_)) {
      const int signal = WTERMSIG(status_);
      return fmt::format("the driver ended by signal {} ({})", signal, ::sigdescr_np(signal));
    }
    return fmt::format("the driver ended its process with exit code {}; {}", WEXITSTATUS(status_),
                       driver_ended_text());
  }
  // True if the ending was the driver's, and none that a full disk, whose writers abort() or meet
  // SIGBUS, or another process causes.
  bool ends_so_again() const {
    if (hangs_) return true;
    if (!WIFSIGNALED(status_)) return false;
    constexpr std::array kFaults = {SIGSEGV, SIGFPE, SIGILL};
    return std::ranges::find(kFaults, WTERMSIG(status_)) != kFaults.end();
  }

 private:
  [[noreturn]] static void fail(const std::string& what, int code) {
    throw Error(ErrorKind::kInternal,
                fmt::format("{}: {}", what, std::generic_category().message(code)));
  }

  void start(std::vector<std::string> arguments, const FileDescriptor& out) {
    const std::string program = module_file("lookalike-device-test").string();
    arguments.insert(arguments.begin(), program);
    const std::array descriptors = {kNowhere, out.number(), kNowhere};
    id_ = start_program(std::move(arguments), descriptors).value_or(0);
    if (id_ == 0) fail(program + " cannot be started; reinstall lookalike", errno);
  }

  void wait() {
    while (::waitpid(id_, &status_, 0) < 0 && errno == EINTR) {
    }
    id_ = 0;
  }

  FileDescriptor lines_;
  std::string buffer_;
  ::pid_t id_ = 0;  // 0 once it has ended
  int status_ = 0;
  bool hangs_ = false;
};

// What processes have said so far.
struct TestsSoFar {
  DeviceTest test;
  std::vector<std::string> left_out;  // names of tests that have ended, or ended their process
  bool fails_again = false;           // the last failure
};

// Returns the result that the fields of an "end" hold.
SelfTestResult result_from(const std::vector<std::string_view>& fields) {
  SelfTestResult result{.name = std::string(fields.at(1))};
  result.passed = fields.at(2) == "passed";
  result.is_wrong = fields.at(2) == "wrong";
  result.is_out_of_memory = fields.at(2) == "memory";
  result.elapsed_ms = parse_number<double>(fields.at(3)).value_or(0);
  if (fields.size() > 4) result.detail = printable(fields[4]);
  return result;
}

// True if the device failed; a lack of memory says nothing about it.
bool has_failed(const SelfTestResult& result) {
  return !result.passed && !result.is_out_of_memory;
}

// Runs one process. True if no other is to follow: it ran all tests that were left, or cannot start
// them, or failed a basic one.
bool run_rest(std::size_t device, SelfTests tests, TestsSoFar& so_far) {
  std::vector<std::string> arguments = {std::to_string(device),
                                        tests == SelfTests::kAll ? "all" : "basic",
                                        own_cache_folder("").parent_path().native()};
  arguments.insert(arguments.end(), so_far.left_out.begin(), so_far.left_out.end());
  TestProcess process(std::move(arguments));
  std::string running;
  const auto part = [&] { return running.empty() ? "start" : running; };
  bool is_ready = false;
  while (const auto line = process.next_line()) {
    const std::vector<std::string_view> fields = split(*line, '\t');
    if (fields[0] == "done") return true;
    if (fields[0] == "ready") is_ready = true;
    if (fields.size() < 2) continue;
    if (fields[0] == "begin") running = fields[1];
    if (fields[0] == "atomics") so_far.test.adds_64_bits = fields[1] == "yes";
    if (fields[0] == "end" && fields.size() >= 4) {
      const SelfTestResult& result = so_far.test.results.emplace_back(result_from(fields));
      so_far.left_out.push_back(result.name);
      so_far.fails_again = result.is_wrong;
      running.clear();
      if (tests == SelfTests::kBasic && has_failed(result)) return true;
    }
    if (fields[0] == "error") {
      so_far.test.results.push_back({.name = part(), .detail = printable(fields[1])});
      so_far.fails_again = false;
      return true;
    }
  }
  if (!is_ready) {
    throw Error(ErrorKind::kInternal,
                "lookalike-device-test: cannot be started; reinstall lookalike");
  }
  so_far.fails_again = process.ends_so_again();
  so_far.test.results.push_back({.name = part(), .detail = process.ending()});
  so_far.left_out.push_back(running);
  return running.empty();
}

TestsSoFar run_all(std::size_t device, SelfTests tests) {
  TestsSoFar so_far;
  while (!run_rest(device, tests, so_far)) {
    if (tests == SelfTests::kBasic) break;
  }
  return so_far;
}

// Returns what a kept result is true of.
std::string key_of(const DeviceInfo& info) {
  std::string sources;
  for (const std::string_view name : kernel_source_names("")) sources += kernel_source(name);
  return fmt::format("lookalike self-test {}\n{}\n{}\n{}\n{}\n", LOOKALIKE_VERSION,
                     to_hex(hash_content(bytes_of(sources))), printable(info.platform_version),
                     printable(info.name), printable(info.driver));
}

// A kept result: the key, and an objection or nothing, in a line each.
class KeptResult {
 public:
  explicit KeptResult(const DeviceInfo& info) : key_(key_of(info)) {
    const fs::path folder = own_cache_folder("self-tests");
    if (!folder.empty()) file_ = folder / (to_hex(hash_content(bytes_of(key_))) + ".txt");
  }

  // Returns nothing if none is kept; an empty text if the device passed.
  std::optional<std::string> read() const {
    const auto text = read_file(file_, {.most_bytes = 65536, .may_be_link = false});
    if (!text || !text->starts_with(key_) || !text->ends_with("\nend\n")) return std::nullopt;
    return text->substr(key_.size(), text->size() - key_.size() - 5);
  }
  void keep(const std::string& objection) const {
    if (file_.empty()) return;
    create_own_folders(file_.parent_path());
    try {
      write_atomically(file_, bytes_of(key_ + objection + "\nend\n"), true, FileAccess::kOwner);
    } catch (const Error&) {
      // The next process tests again.
    }
  }
  void forget() const { ::unlink(file_.c_str()); }
  // Returns a lock that other processes wait for; a closed file without a folder.
  FileDescriptor lock() const {
    if (file_.empty()) return FileDescriptor();
    create_own_folders(file_.parent_path());
    FileDescriptor file(::open((file_.native() + ".lock").c_str(),
                               O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    while (file.is_open() && ::flock(file.number(), LOCK_EX) != 0 && errno == EINTR) {
    }
    return file;
  }

 private:
  std::string key_;
  fs::path file_;  // empty: none can be kept
};

std::optional<std::string> objection_in(const std::string& kept) {
  return kept.empty() ? std::nullopt : std::optional(kept);
}

}  // namespace

DeviceTest test_device(std::size_t device, SelfTests tests) {
  return run_all(device, tests).test;
}

std::optional<std::string> objection_to(std::size_t device, const DeviceInfo& info) {
  const KeptResult kept(info);
  if (const auto known = kept.read()) return objection_in(*known);
  const FileDescriptor lock = kept.lock();
  if (const auto known = kept.read()) return objection_in(*known);
  TestsSoFar so_far;
  try {
    logger()->info(
        "testing {}, and building kernels for it, which are kept: the first use takes some seconds "
        "longer",
        printable(info.name));
    so_far = run_all(device, SelfTests::kBasic);
  } catch (const Error& error) {
    logger()->warn("{} is not tested: {}", info.name, error.what());
    return std::nullopt;
  }
  const auto& results = so_far.test.results;
  const auto failed = std::ranges::find_if(results, has_failed);
  if (failed == results.end()) {
    if (std::ranges::all_of(results, &SelfTestResult::passed)) kept.keep("");
    return std::nullopt;
  }
  const std::string objection =
      fmt::format("{} of {} failed its self-test: {}: {}; lookalike devices --self-test repeats it",
                  printable(info.name), printable(info.platform), failed->name, failed->detail);
  if (so_far.fails_again) kept.keep(objection);
  return objection;
}

std::optional<std::string> known_objection_to(const DeviceInfo& info) {
  return objection_in(KeptResult(info).read().value_or(""));
}

void forget_objection_to(const DeviceInfo& info) {
  KeptResult(info).forget();
}

}  // namespace lookalike
