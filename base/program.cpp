#include "base/program.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <unistd.h>
#include <utility>

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/parallel.h"
#include "base/terminal.h"
#include "base/text.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace lookalike {
namespace {

std::atomic<bool> own_process = false;

std::atomic<int> first_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);  // a handler may use it

void take_signal(int signal) {
  int none = 0;
  if (first_signal.compare_exchange_strong(none, signal)) return;
  ::signal(signal, SIG_DFL);
  ::raise(signal);  // arrives when this returns
}

spdlog::level::level_enum level_of(Verbosity verbosity) {
  return verbosity == Verbosity::kQuiet     ? spdlog::level::warn
         : verbosity == Verbosity::kVerbose ? spdlog::level::debug
                                            : spdlog::level::info;
}

// Limits glibc's malloc to one arena per core. Freed memory stays in its arena, and each phase of a
// run starts new threads, so arenas of earlier phases keep memory that later ones cannot use.
// Indexing 500 photos on two cores peaked at 338 MB with glibc's limit of 8 arenas per core, at 287
// with one per core, and at 242 with a single one, in the same time. One per core still gives each
// running thread its own.
void share_arenas() {
#ifdef __GLIBC__
  ::mallopt(M_ARENA_MAX, static_cast<int>(core_count()));
#endif
}

std::atomic<bool> is_in_body = false;
std::mutex last_words_mutex;
std::function<void()> last_words;  // guarded by it

#ifdef __GLIBC__
void end_if_in_body(int code, void* /*nothing*/) {
  if (!is_in_body.exchange(false)) return;
  std::function<void()> words;
  {
    const std::lock_guard lock(last_words_mutex);
    words = last_words;
  }
  logger()->error("a library has ended the program, with exit code {}", code);
  if (words) words();
  std::fflush(nullptr);
  ::_exit(exit_code(ErrorKind::kDevice));
}
#endif

// True while a body runs.
class InBody {
 public:
  InBody() {
#ifdef __GLIBC__
    logger();  // made before the handler is registered, it outlives it
    [[maybe_unused]] static const int registered = ::on_exit(end_if_in_body, nullptr);
#endif
    is_in_body = true;
  }
  ~InBody() {
    is_in_body = false;
  }
  InBody(const InBody&) = delete;
  InBody& operator=(const InBody&) = delete;
};

void print_error(std::string_view program, const char* what) {
  std::fprintf(stderr, "%.*s: error: %s\n", static_cast<int>(program.size()), program.data(),
               printable_message(what).c_str());
}

// The text of a log line, for its pattern.
class PrintableText : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& line, const std::tm& /*time*/,
              spdlog::memory_buf_t& to) override {
    const std::string text = printable_message({line.payload.data(), line.payload.size()});
    to.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
    return std::make_unique<PrintableText>();
  }
};

}  // namespace

std::shared_ptr<spdlog::logger>& logger() {
  static std::shared_ptr<spdlog::logger> assigned = spdlog::default_logger();
  return assigned;
}

void set_up_logging(Verbosity verbosity) {
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  sink->set_color_mode(use_colour(stderr) ? spdlog::color_mode::always : spdlog::color_mode::never);
  logger() = std::make_shared<spdlog::logger>("lookalike", std::move(sink));
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PrintableText>('*').set_pattern("%^%l%$: %*");
  logger()->set_formatter(std::move(formatter));
  logger()->set_level(level_of(verbosity));
  spdlog::set_default_logger(logger());
}

void log_result(const std::string& line) {
  const spdlog::level::level_enum level = logger()->level();
  logger()->set_level(std::min(level, spdlog::level::info));
  logger()->info(line);
  logger()->set_level(level);
}

int run_main(std::string_view program, const std::function<int()>& body) noexcept {
  share_arenas();
  own_process = true;
  const InBody in_body;
  try {
    set_up_logging(Verbosity::kNormal);  // until the command line is parsed
    return body();
  } catch (const Error& error) {
    print_error(program, error.what());
    return exit_code(error.kind());
  } catch (const std::bad_alloc&) {
    print_error(program,
                "out of memory: a smaller images.max_megapixels, images.max_file_mib or "
                "images.decode_threads needs less");
    return exit_code(ErrorKind::kDevice);
  } catch (const std::exception& error) {
    print_error(program, error.what());
  } catch (...) {
    print_error(program, "unknown exception");
  }
  return exit_code(ErrorKind::kInternal);
}

LastWords::LastWords(std::function<void()> words) {
  const std::lock_guard lock(last_words_mutex);
  before_ = std::exchange(last_words, std::move(words));
}

LastWords::~LastWords() {
  const std::lock_guard lock(last_words_mutex);
  last_words = std::move(before_);
}

void return_freed_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

bool is_own_process() {
  return own_process;
}

StopSignal::StopSignal() {
  first_signal = 0;
  struct sigaction action {};
  action.sa_handler = take_signal;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, &interrupt_before_);
  ::sigaction(SIGTERM, &action, &terminate_before_);
}

StopSignal::~StopSignal() {
  ::sigaction(SIGINT, &interrupt_before_, nullptr);
  ::sigaction(SIGTERM, &terminate_before_, nullptr);
  if (first_signal != 0 && !is_read_) ::raise(first_signal);
}

int StopSignal::received() {
  const int signal = first_signal;
  is_read_ = is_read_ || signal != 0;
  return signal;
}

std::string signal_name(int signal) {
  return signal == SIGINT ? "SIGINT" : "SIGTERM";
}

}  // namespace lookalike
