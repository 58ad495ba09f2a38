#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/matrix_view.h"
#include "kernels/assign/assign.h"
#include "kernels/session/session.h"
#include "storage/row_file.h"

namespace lookalike {

// Finds the nearest word of each feature [n][d] of a file, in one set of words after another. Sends
// as many features as fit to the device once, the rest for each search; a search that needs the
// room evicts them. On a CPU, whose memory is the host's, 16 MiB of features stay.
class ResidentFeatures {
 public:
  ResidentFeatures(OpenClSession& session, const RowFile& features);

  // Finds the nearest of the words [k][d] to each feature, as WordAssigner::assign() does, in
  // batches of at most RowFile::kBatchRows features. Calls before() before each batch, and visit()
  // with its first feature and its answer. Throws as WordAssigner, RowFile and both functions.
  using Visit = std::function<void(std::size_t first, const Assignment& nearest)>;
  void nearest(MatrixView<const float> words, const std::function<void()>& before,
               const Visit& visit);

 private:
  Assignment nearest_in_batch(WordAssigner& assigner, std::size_t batch);
  bool keep(MatrixView<const float> rows);
  template <typename Work>
  auto with_room(const Work& work);

  OpenClSession& session_;
  const RowFile& features_;
  std::size_t max_batches_;                  // on the device
  std::vector<DeviceDescriptors> resident_;  // the first batches
};

}  // namespace lookalike
