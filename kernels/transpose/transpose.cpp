#include "kernels/transpose/transpose.h"

#include <limits>
#include <string>

#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

// Work-items of a group of kNaive.
constexpr std::size_t kNaiveItems = 256;
// A work-item of kBlocks takes this many values, a page of memory wide and few enough rows that
// their pages stay in the TLB (`bench --kernel transpose`, EPYC with AVX-512, PoCL 3.1).
constexpr std::size_t kBandRows = 128;
constexpr std::size_t kBandColumns = 256;

}  // namespace

std::vector<TransposeKernel> transpose_kernels(const OpenClSession& session) {
  if (session.is_cpu()) {
    return {TransposeKernel::kBlocks, TransposeKernel::kNaive, TransposeKernel::kTiled};
  }
  return {TransposeKernel::kTiled, TransposeKernel::kNaive};
}

// A tile of kTiled has 4 * lanes values a side, 16 KiB; its group has lanes x group_rows items. A
// block of kBlocks has `line` values a side, a cache line.
struct Transpose::ValueType {
  const char* name;
  std::size_t value_bytes;
  std::size_t lanes;
  std::size_t group_rows;
  std::size_t line;

  static constexpr ValueType floats() { return {"float", 4, 16, 16, 16}; }
  static constexpr ValueType bytes() { return {"uchar", 1, 32, 16, 64}; }
};

TransposeKernel Transpose::kernel_for(std::size_t rows, std::size_t columns,
                                      std::size_t value_bytes) {
  return select_variant(session_, "transpose",
                        {{"rows", rows}, {"columns", columns}, {"bytes", value_bytes}},
                        transpose_kernels(session_), kernel_);
}

cl::Kernel Transpose::build(TransposeKernel kernel, const ValueType& type) {
  const std::string name = type.name;
  const std::string value = define("VALUE", name);
  if (kernel == TransposeKernel::kBlocks) {
    return session_.kernel({"transpose/blocks.cl"}, "transpose_blocks",
                           value + define("VALUE16", name + "16") + define("LINE", type.line) +
                               define("BAND_ROWS", kBandRows) +
                               define("BAND_COLUMNS", kBandColumns));
  }
  return session_.kernel({"transpose/tiled.cl"},
                         kernel == TransposeKernel::kTiled ? "transpose_tiled" : "transpose_naive",
                         value + define("VALUE4", name + "4") + define("LANES", type.lanes) +
                             define("GROUP_ROWS", type.group_rows));
}

void Transpose::launch(const ValueType& type, const cl::Buffer& from, std::size_t rows,
                       std::size_t columns, const cl::Buffer& to) {
  constexpr std::size_t kMaxSide = std::numeric_limits<std::int32_t>::max();
  require(rows <= kMaxSide && columns <= kMaxSide, "Transpose: a side is not below 2^31");
  const TransposeKernel choice = kernel_for(rows, columns, type.value_bytes);
  cl::Kernel kernel = build(choice, type);
  set_arguments(kernel, from, to_uint(rows), to_uint(columns), to);
  switch (choice) {
    case TransposeKernel::kBlocks:
      session_.launch(kernel, "transpose", {parts(rows, kBandRows) * parts(columns, kBandColumns)},
                      {{1}});
      break;
    case TransposeKernel::kTiled: {
      const std::size_t tiles = parts(rows, 4 * type.lanes) * parts(columns, 4 * type.lanes);
      session_.launch(kernel, "transpose", {tiles * type.lanes, type.group_rows},
                      {{type.lanes, type.group_rows}});
      break;
    }
    case TransposeKernel::kNaive:
    case TransposeKernel::kAuto:
      session_.launch(kernel, "transpose", {rows * columns}, {{kNaiveItems}});
  }
}

void Transpose::transpose(const cl::Buffer& from, std::size_t rows, std::size_t columns,
                          const cl::Buffer& to) {
  launch(ValueType::floats(), from, rows, columns, to);
}

void Transpose::transpose_bytes(const cl::Buffer& from, std::size_t rows, std::size_t columns,
                                const cl::Buffer& to) {
  launch(ValueType::bytes(), from, rows, columns, to);
}

}  // namespace lookalike
