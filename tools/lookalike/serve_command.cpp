#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <unistd.h>

#include "base/parallel.h"
#include "base/path_set.h"
#include "base/program.h"
#include "pipeline/duplicates/act_run.h"
#include "pipeline/searcher.h"
#include "tools/lookalike/commands.h"
#include "tools/serve/api.h"
#include "tools/serve/listener.h"
#include "tools/serve/qr_code.h"

namespace lookalike {
namespace {

constexpr std::chrono::milliseconds kBetweenStopChecks{50};
// Time for requests to arrive once the server stops.
constexpr double kArrivalSeconds = 2;
// Maximum size of all bodies in memory, in bodies of the largest size.
constexpr std::size_t kLargestBodies = 4;

std::atomic<bool> is_hung_up = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // a handler may use it

// Keeps SIGHUP from ending the program.
void catch_hang_up() {
  struct sigaction action {};
  action.sa_handler = [](int) { is_hung_up = true; };
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGHUP, &action, nullptr);
}

// Waits for a signal that ends the server. With a terminal, that includes SIGHUP, which says that
// the terminal was closed; a service only logs it.
void wait_for_stop(StopSignal& stop, bool has_terminal) {
  while (stop.received() == 0) {
    std::this_thread::sleep_for(kBetweenStopChecks);
    if (!is_hung_up.exchange(false)) continue;
    if (has_terminal) return;
    spdlog::warn("SIGHUP: the configuration is read only at the start; restart to change it");
  }
}

struct ServeArguments : ComputeArguments {
  explicit ServeArguments(CLI::App& command) : ComputeArguments(command) {
    config.add_databases();
    config.add(
        {"serve.listen", "serve.hosts", "serve.token_file", "match.mirror", "device.choice"});
  }
};

HttpLimits limits_of(const ServeOptions& options) {
  const std::size_t body = std::size_t{options.max_body_mib} << 20;
  return {.body_bytes = body,
          .bodies_bytes = kLargestBodies * body,
          .connections = options.max_connections,
          .queue = options.queue,
          .workers = core_count(),
          .request_seconds = static_cast<double>(options.request_seconds)};
}

AccessRules rules_of(const Listener& listener, bool is_handed_over, const ServeOptions& options) {
  AccessRules rules;
  for (const std::string& host : options.hosts) {
    rules.hosts.push_back(host_name(host));
    if (!rules.hosts.back().empty()) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("serve.hosts: must be names or addresses without a scheme, IPv6 in "
                            "brackets, was \"{}\"",
                            printable(host)));
  }
  if (listener.is_local()) return rules;
  if (is_handed_over && options.token_file.empty()) {
    throw Error(ErrorKind::kUsage,
                "serve.token_file: a network socket of systemd needs one, as a token that is "
                "printed ends up in the journal");
  }
  rules.hosts.push_back(listener.address());
  // Only names can be made to resolve to another machine.
  for (std::string& address : listener.outer_addresses()) rules.hosts.push_back(std::move(address));
  rules.token = options.token_file.empty() ? random_token() : read_token(options.token_file);
  return rules;
}

void warn_of_network(const Listener& listener) {
  if (listener.is_local() || listener.is_loopback()) return;
  spdlog::warn(
      "{} is open to other machines, and photos and the token travel unencrypted: put a proxy with "
      "TLS in front",
      listener.address());
}

// Returns the part of a URL that gives the page its token.
std::string fragment_of(const std::string& token) {
  std::string text = "#token=";
  for (const char c : token) {
    const auto byte = static_cast<unsigned char>(c);
    text += std::isalnum(byte) != 0 ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return text;
}

// Prints the URLs of the page, each on a line: the one for this machine, then those for others. On
// a terminal a QR code of the first of the latter follows, with the token, also one from a file.
//   base  serve.base
void print_urls(const Listener& listener, const std::string& base, const std::string& token,
                bool shows_token) {
  if (listener.is_local()) {
    fmt::print("{}\n", listener.url());
    return flush_output();
  }
  const std::string end = base + "/" + (shows_token ? fragment_of(token) : std::string());
  fmt::print("{}{}\n", listener.url(), end);
  std::vector<std::string> outer;
  for (const std::string& address : listener.outer_addresses()) {
    outer.push_back(fmt::format("http://{}:{}", address, listener.port()));
    if (outer.back() != listener.url()) fmt::print("{}{}\n", outer.back(), end);
  }
  if (!outer.empty() && ::isatty(STDOUT_FILENO) == 1) {
    fmt::print("{}", qr_code(outer.front() + base + "/" + fragment_of(token)));
  }
  flush_output();
}

// Throws Error(kUsage) for a folder of serve.move_to in which the next run would index the files
// again.
void check_serve_actions(const AccessRules& rules, const RunConfig& config) {
  if (!config.serve.allow_actions) return;
  if (rules.token.empty()) {
    spdlog::warn("serve.allow_actions: a Unix socket has no token, so files are not acted on");
  }
  if (config.serve.move_to.empty()) return;
  const auto objection = objection_to_folder(
      normal_path(config.serve.move_to), IndexReader(searched_databases(config)), config.images);
  if (objection) throw Error(ErrorKind::kUsage, "serve.move_to: " + *objection);
}

// Requires serve.base to be the path of a folder in a URL, and removes slashes at its end.
void check_base(std::string& base) {
  while (base.ends_with('/')) base.pop_back();
  if (base.empty()) return;
  const bool has_form = std::ranges::all_of(base, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '/' || c == '-' || c == '_' || c == '~' || c == '.';
  });
  const bool is_normal = base.starts_with('/') && normal_path(base) == base;
  if (has_form && is_normal) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("serve.base: must be a path such as /lookalike, of letters, digits, '-', "
                          "'_', '~' and '.', was \"{}\"",
                          printable(base)));
}

int serve(const ServeArguments& arguments, RunConfig config, Progress::Style /*style*/) {
  StopSignal stop;
  const bool has_terminal = ::isatty(STDIN_FILENO) == 1;
  catch_hang_up();
  arguments.config.existing_database(config);
  check_base(config.serve.base);
  std::optional<Listener> handed_over = Listener::from_systemd();
  const bool is_handed_over = handed_over.has_value();
  Listener listener = handed_over ? *std::move(handed_over) : Listener(config.serve.listen);
  const AccessRules rules = rules_of(listener, is_handed_over, config.serve);
  warn_of_network(listener);
  check_serve_actions(rules, config);
  Api api(config, rules);
  const auto server = start_http_server(listener.duplicate(), limits_of(config.serve), api);
  print_urls(listener, config.serve.base, rules.token, config.serve.token_file.empty());
  spdlog::info("serving on {}; stop with Ctrl-C", api.device().name);
  const auto start = std::chrono::steady_clock::now();
  wait_for_stop(stop, has_terminal);
  const std::chrono::duration<double, std::ratio<3600>> hours =
      std::chrono::steady_clock::now() - start;
  spdlog::info("stopping after {:.1f} h and {} requests", hours.count(), api.answered());
  listener.close();
  if (!server->stop(kArrivalSeconds)) {
    // The worker is in a library that does not look at the time. It writes nothing, or has a log.
    spdlog::warn("a request was still in work");
    flush_output();
    std::_Exit(kExitDone);
  }
  return kExitDone;
}

}  // namespace

void add_serve_command(CLI::App& app, Action& action) {
  add_command(app, action, "serve", "Serve a web page and a JSON API that look photos up",
              "Output: the URL to open, with the token that requests must carry. Further lines "
              "are URLs for other machines, and on a terminal a QR code for a phone, if --listen "
              "is open to them. Without --token-file, each run makes a new token. A Unix socket "
              "needs none.\n"
              "The page shows what a photo shows, and the index's images, groups, runs and "
              "quarantine. Answers follow the index within seconds of a run's publishing. SIGTERM "
              "and Ctrl-C give the requests under way 3 seconds; the exit code is 0. SIGHUP is "
              "ignored; when the terminal is closed, the server ends in the same way.\n"
              "Sockets that systemd passes take precedence over --listen. docs/serve.md describes "
              "the API, and proxies for other machines.\n"
              "Example: lookalike serve -d photos.db\n"
              "         lookalike serve -d photos.db --listen unix:$HOME/serve.sock",
              serve);
}

}  // namespace lookalike
