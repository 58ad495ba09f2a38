// Nearest visual words: ours against FAISS IndexFlatL2, the runs interleaved.
//   assign_vs_faiss [n] [k] [d] [rounds]
// Every run starts from descriptors in host memory and ends with words in host memory.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <faiss/IndexFlat.h>
#include <functional>
#include <string>
#include <vector>

#include "kernels/assign/assign.h"
#include "kernels/assign/synthetic_descriptors.h"

namespace lookalike {
namespace {

struct Sizes {
  std::size_t n = 100'000;
  std::size_t k = 4096;
  std::size_t d = 64;
  std::size_t rounds = 7;
};

struct Contender {
  std::string name;
  std::function<std::vector<std::uint32_t>()> run;
  std::vector<std::uint32_t> words{};
  std::vector<double> times_ms{};
};

// Rows where two answers differ, by whose word is nearer in double precision.
struct Mismatches {
  std::size_t total = 0;
  std::size_t ours_nearer = 0;
  std::size_t peer_nearer = 0;
  double worst_relative = 0;  // by how much our word is farther, at most
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void time_once(Contender& contender) {
  const auto start = std::chrono::steady_clock::now();
  contender.words = contender.run();
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  contender.times_ms.push_back(elapsed.count());
}

Mismatches compare(MatrixView<const float> words, MatrixView<const float> descriptors,
                   const std::vector<std::uint32_t>& ours, const std::vector<std::uint32_t>& peer) {
  Mismatches result;
  for (std::size_t row = 0; row < descriptors.rows(); ++row) {
    if (ours[row] == peer[row]) continue;
    ++result.total;
    const double our_distance =
        squared_distance_reference(descriptors.row(row), words.row(ours[row]));
    const double peer_distance =
        squared_distance_reference(descriptors.row(row), words.row(peer[row]));
    if (our_distance < peer_distance) ++result.ours_nearer;
    if (peer_distance < our_distance) ++result.peer_nearer;
    result.worst_relative = std::max(result.worst_relative, our_distance / peer_distance - 1);
  }
  return result;
}

std::vector<std::uint32_t> search_peer(const faiss::IndexFlatL2& index,
                                       MatrixView<const float> descriptors) {
  std::vector<float> distances(descriptors.rows());
  std::vector<faiss::Index::idx_t> labels(descriptors.rows());
  index.search(static_cast<faiss::Index::idx_t>(descriptors.rows()), descriptors.data(), 1,
               distances.data(), labels.data());
  return {labels.begin(), labels.end()};
}

void print_table(const Sizes& sizes, MatrixView<const float> words,
                 MatrixView<const float> descriptors, const std::vector<Contender>& contenders) {
  const double operations = 2.0 * static_cast<double>(sizes.n * sizes.k * sizes.d);
  const Contender& peer = contenders.front();
  std::printf("%-8s %10s %10s %8s %10s %12s %12s %14s\n", "kernel", "ms", "GFLOP/s", "ratio",
              "mismatches", "ours nearer", "peer nearer", "worst relative");
  for (const Contender& contender : contenders) {
    const Mismatches mismatches = compare(words, descriptors, contender.words, peer.words);
    const double ms = median(contender.times_ms);
    std::printf("%-8s %10.1f %10.1f %8.2f %10zu %12zu %12zu %14.1e\n", contender.name.c_str(), ms,
                operations / ms * 1e-6, median(peer.times_ms) / ms, mismatches.total,
                mismatches.ours_nearer, mismatches.peer_nearer, mismatches.worst_relative);
  }
}

void run(const Sizes& sizes) {
  const std::vector<float> word_values = synthetic_descriptors(sizes.k, sizes.d, 1);
  const std::vector<float> descriptor_values = synthetic_descriptors(sizes.n, sizes.d, 2);
  const MatrixView<const float> words(word_values, sizes.d);
  const MatrixView<const float> descriptors(descriptor_values, sizes.d);

  faiss::IndexFlatL2 index(static_cast<faiss::Index::idx_t>(sizes.d));
  index.add(static_cast<faiss::Index::idx_t>(sizes.k), words.data());
  OpenClSession session;
  WordAssigner assigner(session, words);
  std::vector<Contender> contenders = {
      {"faiss", [&] { return search_peer(index, descriptors); }},
      {std::string(to_string(assigner.kernel())),
       [&] { return assigner.assign(descriptors).words; }},
  };
  std::printf("%s; n = %zu, k = %zu, d = %zu, median of %zu interleaved runs\n",
              session.device().name.c_str(), sizes.n, sizes.k, sizes.d, sizes.rounds);
  for (Contender& contender : contenders) {
    time_once(contender);  // compiles, and warms the caches
    contender.times_ms.clear();
  }
  for (std::size_t round = 0; round < sizes.rounds; ++round) {
    for (Contender& contender : contenders) time_once(contender);
  }
  print_table(sizes, words, descriptors, contenders);
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  lookalike::Sizes sizes;
  const std::array<std::size_t*, 4> fields = {&sizes.n, &sizes.k, &sizes.d, &sizes.rounds};
  for (int i = 1; i < argc && i <= 4; ++i) {
    *fields[static_cast<std::size_t>(i - 1)] = std::strtoull(argv[i], nullptr, 10);
  }
  lookalike::run(sizes);
}
