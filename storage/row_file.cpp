#include "storage/row_file.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"

namespace lookalike {

RowFile::RowFile(std::filesystem::path folder, std::size_t cols)
    : folder_(std::move(folder)), cols_(cols) {
  require(cols > 0, "RowFile: rows without columns");
  std::string name = (folder_ / ".rows.XXXXXX").string();
  file_ = FileDescriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (!file_.is_open()) fail_file(folder_, "a temporary file there cannot be created");
  if (::unlink(name.c_str()) != 0) fail_file(folder_, "a temporary file there cannot be unlinked");
}

void RowFile::write(std::size_t first, MatrixView<const float> rows) {
  require(rows.cols() == cols_, "RowFile: rows of another length");
  if (rows.empty()) return;
  const auto* bytes = reinterpret_cast<const char*>(rows.data());
  const std::size_t start = first * cols_ * sizeof(float);
  const auto write_from = [&](std::size_t done, std::size_t left) {
    return ::pwrite(file_.number(), bytes + done, left, static_cast<off_t>(start + done));
  };
  if (!move_all(rows.size() * sizeof(float), write_from))
    fail_file(folder_, "a temporary file there cannot be written");
  rows_ = std::max(rows_, first + rows.rows());
}

std::vector<float> RowFile::read(std::size_t first, std::size_t count) const {
  std::vector<float> values(count * cols_);
  read(first, {values, cols_});
  return values;
}

void RowFile::read(std::size_t first, MatrixView<float> into) const {
  require(into.cols() == cols_, "RowFile: rows of another length");
  require(first <= rows_ && into.rows() <= rows_ - first, "RowFile: rows that are not there");
  auto* bytes = reinterpret_cast<char*>(into.data());
  const std::size_t start = first * cols_ * sizeof(float);
  const auto read_from = [&](std::size_t done, std::size_t left) {
    return ::pread(file_.number(), bytes + done, left, static_cast<off_t>(start + done));
  };
  if (!move_all(into.size() * sizeof(float), read_from))
    fail_file(folder_, "a temporary file there cannot be read");
}

void RowFile::for_each_batch(const Visit& visit) const {
  std::vector<float> values(std::min(kBatchRows, rows_) * cols_);
  for (std::size_t first = 0; first < rows_; first += kBatchRows) {
    const MatrixView<float> batch(values.data(), std::min(kBatchRows, rows_ - first), cols_);
    parallel_ranges(batch.rows(), [&](std::size_t from, std::size_t to) {
      read(first + from, batch.middle_rows(from, to - from));
    });
    visit(first, batch);
  }
}

}  // namespace lookalike
