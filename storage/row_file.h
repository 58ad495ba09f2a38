#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/files.h"
#include "base/matrix_view.h"

namespace lookalike {

// A matrix [rows][cols] on disk, for data that may not fit in memory: in a file without a name,
// which disappears with this object and with the process. Several threads may read at once. Throws
// Error(kStorage), with the folder and the system's reason, when the file cannot be made, written
// or read, and Error(kInternal) for rows that do not exist, of another length, or without columns.
class RowFile {
 public:
  static constexpr std::size_t kBatchRows = std::size_t{1} << 15U;  // 8 MiB of 64-D descriptors

  // Empty, in an existing folder.
  RowFile(std::filesystem::path folder, std::size_t cols);

  // Stores rows [n][cols] from row `first` on. The matrix grows to hold them; rows never written
  // are zero.
  void write(std::size_t first, MatrixView<const float> rows);

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  const std::filesystem::path& folder() const { return folder_; }

  // Rows first, ..., first + count - 1, as [count][cols].
  std::vector<float> read(std::size_t first, std::size_t count) const;
  // The same, into [count][cols].
  void read(std::size_t first, MatrixView<float> into) const;

  // All rows in order, up to kBatchRows at a time, with the number of the first of them; read by a
  // thread per core.
  using Visit = std::function<void(std::size_t first, MatrixView<const float> rows)>;
  void for_each_batch(const Visit& visit) const;

 private:
  std::filesystem::path folder_;
  std::size_t cols_;
  std::size_t rows_ = 0;
  FileDescriptor file_;
};

}  // namespace lookalike
