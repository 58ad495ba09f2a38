#include "stages/match/correlation_search/spectrum.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

namespace lookalike {
namespace {

// std::complex checks its products for infinities, which costs more than they do.
struct Complex {
  double real = 0;
  double imaginary = 0;
};

Complex operator+(Complex a, Complex b) {
  return {a.real + b.real, a.imaginary + b.imaginary};
}
Complex operator-(Complex a, Complex b) {
  return {a.real - b.real, a.imaginary - b.imaginary};
}
Complex operator*(Complex a, Complex b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}

std::vector<Complex> roots_of_unity(std::size_t size) {
  std::vector<Complex> roots;
  for (std::size_t i = 0; i < size / 2; ++i) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(size);
    roots.push_back({std::cos(angle), std::sin(angle)});
  }
  return roots;
}

// In place; the size is a power of two.
// Method: Cooley and Tukey, "An algorithm for the machine calculation of complex Fourier series",
// 1965.
void transform(std::span<Complex> values, std::span<const Complex> roots) {
  const std::size_t size = values.size();
  for (std::size_t i = 1, j = 0; i < size; ++i) {
    std::size_t bit = size / 2;
    for (; (j & bit) != 0; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
  for (std::size_t half = 1; half < size; half *= 2) {
    for (std::size_t first = 0; first < size; first += 2 * half) {
      for (std::size_t i = 0; i < half; ++i) {
        const Complex even = values[first + i];
        const Complex odd = values[first + i + half] * roots[i * (size / 2 / half)];
        values[first + i] = even + odd;
        values[first + i + half] = even - odd;
      }
    }
  }
}

}  // namespace

double autocorrelation_product(std::span<const double> a, std::span<const double> b, int width,
                               int height) {
  const auto input_columns = static_cast<std::size_t>(width);
  const auto input_rows = static_cast<std::size_t>(height);
  // Of twice the size, so that no shift comes round to the other side.
  const std::size_t columns = std::bit_ceil(2 * input_columns);
  const std::size_t rows = std::bit_ceil(2 * input_rows);
  const std::vector<Complex> row_roots = roots_of_unity(columns);
  const std::vector<Complex> column_roots = roots_of_unity(rows);
  // Both at once, as real and imaginary part; transposed between the two passes.
  std::vector<Complex> spectrum(columns * rows);
  std::vector<Complex> line(columns);
  for (std::size_t y = 0; y < input_rows; ++y) {
    line.assign(columns, {});
    for (std::size_t x = 0; x < input_columns; ++x) {
      line[x] = {a[y * input_columns + x], b[y * input_columns + x]};
    }
    transform(line, row_roots);
    for (std::size_t x = 0; x < columns; ++x) spectrum[x * rows + y] = line[x];
  }
  for (std::size_t x = 0; x < columns; ++x) {
    transform(std::span(spectrum).subspan(x * rows, rows), column_roots);
  }
  double sum = 0;
  for (std::size_t x = 0; x < columns; ++x) {
    for (std::size_t y = 0; y < rows; ++y) {
      const Complex here = spectrum[x * rows + y];
      const Complex there = spectrum[(columns - x) % columns * rows + (rows - y) % rows];
      const double a_real = here.real + there.real;
      const double a_imaginary = here.imaginary - there.imaginary;
      const double b_real = here.imaginary + there.imaginary;
      const double b_imaginary = there.real - here.real;
      sum += (a_real * a_real + a_imaginary * a_imaginary) *
             (b_real * b_real + b_imaginary * b_imaginary);
    }
  }
  return sum / 16 / static_cast<double>(columns * rows);
}

}  // namespace lookalike
