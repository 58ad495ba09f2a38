#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <span>

#include "kernels/workload/benchmark.h"

namespace lookalike {
namespace {

// Three significant digits, as far as they stand after the point.
std::string number_text(double value) {
  const int digits = value <= 0 ? 0 : 2 - static_cast<int>(std::floor(std::log10(value)));
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", std::clamp(digits, 0, 4), value);
  return text.data();
}

std::string left(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text + "  ";
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string name_of(const BenchmarkRow& row) {
  return row.variant + (row.chosen ? " *" : "");
}

std::string line_of(const BenchmarkRow& row, const Ceilings& ceilings) {
  if (!row.note.empty()) return "  " + row.note;
  const auto share = share_of_ceiling(row, ceilings);
  return right(number_text(row.timing.kernel_ms), 10) +
         right(row.peer ? "" : number_text(row.timing.transfer_ms), 13) +
         right(number_text(row.timing.wall_ms), 10) + right(number_text(row.rate()), 10) +
         right(share ? std::to_string(std::lround(100 * *share)) + " %" : "", 12);
}

std::string table_of(std::span<const BenchmarkRow> rows, const Ceilings& ceilings) {
  std::size_t sizes_width = 0;
  std::size_t name_width = 0;
  for (const BenchmarkRow& row : rows) {
    sizes_width = std::max(sizes_width, to_string(row.sizes).size());
    name_width = std::max(name_width, name_of(row).size());
  }
  std::string text = '\n' + left(rows.front().kernel, sizes_width) + left("", name_width) +
                     right("kernel ms", 10) + right("transfer ms", 13) + right("wall ms", 10) +
                     right(unit_name(rows.front().unit), 10) + right("of ceiling", 12) + '\n';
  std::string last;
  for (const BenchmarkRow& row : rows) {
    const std::string sizes = to_string(row.sizes);
    text += left(sizes == last ? "" : sizes, sizes_width) + left(name_of(row), name_width) +
            line_of(row, ceilings) + '\n';
    last = sizes;
  }
  return text;
}

}  // namespace

std::string format_table(const BenchmarkReport& report) {
  const Ceilings& ceilings = report.ceilings;
  std::string text = report.device.device + ", driver " + report.device.driver + ": multiply-add " +
                     number_text(ceilings.multiply_add_gflops) + " GFLOP/s, copy " +
                     number_text(ceilings.copy_gbs) + " GB/s, read " +
                     number_text(ceilings.read_gbs) + " GB/s\n";
  for (auto first = report.rows.begin(); first != report.rows.end();) {
    const auto end = std::find_if(first, report.rows.end(), [&](const BenchmarkRow& row) {
      return row.kernel != first->kernel;
    });
    text += table_of({first, end}, ceilings);
    first = end;
  }
  return text;
}

}  // namespace lookalike
