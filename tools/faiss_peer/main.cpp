// Times FAISS's exact search for `lookalike bench`. A program by itself, so that lookalike needs
// neither FAISS nor its BLAS library, wherever it was built.

#include <cstddef>
#include <faiss/IndexFlat.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/main_guard.h"
#include "kernels/assign/synthetic_descriptors.h"
#include "tools/benchmark/least_time.h"
#include "tools/command_line/command_line.h"

namespace lookalike {
namespace {

struct Arguments {
  std::size_t words = 0;
  std::size_t descriptors = 0;
  std::size_t dimensions = 0;
  double budget_ms = 0;
};

void add_arguments(CLI::App& app, Arguments& arguments) {
  app.add_option("WORDS", arguments.words, "Visual words to search in")->required();
  app.add_option("DESCRIPTORS", arguments.descriptors, "How many to find the nearest word of")
      ->required();
  app.add_option("DIMENSIONS", arguments.dimensions, "Numbers of each")->required();
  app.add_option("BUDGET", arguments.budget_ms, "About how long to measure, ms")->required();
}

double search_ms(const Arguments& arguments) {
  using Index = faiss::Index::idx_t;
  const auto n = static_cast<Index>(arguments.descriptors);
  const std::vector<float> words = synthetic_descriptors(arguments.words, arguments.dimensions, 1);
  const std::vector<float> descriptors =
      synthetic_descriptors(arguments.descriptors, arguments.dimensions, 2);
  faiss::IndexFlatL2 index(static_cast<Index>(arguments.dimensions));
  index.add(static_cast<Index>(arguments.words), words.data());
  std::vector<float> distances(arguments.descriptors);
  std::vector<Index> labels(arguments.descriptors);
  return least_ms(arguments.budget_ms,
                  [&] { index.search(n, descriptors.data(), 1, distances.data(), labels.data()); });
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike-faiss-peer", [&] {
    CLI::App app(
        "Times FAISS's IndexFlatL2 for lookalike bench: the least time of a search, in ms.",
        "lookalike-faiss-peer");
    lookalike::Arguments arguments;
    lookalike::add_arguments(app, arguments);
    if (!lookalike::parse_command_line(app, argc, argv)) return 0;
    fmt::print("{}\n", lookalike::search_ms(arguments));
    return 0;
  });
}
