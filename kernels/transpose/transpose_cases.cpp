#include <array>

#include "kernels/cases.h"
#include "kernels/synthetic_data.h"
#include "kernels/transpose/transpose.h"

namespace lookalike {
namespace {

using Shape = std::array<std::size_t, 2>;  // rows, columns

const std::vector<Shape> kTestShapes = {
    {0, 7},     {7, 0},     {1, 1},     {1, 77},    {77, 1},     {3, 5},
    {4, 4},     {15, 17},   {16, 16},   {63, 65},   {64, 64},    {65, 63},
    {127, 129}, {128, 256}, {129, 258}, {64, 2000}, {1021, 509}, {70'001, 64}};

const CaseSizes<Shape> kShapes = {.self_test = {{101, 64}},
                                  .test = kTestShapes,
                                  .quick = {{200, 300}},
                                  .tuning = {{512, 512}, {65536, 64}, {2048, 2048}, {4096, 4096}},
                                  .full = {{65536, 64}, {2048, 2048}, {8192, 8192}}};

struct Inputs {
  std::size_t rows;
  std::size_t columns;
  std::size_t value_bytes;
  std::vector<std::uint8_t> bytes;
};

std::vector<std::uint8_t> transpose_reference(const Inputs& matrix) {
  std::vector<std::uint8_t> result(matrix.bytes.size());
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    for (std::size_t c = 0; c < matrix.columns; ++c) {
      const std::size_t from = (r * matrix.columns + c) * matrix.value_bytes;
      const std::size_t to = (c * matrix.rows + r) * matrix.value_bytes;
      std::copy_n(matrix.bytes.begin() + static_cast<std::ptrdiff_t>(from), matrix.value_bytes,
                  result.begin() + static_cast<std::ptrdiff_t>(to));
    }
  }
  return result;
}

// Both matrices stay on the device, so that no run includes the first touch of new memory.
CaseRun prepare(OpenClSession& session, const Inputs& inputs, TransposeKernel kernel) {
  const cl::Buffer from = session.allocate(inputs.bytes.size());
  const cl::Buffer to = session.allocate(inputs.bytes.size());
  const auto result = std::make_shared<std::vector<std::uint8_t>>(inputs.bytes.size());
  const auto solve = [=, &session, &inputs, transpose = Transpose(session, kernel)]() mutable {
    session.write<std::uint8_t>(from, inputs.bytes);
    transpose.transpose(from, inputs.rows, inputs.columns, to, inputs.value_bytes);
    session.read<std::uint8_t>(to, *result);
  };
  return {solve, [=, &inputs] { return difference(*result, transpose_reference(inputs)); }};
}

}  // namespace

std::vector<KernelCase> transpose_cases(OpenClSession& session, CaseScale scale) {
  std::vector<KernelCase> cases;
  for (const std::size_t value_bytes : {1U, 4U}) {
    for (const auto& [rows, columns] : kShapes.at(scale)) {
      const std::size_t bytes = rows * columns * value_bytes;
      KernelCase problem{.kernel = "transpose",
                         .sizes = {{"rows", rows}, {"columns", columns}, {"bytes", value_bytes}},
                         .unit = WorkUnit::kCopiedBytes,
                         .amount = 2.0 * static_cast<double>(bytes)};
      const auto inputs = [rows = rows, columns = columns, value_bytes, bytes] {
        return Inputs{rows, columns, value_bytes,
                      noise_picture(static_cast<int>(bytes), 1, 1).pixels};
      };
      cases.push_back(
          with_variants(std::move(problem), session, transpose_kernels(session), inputs, prepare));
    }
  }
  return cases;
}

}  // namespace lookalike
