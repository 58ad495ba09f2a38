#include "kernels/assign/matrix_units.h"

#include <vector>

#include "kernels/assign/assign.h"
#include "kernels/assign/synthetic_descriptors.h"
#include "kernels/assign/word_search.h"

namespace lookalike {
namespace {

// A small problem that fills no tile.
bool finds_nearest_words(OpenClSession& session) {
  constexpr std::size_t kDimensions = 64;
  const std::vector<float> words = synthetic_descriptors(77, kDimensions, 1);
  const std::vector<float> descriptors = synthetic_descriptors(50, kDimensions, 2);
  const MatrixView<const float> word_view(words, kDimensions);
  const MatrixView<const float> view(descriptors, kDimensions);
  Assignment found{std::vector<std::uint32_t>(view.rows()), std::vector<float>(view.rows())};
  const SearchBatch batch = {view.rows(), 1, session.upload<float>(descriptors),
                             session.allocate(view.rows() * sizeof(cl_uint)),
                             session.allocate(view.rows() * sizeof(float))};
  make_scored_search(session, word_view, AssignKernel::kMatrix)->search(batch);
  session.read<std::uint32_t>(batch.words, found.words);
  session.read<float>(batch.squared_distances, found.squared_distances);
  return is_nearest(word_view, view, 1, found);
}

}  // namespace

bool has_matrix_units(OpenClSession& session) {
  if (!session.device().is_nvidia()) return false;
  return session.supports("matrix units", [&] { return finds_nearest_words(session); });
}

}  // namespace lookalike
