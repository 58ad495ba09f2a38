#include "stages/codebook/resident_features.h"

#include <algorithm>
#include <memory>

namespace lookalike {
namespace {

constexpr std::size_t kHostBytes = std::size_t{16} << 20U;

std::size_t batches_of(const OpenClSession& session, const RowFile& features) {
  const std::size_t batch_bytes = RowFile::kBatchRows * features.cols() * sizeof(float);
  const std::size_t all = (features.rows() + RowFile::kBatchRows - 1) / RowFile::kBatchRows;
  return session.is_cpu() ? std::min(all, kHostBytes / batch_bytes) : all;
}

}  // namespace

ResidentFeatures::ResidentFeatures(OpenClSession& session, const RowFile& features)
    : session_(session), features_(features), max_batches_(batches_of(session, features)) {}

// Runs the work; when the device has no room for it, evicts the features and runs it again.
template <typename Work>
auto ResidentFeatures::with_room(const Work& work) {
  try {
    return work();
  } catch (const DeviceOutOfMemory&) {
    if (resident_.empty()) throw;
    resident_.clear();
    max_batches_ = 0;
    return work();
  }
}

bool ResidentFeatures::keep(MatrixView<const float> rows) {
  try {
    resident_.emplace_back(session_, rows);
    return true;
  } catch (const DeviceOutOfMemory&) {
    max_batches_ = resident_.size();
    return false;
  }
}

Assignment ResidentFeatures::nearest_in_batch(WordAssigner& assigner, std::size_t batch) {
  if (batch < resident_.size()) return assigner.nearest(resident_[batch], 1);
  const std::size_t first = batch * RowFile::kBatchRows;
  const std::vector<float> values =
      features_.read(first, std::min(RowFile::kBatchRows, features_.rows() - first));
  const MatrixView<const float> rows(values, features_.cols());
  if (batch < max_batches_ && keep(rows)) return assigner.nearest(resident_.back(), 1);
  return assigner.assign(rows);
}

void ResidentFeatures::nearest(MatrixView<const float> words, const std::function<void()>& before,
                               const Visit& visit) {
  const auto assigner = with_room([&] { return std::make_unique<WordAssigner>(session_, words); });
  for (std::size_t first = 0; first < features_.rows(); first += RowFile::kBatchRows) {
    before();
    visit(first,
          with_room([&] { return nearest_in_batch(*assigner, first / RowFile::kBatchRows); }));
  }
}

}  // namespace lookalike
