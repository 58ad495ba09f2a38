// Transpose, variance, convolution and integral images on one device, with nothing but OpenCL: the
// time of the kernels from profiling, and their share of what the memory does in the same run.
//   image_kernels_benchmark [device [rounds]]
// The device is platform:type:name-or-index, empty for the default.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "kernels/transpose/transpose.h"
#include "tests/benchmarks/memory_ceilings.h"

namespace lookalike {
namespace {

constexpr std::size_t kCeilingBytes = std::size_t{256} << 20U;

class Table {
 public:
  Table(OpenClSession& session, std::size_t rounds)
      : session_(session), rounds_(rounds), ceilings_(session, kCeilingBytes, rounds) {
    std::printf("%s, driver %s\ncopy %.1f GB/s (read and written), reading alone %.1f GB/s\n\n",
                session.device().name.c_str(), session.device().driver.c_str(),
                ceilings_.copy_gbps(), ceilings_.read_gbps());
    std::printf("%-12s %-24s %-12s %10s %9s %7s\n", "kernel", "size", "variant", "kernels ms",
                "GB/s", "share");
  }

  // `bytes` as the method must move them at least; the share is of copying or of reading.
  void copies(const char* kernel, const std::string& size, const std::string& variant, double bytes,
              const std::function<void()>& run) {
    print(kernel, size, variant, bytes, run, ceilings_.copy_gbps());
  }
  void reads(const char* kernel, const std::string& size, const std::string& variant, double bytes,
             const std::function<void()>& run) {
    print(kernel, size, variant, bytes, run, ceilings_.read_gbps());
  }

 private:
  void print(const char* kernel, const std::string& size, const std::string& variant, double bytes,
             const std::function<void()>& run, double ceiling_gbps) {
    const double ms = best_kernel_ms(session_, rounds_, run);
    const double gbps = bytes / ms * 1e-6;
    std::printf("%-12s %-24s %-12s %10.3f %9.1f %6.0f%%\n", kernel, size.c_str(), variant.c_str(),
                ms, gbps, 100 * gbps / ceiling_gbps);
  }

  OpenClSession& session_;
  std::size_t rounds_;
  MemoryCeilings ceilings_;
};

std::string shape(std::size_t rows, std::size_t columns, const char* type) {
  return std::to_string(rows) + " x " + std::to_string(columns) + ' ' + type;
}

void benchmark_transpose(OpenClSession& session, Table& table) {
  struct Shape {
    std::size_t rows;
    std::size_t columns;
  };
  const cl::Buffer from = session.allocate(kCeilingBytes);
  const cl::Buffer to = session.allocate(kCeilingBytes);
  session.clear(from, kCeilingBytes);
  session.clear(to, kCeilingBytes);
  for (const TransposeKernel kernel : transpose_kernels(session)) {
    Transpose transpose(session, kernel);
    const std::string variant(to_string(kernel));
    for (const auto& [rows, columns] :
         {Shape{8192, 8192}, Shape{8191, 8191}, Shape{std::size_t{1} << 20U, 64}}) {
      table.copies("transpose", shape(rows, columns, "float"), variant,
                   static_cast<double>(rows * columns * sizeof(float) * 2),
                   [&] { transpose.transpose(from, rows, columns, to); });
    }
    for (const auto& [rows, columns] : {Shape{8192, 8192}, Shape{8191, 8191}}) {
      table.copies("transpose", shape(rows, columns, "uint8"), variant,
                   static_cast<double>(rows * columns * 2),
                   [&] { transpose.transpose_bytes(from, rows, columns, to); });
    }
  }
}

void run(const std::string& device, std::size_t rounds) {
  OpenClSession session({.device = device, .profile = true});
  Table table(session, rounds);
  benchmark_transpose(session, table);
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  try {
    lookalike::run(argc > 1 ? argv[1] : "", argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 5);
  } catch (const lookalike::Error& error) {
    std::fprintf(stderr, "image_kernels_benchmark: %s\n", error.what());
    return lookalike::exit_code(error.kind());
  }
}
