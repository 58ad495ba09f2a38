#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <unistd.h>

#include "base/parallel.h"
#include "base/program.h"
#include "tools/lookalike/commands.h"
#include "tools/serve/api.h"
#include "tools/serve/listener.h"

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
    config.add({"serve.listen", "serve.token_file", "match.mirror", "device.choice"});
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
  rules.token = options.token_file.empty() ? random_token() : read_token(options.token_file);
  return rules;
}

void warn_of_network(const Listener& listener, const std::vector<std::string>& hosts) {
  if (listener.is_local() || listener.is_loopback()) return;
  spdlog::warn(
      "{} is open to other machines, and photos and the token travel unencrypted: put a proxy with "
      "TLS in front",
      listener.address());
  if (!listener.is_any() || !hosts.empty()) return;
  char name[256] = {};
  const bool is_named = ::gethostname(name, sizeof name - 1) == 0;
  spdlog::warn(
      "requests for names and addresses other than localhost are refused until serve.hosts lists "
      "them, such as --set 'serve.hosts=[\"{}\"]'",
      is_named ? printable(name) : "photos.example.org");
}

int serve(const ServeArguments& arguments, RunConfig config, Progress::Style /*style*/) {
  StopSignal stop;
  const bool has_terminal = ::isatty(STDIN_FILENO) == 1;
  catch_hang_up();
  arguments.config.existing_database(config);
  std::optional<Listener> handed_over = Listener::from_systemd();
  const bool is_handed_over = handed_over.has_value();
  Listener listener = handed_over ? *std::move(handed_over) : Listener(config.serve.listen);
  const AccessRules rules = rules_of(listener, is_handed_over, config.serve);
  warn_of_network(listener, config.serve.hosts);
  Api api(config, rules);
  const auto server = start_http_server(listener.duplicate(), limits_of(config.serve), api);
  const bool shows_token = !rules.token.empty() && config.serve.token_file.empty();
  fmt::print("{}{}\n", listener.url(),
             listener.is_local() ? ""
             : shows_token       ? fmt::format("/#token={}", rules.token)
                                 : "/");
  flush_output();
  spdlog::info("serving on {}; stop with Ctrl-C", api.device().name);
  wait_for_stop(stop, has_terminal);
  listener.close();
  if (!server->stop(kArrivalSeconds)) {
    // The worker is in a library that does not look at the time. It writes nothing.
    spdlog::warn("a request was still in work");
    flush_output();
    std::_Exit(kExitDone);
  }
  return kExitDone;
}

}  // namespace

void add_serve_command(CLI::App& app, Action& action) {
  add_command(app, action, "serve", "Serve a web page and a JSON API that look photos up",
              "Output: the URL to open, with the token that requests must carry; one line. Without "
              "--token-file, each run makes a new token. A Unix socket needs none.\n"
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
