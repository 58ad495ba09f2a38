#include "kernels/transpose/transpose.h"

#include <limits>
#include <string>

#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

// Work-items of a group of kNaive.
constexpr std::size_t kNaiveItems = 256;
// Values of a work-item of kBlocks: a page of memory wide, and few enough rows that their pages
// stay in the TLB (`bench --kernel transpose`, EPYC with AVX-512, PoCL 3.1).
constexpr std::size_t kBandRows = 128;
constexpr std::size_t kBandColumns = 256;

// A tile of kTiled has 4 * lanes values a side, 16 KiB; its group has lanes x group_rows items. A
// block of kBlocks has `line` values a side, a cache line.
struct ValueType {
  std::string name;
  std::size_t lanes;
  std::size_t group_rows;
  std::size_t line;
};

ValueType type_of(std::size_t value_bytes) {
  return value_bytes == 4 ? ValueType{"float", 16, 16, 16} : ValueType{"uchar", 32, 16, 64};
}

cl::Kernel build(OpenClSession& session, TransposeKernel kernel, const ValueType& type) {
  const std::string value = define("VALUE", type.name);
  if (kernel == TransposeKernel::kBlocks) {
    return session.kernel({"transpose/blocks.cl"}, "transpose_blocks",
                          value + define("VALUE16", type.name + "16") + define("LINE", type.line) +
                              define("BAND_ROWS", kBandRows) +
                              define("BAND_COLUMNS", kBandColumns));
  }
  return session.kernel({"transpose/tiled.cl"},
                        kernel == TransposeKernel::kTiled ? "transpose_tiled" : "transpose_naive",
                        value + define("VALUE4", type.name + "4") + define("LANES", type.lanes) +
                            define("GROUP_ROWS", type.group_rows));
}

}  // namespace

std::vector<TransposeKernel> transpose_kernels(const OpenClSession& session) {
  if (session.is_cpu()) {
    return {TransposeKernel::kBlocks, TransposeKernel::kNaive, TransposeKernel::kTiled};
  }
  return {TransposeKernel::kTiled, TransposeKernel::kNaive};
}

TransposeKernel Transpose::kernel_for(std::size_t rows, std::size_t columns,
                                      std::size_t value_bytes) {
  return select_variant(session_, "transpose",
                        {{"rows", rows}, {"columns", columns}, {"bytes", value_bytes}},
                        transpose_kernels(session_), kernel_);
}

void Transpose::transpose(const cl::Buffer& from, std::size_t rows, std::size_t columns,
                          const cl::Buffer& to, std::size_t value_bytes) {
  require(value_bytes == 1 || value_bytes == 4, "Transpose: values must have 1 or 4 bytes");
  constexpr std::size_t kMaxSide = std::numeric_limits<std::int32_t>::max();
  require(rows <= kMaxSide && columns <= kMaxSide, "Transpose: a side is not below 2^31");
  const TransposeKernel choice = kernel_for(rows, columns, value_bytes);
  const ValueType type = type_of(value_bytes);
  cl::Kernel kernel = build(session_, choice, type);
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

}  // namespace lookalike
