#include <array>

#include "kernels/cases.h"
#include "kernels/inputs.h"
#include "kernels/transpose/transpose.h"

namespace lookalike {
namespace {

using Shape = std::array<std::size_t, 2>;  // rows, columns

std::vector<Shape> shapes_for(CaseScale scale) {
  switch (scale) {
    case CaseScale::kSimulator:
    case CaseScale::kSelfTest:
      return {{101, 64}};
    case CaseScale::kTest:
      return {{0, 7},     {7, 0},     {1, 1},     {1, 77},    {77, 1},     {3, 5},
              {4, 4},     {15, 17},   {16, 16},   {63, 65},   {64, 64},    {65, 63},
              {127, 129}, {128, 256}, {129, 258}, {64, 2000}, {1021, 509}, {70'001, 64}};
    case CaseScale::kQuick:
      return {{200, 300}};
    case CaseScale::kTuning:
      return {{512, 512}, {65536, 64}, {2048, 2048}, {4096, 4096}};
    case CaseScale::kFull:
      break;
  }
  return {{65536, 64}, {2048, 2048}, {8192, 8192}};
}

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
class Run : public CaseRun {
 public:
  Run(OpenClSession& session, const Inputs& inputs, TransposeKernel kernel)
      : session_(session),
        inputs_(inputs),
        transpose_(session, kernel),
        from_(session.allocate(inputs.bytes.size())),
        to_(session.allocate(inputs.bytes.size())),
        result_(inputs.bytes.size()) {}

  void solve() override {
    session_.write<std::uint8_t>(from_, inputs_.bytes);
    if (inputs_.value_bytes == 1) {
      transpose_.transpose_bytes(from_, inputs_.rows, inputs_.columns, to_);
    } else {
      transpose_.transpose(from_, inputs_.rows, inputs_.columns, to_);
    }
    session_.read<std::uint8_t>(to_, result_);
  }

  std::string check() override {
    solve();
    return difference(result_, transpose_reference(inputs_));
  }

 private:
  OpenClSession& session_;
  const Inputs& inputs_;
  Transpose transpose_;
  cl::Buffer from_;
  cl::Buffer to_;
  std::vector<std::uint8_t> result_;
};

}  // namespace

std::vector<KernelCase> transpose_cases(OpenClSession& session, CaseScale scale) {
  std::vector<KernelCase> cases;
  for (const std::size_t value_bytes : {1U, 4U}) {
    for (const auto& [rows, columns] : shapes_for(scale)) {
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
          with_variants<Run>(std::move(problem), session, transpose_kernels(session), inputs));
    }
  }
  return cases;
}

}  // namespace lookalike
