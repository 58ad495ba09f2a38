#include "tools/benchmark/faiss_peers.h"

#include <charconv>
#include <string>
#include <system_error>

#include "tools/benchmark/program_output.h"

namespace lookalike {
namespace {

double number_of(const std::string& line, const std::string& program) {
  double ms = 0;
  const char* end = line.data() + line.size();
  const auto [stop, status] = std::from_chars(line.data(), end, ms);
  if (status != std::errc() || stop + 1 != end || *stop != '\n') {
    throw Error(ErrorKind::kInput, program + ": expected one number, was '" + line + "'");
  }
  return ms;
}

}  // namespace

std::vector<Peer> faiss_peers(const Workload& workload, const std::filesystem::path& program) {
  if (workload.kernel != "assign") return {};
  Peer peer{.name = "FAISS IndexFlatL2, all threads"};
  std::error_code unknown;
  if (!std::filesystem::exists(program, unknown)) {
    peer.note = "not installed";
    return {peer};
  }
  peer.measure = [sizes = workload.all_sizes(), path = program.string()](double budget_ms) {
    std::vector<std::string> command = {path};
    for (const char* size : {"words", "descriptors", "dimensions"}) {
      command.push_back(std::to_string(sizes.at(size)));
    }
    command.push_back(std::to_string(budget_ms));
    return number_of(program_output(command), path);
  };
  return {peer};
}

}  // namespace lookalike
