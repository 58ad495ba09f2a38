#include "tools/benchmark/faiss_peers.h"

#ifdef LOOKALIKE_FAISS
#include <faiss/IndexFlat.h>
#include <omp.h>

#include "kernels/assign/synthetic_descriptors.h"
#include "tools/benchmark/least_time.h"
#endif

namespace lookalike {

#ifdef LOOKALIKE_FAISS
namespace {

double search_ms(const Workload& workload, double budget_ms) {
  const TuningSizes sizes = workload.all_sizes();
  const std::size_t n = sizes.at("descriptors");
  const std::size_t d = sizes.at("dimensions");
  const std::vector<float> words = synthetic_descriptors(sizes.at("words"), d, 1);
  const std::vector<float> descriptors = synthetic_descriptors(n, d, 2);
  using Index = faiss::Index::idx_t;
  faiss::IndexFlatL2 index(static_cast<Index>(d));
  index.add(static_cast<Index>(words.size() / d), words.data());
  std::vector<float> distances(n);
  std::vector<Index> labels(n);
  return least_ms(budget_ms, [&] {
    index.search(static_cast<Index>(n), descriptors.data(), 1, distances.data(), labels.data());
  });
}

}  // namespace

std::vector<Peer> faiss_peers(const Workload& workload) {
  if (workload.kernel != "assign") return {};
  return {{"FAISS IndexFlatL2, " + std::to_string(omp_get_max_threads()) + " threads",
           [workload](double budget_ms) { return search_ms(workload, budget_ms); }}};
}
#else
std::vector<Peer> faiss_peers(const Workload& /*workload*/) {
  return {};
}
#endif

}  // namespace lookalike
