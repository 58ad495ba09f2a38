#include "tools/lookalike/notify.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <exception>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/files.h"
#include "base/start_program.h"
#include "base/text.h"
#include "pipeline/index/run_record.h"
#include "pipeline/json.h"
#include "tools/command_line/command_line.h"

namespace lookalike {
namespace {

constexpr const char* kCommandKey = "notify.command";
constexpr const char* kUrlKey = "notify.url";
constexpr std::size_t kMaxFilesNamed = 100;
constexpr auto kPollInterval = std::chrono::milliseconds(20);

[[noreturn]] void fail(const std::string& what, int error) {
  throw Error(ErrorKind::kStorage,
              fmt::format("{}: {}", what, std::generic_category().message(error)));
}

// Returns an unnamed file with the text, at its beginning.
FileDescriptor file_with(const std::string& text) {
  FileDescriptor file(::memfd_create("notify", MFD_CLOEXEC));
  const bool is_written =
      file.is_open() && move_all(text.size(), [&](std::size_t done, std::size_t left) {
        return ::pwrite(file.number(), text.data() + done, left, static_cast<off_t>(done));
      });
  if (!is_written) fail("its input cannot be written", errno);
  return file;
}

// Starts a program with its output on stderr. Returns its number.
//   words  its name, searched for as a shell does, and its arguments
pid_t start(const std::vector<std::string>& words, const FileDescriptor& input,
            std::vector<std::string> settings = {}) {
  const std::array descriptors = {input.number(), STDERR_FILENO, STDERR_FILENO};
  const auto process = start_program(words, descriptors, std::move(settings));
  if (!process) fail(words.front() + " cannot be started", errno);
  return *process;
}

// key: the setting that asked for the process.
void wait_for(pid_t process, std::chrono::seconds limit, const char* key) {
  const auto end = std::chrono::steady_clock::now() + limit;
  int status = 0;
  ::pid_t ended = 0;
  while ((ended = ::waitpid(process, &status, WNOHANG)) == 0) {
    if (std::chrono::steady_clock::now() >= end) {
      ::kill(-process, SIGKILL);
      ::waitpid(process, &status, 0);
      spdlog::warn("{} was killed after {} s (notify.seconds)", key, limit.count());
      return;
    }
    std::this_thread::sleep_for(kPollInterval);
  }
  if (ended < 0) {
    spdlog::warn("{}: how it ended is unknown", key);
  } else if (WIFSIGNALED(status)) {
    spdlog::warn("{} was ended by signal {}", key, WTERMSIG(status));
  } else if (WEXITSTATUS(status) != 0) {
    spdlog::warn("{} ended with exit code {}", key, WEXITSTATUS(status));
  }
}

Json files_json(const std::vector<SkippedFile>& skipped) {
  Json files = Json::array();
  for (std::size_t i = 0; i < std::min(kMaxFilesNamed, skipped.size()); ++i) {
    files.push_back({{"path", text_of_path(skipped[i].file.path)},
                     {"reason", skipped[i].reason},
                     {"detail", skipped[i].detail}});
  }
  return files;
}

void run_command(const RunConfig& config, const std::string& command, const char* outcome,
                 const std::string& summary, const Json& report,
                 const std::vector<SkippedFile>& newly_skipped) {
  const std::string& database = config.store.database;
  const Json message = {{"database", text_of_path(database)},
                        {"command", command},
                        {"outcome", outcome},
                        {"summary", summary},
                        {"report", report},
                        {"newly_skipped", files_json(newly_skipped)}};
  const FileDescriptor input = file_with(json_text(with_schema(message)) + '\n');
  const pid_t process = start({"/bin/sh", "-c", config.notify.command}, input,
                              {fmt::format("LOOKALIKE_OUTCOME={}", outcome),
                               fmt::format("LOOKALIKE_SUMMARY={}", printable(summary)),
                               fmt::format("{}={}", kDatabaseVariable, database)});
  wait_for(process, std::chrono::seconds(config.notify.seconds), kCommandKey);
}

void request_url(const RunConfig& config, const char* outcome) {
  const FileDescriptor input = file_with({});
  const pid_t process = start(
      {"curl", "--silent", "--show-error", "--fail", "--location", "--retry", "2", "--output",
       "/dev/null", "--proto", "=http,https", "--url", heartbeat_url(config.notify.url, outcome)},
      input);
  wait_for(process, std::chrono::seconds(config.notify.seconds), kUrlKey);
}

// Does both, whatever becomes of either.
void notify(const RunConfig& config, const std::string& command, const char* outcome,
            const std::string& summary, const Json& report,
            const std::vector<SkippedFile>& newly_skipped) noexcept {
  const auto warned = [](const char* key, const auto& work) {
    try {
      work();
    } catch (const std::exception& error) {
      spdlog::warn("{}: {}", key, error.what());
    }
  };
  if (!config.notify.command.empty()) {
    warned(kCommandKey,
           [&] { run_command(config, command, outcome, summary, report, newly_skipped); });
  }
  if (!config.notify.url.empty()) warned(kUrlKey, [&] { request_url(config, outcome); });
}

}  // namespace

std::string heartbeat_url(const std::string& url, const std::string& outcome) {
  const std::size_t query = std::min(url.find('?'), url.find('#'));
  std::string address = url.substr(0, query);
  if (outcome != "good") address += address.ends_with('/') ? "fail" : "/fail";
  const bool has_query = query != url.npos && url[query] == '?';
  if (has_query) address += url.substr(query, url.find('#') - query);
  return address + (has_query ? "&outcome=" : "?outcome=") + outcome;
}

void notify_of_run(const RunConfig& config, const std::string& command, const std::string& summary,
                   const IndexRunReport& report) noexcept {
  if (config.notify.command.empty() && config.notify.url.empty()) return;
  notify(config, command, outcome_of(report), summary, run_document(report), report.newly_skipped);
}

void notify_of_failure(const RunConfig& config, const std::string& command,
                       const std::string& error) noexcept {
  if (config.notify.command.empty() && config.notify.url.empty()) return;
  notify(config, command, "failed", "failed: " + error, {{"error", error}}, {});
}

}  // namespace lookalike
