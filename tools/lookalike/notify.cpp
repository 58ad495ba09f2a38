#include "tools/lookalike/notify.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <exception>
#include <spawn.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "pipeline/answers.h"
#include "pipeline/index/run_record.h"
#include "tools/command_line/command_line.h"

namespace lookalike {
namespace {

constexpr const char* kCommandKey = "notify.command";
constexpr const char* kUrlKey = "notify.url";
constexpr std::size_t kMaxFilesNamed = 100;
constexpr auto kPollInterval = std::chrono::milliseconds(20);

void require_success(int error, const char* what) {
  if (error == 0) return;
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
  if (!is_written) require_success(errno, "its input cannot be written");
  return file;
}

// Returns this process's environment with some variables replaced.
std::vector<std::string> environment_with(const std::vector<std::string>& settings) {
  std::vector<std::string> result = settings;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view variable = *each;
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    const auto is_same = [&](const std::string& setting) { return setting.starts_with(name); };
    if (std::ranges::none_of(settings, is_same)) result.emplace_back(variable);
  }
  return result;
}

// Starts a program in a process group of its own, with its output on stderr. Returns its number.
//   words  its name, searched for as a shell does, and its arguments
pid_t start(std::vector<std::string> words, const std::vector<std::string>& environment,
            int input) {
  posix_spawn_file_actions_t files;
  require_success(::posix_spawn_file_actions_init(&files), "cannot be started");
  posix_spawnattr_t attributes;
  require_success(::posix_spawnattr_init(&attributes), "cannot be started");
  ::posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);

  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::vector<std::string> texts = environment;
  std::vector<char*> variables;
  variables.reserve(texts.size() + 1);
  for (std::string& text : texts) variables.push_back(text.data());
  variables.push_back(nullptr);
  pid_t process = 0;
  const int error = ::posix_spawnp(&process, words.front().c_str(), &files, &attributes,
                                   arguments.data(), variables.data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  require_success(error, (words.front() + " cannot be started").c_str());
  return process;
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
  const pid_t process =
      start({"/bin/sh", "-c", config.notify.command},
            environment_with({fmt::format("LOOKALIKE_OUTCOME={}", outcome),
                              fmt::format("LOOKALIKE_SUMMARY={}", printable(summary)),
                              fmt::format("{}={}", kDatabaseVariable, database)}),
            input.number());
  wait_for(process, std::chrono::seconds(config.notify.seconds), kCommandKey);
}

void request_url(const RunConfig& config, const char* outcome) {
  const FileDescriptor input = file_with({});
  const pid_t process = start(
      {"curl", "--silent", "--show-error", "--fail", "--location", "--retry", "2", "--output",
       "/dev/null", "--proto", "=http,https", "--url", heartbeat_url(config.notify.url, outcome)},
      environment_with({}), input.number());
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
