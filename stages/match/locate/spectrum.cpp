#include "stages/match/locate/spectrum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include "base/error.h"

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

// The rows of both images at once, as real and imaginary part, each transformed with zeros after
// it: [columns][height].
std::vector<Complex> transformed_rows(std::span<const double> a, std::span<const double> b,
                                      std::size_t width, std::size_t height, std::size_t columns) {
  const std::vector<Complex> roots = roots_of_unity(columns);
  std::vector<Complex> by_column(columns * height);
  std::vector<Complex> row;
  for (std::size_t y = 0; y < height; ++y) {
    row.assign(columns, {});
    for (std::size_t x = 0; x < width; ++x) row[x] = {a[y * width + x], b[y * width + x]};
    transform(row, roots);
    for (std::size_t x = 0; x < columns; ++x) by_column[x * height + y] = row[x];
  }
  return by_column;
}

// 16 times the product of the two images' power at a frequency, given what both have there together
// and what they have at its negative: the images are real, so the two tell them apart.
double power_product(Complex here, Complex there) {
  const Complex a = {here.real + there.real, here.imaginary - there.imaginary};
  const Complex b = {here.imaginary + there.imaginary, there.real - here.real};
  return (a.real * a.real + a.imaginary * a.imaginary) *
         (b.real * b.real + b.imaginary * b.imaginary);
}

}  // namespace

double autocorrelation_product(std::span<const double> a, std::span<const double> b, int width,
                               int height) {
  require(width >= 1 && height >= 1, "autocorrelation_product: an image has no pixels");
  const auto input_columns = static_cast<std::size_t>(width);
  const auto input_rows = static_cast<std::size_t>(height);
  require(a.size() == input_columns * input_rows && b.size() == a.size(),
          "autocorrelation_product: an image is not [height][width]");
  // Of twice the size, so that no shift comes round to the other side.
  const std::size_t columns = std::bit_ceil(2 * input_columns);
  const std::size_t rows = std::bit_ceil(2 * input_rows);
  const std::vector<Complex> by_column = transformed_rows(a, b, input_columns, input_rows, columns);
  const std::vector<Complex> roots = roots_of_unity(rows);
  const auto transformed_column = [&](std::size_t x, std::vector<Complex>& column) {
    column.assign(rows, {});
    std::ranges::copy(std::span(by_column).subspan(x * input_rows, input_rows), column.begin());
    transform(column, roots);
  };
  // A frequency and its negative give the same, so one column of such two is enough.
  std::vector<Complex> column;
  std::vector<Complex> negative;
  double sum = 0;
  for (std::size_t x = 0; x <= columns / 2; ++x) {
    const std::size_t opposite = (columns - x) % columns;
    transformed_column(x, column);
    transformed_column(opposite, negative);
    double products = 0;
    for (std::size_t y = 0; y < rows; ++y) {
      products += power_product(column[y], negative[(rows - y) % rows]);
    }
    sum += opposite == x ? products : 2 * products;
  }
  return sum / 16 / static_cast<double>(columns * rows);
}

}  // namespace lookalike
