#include <memory>

#include "tools/peers/peers.h"

#ifdef LOOKALIKE_FAISS
#include <faiss/IndexFlat.h>

#include "kernels/inputs.h"
#endif

namespace lookalike {

#ifdef LOOKALIKE_FAISS
namespace {

using Label = faiss::Index::idx_t;

struct Search {
  Search(std::size_t words, std::size_t count, std::size_t dimensions)
      : index(static_cast<Label>(dimensions)),
        descriptors(synthetic_descriptors(count, dimensions, 2)),
        distances(count),
        labels(count) {
    index.add(static_cast<Label>(words), synthetic_descriptors(words, dimensions, 1).data());
  }
  void run() {
    index.search(static_cast<Label>(labels.size()), descriptors.data(), 1, distances.data(),
                 labels.data());
  }
  faiss::IndexFlatL2 index;
  std::vector<float> descriptors;
  std::vector<float> distances;
  std::vector<Label> labels;
};

}  // namespace

std::vector<Peer> faiss_peers(const KernelCase& problem) {
  if (problem.kernel != "assign") return {};
  const auto prepare = [sizes = problem.all_sizes()]() -> std::function<void()> {
    const auto search = std::make_shared<Search>(sizes.at("words"), sizes.at("descriptors"),
                                                 sizes.at("dimensions"));
    return [search] { search->run(); };
  };
  return {{"FAISS IndexFlatL2, all threads", prepare}};
}
#else
std::vector<Peer> faiss_peers(const KernelCase& /*problem*/) {
  return {};
}
#endif

}  // namespace lookalike
