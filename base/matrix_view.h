#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "base/error.h"

namespace lookalike {

// View of a row-major matrix [rows][cols] without padding.
template <typename T>
class MatrixView {
 public:
  MatrixView() = default;
  MatrixView(T* data, std::size_t rows, std::size_t cols) : data_(data), rows_(rows), cols_(cols) {}

  // Views rows * cols values. Throws Error(kInternal) if cols does not divide their number.
  MatrixView(std::span<T> values, std::size_t cols)
      : MatrixView(values.data(), cols == 0 ? 0 : values.size() / cols, cols) {
    require(rows_ * cols_ == values.size(), "MatrixView: size is not a multiple of cols");
  }

  T* data() const { return data_; }
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t size() const { return rows_ * cols_; }
  bool empty() const { return rows_ == 0; }
  std::span<T> row(std::size_t i) const { return {data_ + i * cols_, cols_}; }
  MatrixView middle_rows(std::size_t first, std::size_t count) const {
    return {data_ + first * cols_, count, cols_};
  }

  operator MatrixView<const T>() const requires(!std::is_const_v<T>) {
    return {data_, rows_, cols_};
  }

 private:
  T* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
};

}  // namespace lookalike
