#include "stages/decode/reader_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <mutex>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "base/module.h"
#include "base/start_program.h"
#include "base/text.h"
#include "base/work_limits.h"
#include "stages/decode/bytes.h"
#include "stages/decode/descriptor_socket.h"
#include "stages/decode/reader_protocol.h"

namespace lookalike {
namespace {

// Memory of a reader beyond what its libraries take: a constant, a share by the file's bytes, and
// one by its pixels. OpenJPEG takes most, four bytes for each sample, twice, and the picture. The
// file's bytes limit the share by pixels, so that a file of a few kilobytes never gets a gigabyte.
constexpr std::uint64_t kSpareBytes = std::uint64_t{64} << 20U;
constexpr std::uint64_t kBytesPerFileByte = 4;
constexpr std::uint64_t kBytesPerPixel = 32;
constexpr std::uint64_t kSparePixelBytes = std::uint64_t{384} << 20U;
constexpr std::uint64_t kPixelBytesPerFileByte = 256;
// Address space beyond twice that memory: files in memory, and ranges that allocators reserve.
constexpr std::uint64_t kSpareAddresses = std::uint64_t{2} << 30U;

// Processor time of a reader, in the same way. OpenJPEG needs some 0.1 s a megapixel.
constexpr double kSpareSeconds = 1;
constexpr double kSecondsPerMegapixel = 0.5;
constexpr double kSparePixelSeconds = 1;
constexpr double kPixelSecondsPerFileMegabyte = 2;
// Wall time of a reader, in multiples of its processor time: other processes may take the cores.
constexpr int kWaitFactor = 10;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsMemory = false;  // sanitizers reserve terabytes
#else
constexpr bool kLimitsMemory = true;
#endif

std::uint64_t bytes_for(std::uint64_t file_bytes, std::uint64_t pixels) {
  return kSpareBytes + kBytesPerFileByte * file_bytes +
         std::min(kBytesPerPixel * pixels, kSparePixelBytes + kPixelBytesPerFileByte * file_bytes);
}

double seconds_for(std::uint64_t file_bytes, std::uint64_t pixels) {
  const double by_pixels = kSecondsPerMegapixel * static_cast<double>(pixels) / 1e6;
  const double by_file =
      kSparePixelSeconds + kPixelSecondsPerFileMegabyte * static_cast<double>(file_bytes) / 1e6;
  return kSpareSeconds + std::min(by_pixels, by_file);
}

using Clock = std::chrono::steady_clock;

// The last failed start of each module's reader. Starts that fail cost little time, however many
// pictures wait for them. Thread-safe.
class FailedStarts {
 public:
  // Throws the error of a start that failed recently.
  void check(const std::string& module) {
    const std::lock_guard lock(mutex_);
    const auto failed = by_module_.find(module);
    if (failed == by_module_.end() || Clock::now() >= failed->second.end) return;
    throw Error(ErrorKind::kInternal, failed->second.message);
  }

  void add(const std::string& module, Clock::time_point begin, const std::string& message) {
    constexpr int kPause = 20;  // times what the start took
    constexpr std::chrono::minutes kMostPause{1};
    const Clock::time_point now = Clock::now();
    const std::lock_guard lock(mutex_);
    by_module_[module] = {now + std::min<Clock::duration>(kPause * (now - begin), kMostPause),
                          message};
  }

 private:
  struct Failure {
    Clock::time_point end;
    std::string message;
  };
  std::mutex mutex_;
  std::map<std::string, Failure> by_module_;
};

FailedStarts& failed_starts() {
  static FailedStarts starts;
  return starts;
}

[[noreturn]] void fail(const std::string& what, int code) {
  if (code == ENOMEM) throw std::bad_alloc();
  throw Error(ErrorKind::kInternal,
              fmt::format("{}: {}", what, std::generic_category().message(code)));
}

// Returns the message of an answer. A library may have taken it from the file.
std::string text_of(const ReaderAnswer& answer) {
  return printable(std::string(answer.problem.begin(), std::ranges::find(answer.problem, '\0')));
}

// Returns a descriptor of a copy of the bytes.
FileDescriptor in_memory(std::span<const std::uint8_t> bytes) {
  FileDescriptor copy(::memfd_create("picture", MFD_CLOEXEC));
  if (!copy.is_open()) fail("a file in memory", errno);
  const bool is_written = move_all(bytes.size(), [&](std::size_t done, std::size_t left) {
    return ::write(copy.number(), bytes.data() + done, left);
  });
  if (!is_written) fail("a file in memory", errno);
  return copy;
}

// Reads what the reader wrote. False if there is less: it may have cut its file meanwhile, so it is
// not mapped.
bool read_all(const FileDescriptor& from, std::span<std::uint8_t> bytes) {
  return move_all(bytes.size(), [&](std::size_t done, std::size_t left) {
    return ::pread(from.number(), bytes.data() + done, left, static_cast<::off_t>(done));
  });
}

}  // namespace

class ReaderProcess::Process {
 public:
  explicit Process(const std::string& module) : name_(module.substr(0, module.find('_'))) {
    const std::string program = module_file("lookalike-reader").string();
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      fail(program, errno);
    }
    socket_ = FileDescriptor(ends[0]);
    {
      const FileDescriptor theirs(ends[1]);
      start(program, module, theirs);
    }  // an open copy here would hide that the process has ended
    ReaderAnswer answer;
    FileDescriptor none;
    constexpr std::chrono::minutes kStart{1};
    if (!receive(answer, none, kStart) || answer.result != ReaderResult::kReady) {
      check_time();
      const std::string why = answer.problem.front() != 0 ? text_of(answer)
                              : is_late_                  ? "does not start within a minute"
                                         : fmt::format("{}; reinstall lookalike", ending());
      throw Error(ErrorKind::kInternal, fmt::format("{}: {}", program, why));
    }
    memory_at_rest_ = statistic("VmData:");
    addresses_at_rest_ = statistic("VmSize:");
  }

  ~Process() {
    socket_ = FileDescriptor();  // at which it ends
    if (id_ > 0) stop();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // False once it has ended, even if nothing was asked of it meanwhile.
  bool is_alive() const {
    siginfo_t ended{};
    return id_ > 0 &&
           ::waitid(P_PID, static_cast<id_t>(id_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == 0;
  }

  // Sends a request and returns its answer; nothing, with `problem` set, if the reader cannot give
  // it.
  std::optional<ReaderAnswer> ask(const ReaderRequest& request, std::span<const std::uint8_t> file,
                                  std::uint64_t pixels, FileDescriptor& attached,
                                  std::string& problem) {
    const FileDescriptor copy = in_memory(file);
    const double seconds = seconds_for(file.size(), pixels);
    limit_memory(bytes_for(file.size(), pixels));
    limit_time(seconds);
    ReaderAnswer answer;
    const std::chrono::duration<double> patience(seconds * kWaitFactor);
    if (!send_packet(socket_.number(), &request, sizeof(request), copy.number()) ||
        !receive(answer, attached, std::chrono::ceil<std::chrono::milliseconds>(patience))) {
      check_time();
      problem = fmt::format("the reader of {} {}", name_, ending());
      return std::nullopt;
    }
    if (answer.result == ReaderResult::kDone) return answer;
    problem = answer.result == ReaderResult::kNoMemory
                  ? "reading it takes more memory than a picture of its size"
                  : text_of(answer);
    return std::nullopt;
  }

 private:
  void start(const std::string& program, const std::string& module, const FileDescriptor& socket) {
    // Libraries print what callers report.
    const std::array descriptors = {kNowhere, kNowhere, kNowhere, socket.number()};
    static_assert(kReaderSocket == 3);
    id_ = start_program({program, module}, descriptors).value_or(0);
    if (id_ == 0) fail(program + " cannot be started; reinstall lookalike", errno);
  }

  // Waits for a packet, until the time of this thread's work is over at the latest. False without
  // one, in which case the process has been stopped.
  bool receive(ReaderAnswer& answer, FileDescriptor& attached, std::chrono::milliseconds patience) {
    auto until = Clock::now() + patience;
    if (const WorkLimits* limits = WorkLimits::current()) until = std::min(until, limits->end());
    while (true) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
      pollfd waiting{.fd = socket_.number(), .events = POLLIN, .revents = 0};
      const int ready = left.count() > 0 ? ::poll(&waiting, 1, static_cast<int>(left.count())) : 0;
      if (ready < 0 && errno == EINTR) continue;
      is_late_ = ready == 0;
      if (ready > 0 && receive_packet(socket_.number(), &answer, sizeof(answer), attached)) {
        return true;
      }
      stop();
      return false;
    }
  }

  void stop() {
    ::kill(id_, SIGKILL);
    status_ = 0;
    while (::waitpid(id_, &status_, 0) < 0 && errno == EINTR) {
    }
    id_ = 0;
  }

  // Says how the process ended. SIGKILL comes from stop(), if nothing ended the process before.
  std::string ending() const {
    const int signal = WIFSIGNALED(status_) ? WTERMSIG(status_) : 0;
    if (is_late_ || signal == SIGXCPU) {
      return "takes longer than a picture of its size";
    }
    if (signal != 0) {
      return fmt::format("ended by signal {} ({})", signal, ::sigdescr_np(signal));
    }
    return fmt::format("ended with exit code {}", WEXITSTATUS(status_));
  }

  // Returns a line of /proc/PID/status in bytes; 0 if it cannot be read.
  std::uint64_t statistic(std::string_view name) const {
    std::ifstream lines(fmt::format("/proc/{}/status", id_));
    for (std::string word; lines >> word;) {
      std::uint64_t kilobytes = 0;
      if (word == name && lines >> kilobytes) return kilobytes << 10U;
    }
    return 0;
  }

  void limit(__rlimit_resource resource, std::uint64_t most) const {
    rlimit now{};
    if (::prlimit(id_, resource, nullptr, &now) != 0) return;
    now.rlim_cur = std::min<rlim_t>(most, now.rlim_max);
    ::prlimit(id_, resource, &now, nullptr);
  }

  void limit_memory(std::uint64_t bytes) const {
    if (!kLimitsMemory || memory_at_rest_ == 0) return;
    limit(RLIMIT_DATA, memory_at_rest_ + bytes);
    limit(RLIMIT_AS, addresses_at_rest_ + 2 * bytes + kSpareAddresses);
    limit(RLIMIT_FSIZE, bytes);
  }

  void limit_time(double seconds) const {
    clockid_t clock{};
    timespec used{};
    if (::clock_getcpuclockid(id_, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return;
    limit(RLIMIT_CPU,
          static_cast<std::uint64_t>(used.tv_sec) + static_cast<std::uint64_t>(seconds) + 1);
  }

  std::string name_;
  FileDescriptor socket_;
  ::pid_t id_ = 0;  // 0 once it has ended
  int status_ = 0;
  bool is_late_ = false;
  std::uint64_t memory_at_rest_ = 0;
  std::uint64_t addresses_at_rest_ = 0;
};

ReaderProcess::ReaderProcess(std::string module) : module_(std::move(module)) {}

ReaderProcess::~ReaderProcess() = default;

ReaderProcess::Process& ReaderProcess::running() {
  if (!process_ || !process_->is_alive() || answers_ == kMostAnswers) {
    process_.reset();
    failed_starts().check(module_);
    const auto begin = Clock::now();
    try {
      process_ = std::make_unique<Process>(module_);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kInternal) failed_starts().add(module_, begin, error.what());
      throw;
    }
    answers_ = 0;
  }
  ++answers_;
  return *process_;
}

std::optional<ImageHeader> ReaderProcess::read_header(std::span<const std::uint8_t> file,
                                                      std::string& problem) {
  FileDescriptor none;
  const auto answer = running().ask({.task = ReaderTask::kHeader}, file, 0, none, problem);
  if (!answer) return std::nullopt;
  return ImageHeader{.width = answer->width,
                     .height = answer->height,
                     .has_alpha = answer->has_alpha != 0,
                     .premultiplied = answer->premultiplied != 0};
}

cv::Mat ReaderProcess::read(std::span<const std::uint8_t> file, const ImageHeader& header,
                            PixelMode mode, int divisor, std::string& problem) {
  FileDescriptor rows;
  const std::uint64_t pixels = header.width * header.height;
  const auto answer = running().ask(
      {.task = ReaderTask::kPixels, .mode = static_cast<std::uint32_t>(mode), .divisor = divisor},
      file, pixels, rows, problem);
  if (!answer) return {};
  const int depth = CV_MAT_DEPTH(answer->type);
  const bool is_picture = answer->rows > 0 && answer->columns > 0 && answer->type >= 0 &&
                          answer->type == CV_MAT_TYPE(answer->type) &&
                          CV_MAT_CN(answer->type) <= 4 && depth <= CV_64F;
  const auto shown = static_cast<std::uint64_t>(std::max(answer->rows, 0)) *
                     static_cast<std::uint64_t>(std::max(answer->columns, 0));
  if (!is_picture || shown > pixels) {
    problem = kOtherSize;
    return {};
  }
  problem = text_of(*answer);
  cv::Mat image(answer->rows, answer->columns, answer->type);
  if (read_all(rows, {image.data, image.total() * image.elemSize()})) return image;
  problem = "the reader gave fewer pixels than it announced";
  return {};
}

std::vector<MetadataEntry> ReaderProcess::read_metadata(std::span<const std::uint8_t> file,
                                                        std::string& problem) {
  FileDescriptor attached;
  const auto answer = running().ask({.task = ReaderTask::kMetadata}, file, 0, attached, problem);
  if (!answer) return {};
  problem = text_of(*answer);
  std::vector<std::uint8_t> bytes(
      std::min<std::uint64_t>(answer->metadata_bytes, kMostMetadataBytes));
  std::vector<MetadataEntry> entries;
  constexpr std::size_t kHead = 8;
  const bool is_read = read_all(attached, bytes);
  ByteSpan rest = bytes;
  while (is_read && rest.size() >= kHead) {
    const std::uint64_t field = little_endian(rest, 0, 4);
    const std::uint64_t length = little_endian(rest, 4, 4);
    if (field > static_cast<std::uint64_t>(MetadataField::kOther) || length > rest.size() - kHead) {
      break;
    }
    const ByteSpan text = rest.subspan(kHead, length);
    entries.push_back({static_cast<MetadataField>(field), {text.begin(), text.end()}});
    rest = from(rest, kHead + length);
  }
  if (!is_read || !rest.empty()) problem = "the reader gave less than it announced";
  return entries;
}

}  // namespace lookalike
