#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "kernels/benchmark/benchmark.h"

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

std::string marked_name(const BenchmarkRow& row) {
  return row.variant + (row.chosen ? " *" : "");
}

std::string line_of(const BenchmarkRow& row, const Ceilings& ceilings) {
  if (!row.note.empty()) return "  " + row.note;
  const auto share = share_of_ceiling(row, ceilings);
  return right(number_text(row.timing.kernel_ms), 10) +
         right(number_text(row.timing.transfer_ms), 13) +
         right(number_text(row.timing.wall_ms), 10) + right(number_text(row.rate()), 10) +
         right(share ? std::to_string(std::lround(100 * *share)) + " %" : "", 12);
}

std::string device_line(const BenchmarkReport& report) {
  const Ceilings& ceilings = report.ceilings;
  return report.device.device + ", driver " + report.device.driver + ": multiply-add " +
         number_text(ceilings.multiply_add_gflops) + " GFLOP/s, copy " +
         number_text(ceilings.copy_gbs) + " GB/s, read " + number_text(ceilings.read_gbs) +
         " GB/s\n";
}

// Of the first columns of a kernel's table.
struct Widths {
  std::size_t sizes = 0;
  std::size_t name = 0;
};

Widths widths_of(const BenchmarkReport& report, const std::string& kernel) {
  Widths widths;
  for (const BenchmarkRow& row : report.rows) {
    if (row.kernel != kernel) continue;
    widths.sizes = std::max(widths.sizes, to_string(row.sizes).size());
    widths.name = std::max(widths.name, marked_name(row).size());
  }
  return widths;
}

std::string head_of(const BenchmarkRow& row, const Widths& widths) {
  return '\n' + left(row.kernel, widths.sizes) + left("", widths.name) + right("kernel ms", 10) +
         right("transfer ms", 13) + right("wall ms", 10) + right(unit_name(row.unit), 10) +
         right("of ceiling", 12) + '\n';
}

}  // namespace

std::string format_row(const BenchmarkReport& report, std::size_t row) {
  const BenchmarkRow& here = report.rows.at(row);
  const Widths widths = widths_of(report, here.kernel);
  std::string text = row == 0 ? device_line(report) : "";
  bool same_sizes = false;
  if (row > 0 && report.rows[row - 1].kernel == here.kernel) {
    same_sizes = report.rows[row - 1].sizes == here.sizes;
  } else {
    text += head_of(here, widths);
  }
  return text + left(same_sizes ? "" : to_string(here.sizes), widths.sizes) +
         left(marked_name(here), widths.name) + line_of(here, report.ceilings) + '\n';
}

std::string format_table(const BenchmarkReport& report) {
  std::string text;
  for (std::size_t row = 0; row < report.rows.size(); ++row) text += format_row(report, row);
  return text;
}

}  // namespace lookalike
