#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/files.h"
#include "base/matrix_view.h"

namespace lookalike {

// A matrix [rows][cols] in an unnamed temporary file, for data that may not fit in memory. Threads
// may read concurrently. Throws Error(kStorage) with the folder and the system's reason, and
// Error(kInternal) for rows that do not exist, of another length, or without columns.
class RowFile {
 public:
  static constexpr std::size_t kBatchRows = std::size_t{1} << 15U;  // 8 MiB of 64-D descriptors

  // Creates an empty matrix in an existing folder.
  RowFile(std::filesystem::path folder, std::size_t cols);

  // Writes rows [n][cols] from row `first` on. The matrix grows as needed; unwritten rows are zero.
  void write(std::size_t first, MatrixView<const float> rows);

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  const std::filesystem::path& folder() const { return folder_; }

  // Reads rows first, ..., first + count - 1, as [count][cols].
  std::vector<float> read(std::size_t first, std::size_t count) const;
  void read(std::size_t first, MatrixView<float> into) const;

  // Visits all rows in order, up to kBatchRows at a time; reads on all cores.
  using Visit = std::function<void(std::size_t first, MatrixView<const float> rows)>;
  void for_each_batch(const Visit& visit) const;

 private:
  std::filesystem::path folder_;
  std::size_t cols_;
  std::size_t rows_ = 0;
  FileDescriptor file_;
};

}  // namespace lookalike
