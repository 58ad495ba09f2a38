#include "kernels/tuning/tuning_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/parse_number.h"

namespace lookalike {
namespace {

constexpr std::string_view kFirstLine = "lookalike tuning 1";
constexpr int kSignificantDigits = 5;

struct Field {
  std::string_view name;
  std::string TuningTarget::*value;
};
constexpr std::array<Field, 6> kFields = {{{"platform", &TuningTarget::platform},
                                           {"vendor", &TuningTarget::vendor},
                                           {"device", &TuningTarget::device},
                                           {"driver", &TuningTarget::driver},
                                           {"kind", &TuningTarget::kind},
                                           {"instructions", &TuningTarget::instructions}}};

// Takes the text up to a separator off the front, together with the separator.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

class Parser {
 public:
  Parser(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  TuningFile parse() {
    if (next_line() != kFirstLine) fail("expected '" + std::string(kFirstLine) + "'");
    while (!text_.empty()) {
      const std::string_view line = next_line();
      if (line.empty() || line.front() == '#') continue;
      const std::size_t colon = line.find(": ");
      if (colon < line.find(' ')) {
        read_field(line.substr(0, colon), line.substr(colon + 2));
      } else {
        file_.measurements.push_back(read_measurement(line));
      }
    }
    return std::move(file_);
  }

 private:
  std::string_view next_line() {
    ++line_number_;
    return line_ = take_until(text_, '\n');
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::kInput, std::string(name_) + ':' + std::to_string(line_number_) + ": " +
                                       what + ", was '" + std::string(line_) + "'");
  }

  void read_field(std::string_view name, std::string_view value) {
    const auto* field = std::find_if(kFields.begin(), kFields.end(),
                                     [&](const Field& known) { return known.name == name; });
    if (field == kFields.end()) fail("unknown field");
    if (!(file_.target.*field->value).empty()) fail("a field given twice");
    file_.target.*field->value = value;
  }

  Measurement read_measurement(std::string_view rest) const {
    Measurement measurement;
    measurement.kernel = take_until(rest, ' ');
    while (!rest.empty()) {
      std::string_view value = take_until(rest, ' ');
      const std::string_view name = take_until(value, '=');
      if (name.empty() || value.empty()) fail("expected name=value with one space between");
      read_value(measurement, name, value);
    }
    if (measurement.variant.empty()) fail("a measurement needs a variant");
    if (measurement.ms <= 0) fail("a measurement needs ms");
    return measurement;
  }

  void read_value(Measurement& measurement, std::string_view name, std::string_view value) const {
    bool first = true;
    if (name == "variant") {
      first = measurement.variant.empty();
      measurement.variant = value;
    } else if (name == "ms") {
      first = measurement.ms <= 0;
      const auto ms = parse_number<double>(value);
      if (!ms || !std::isfinite(*ms) || *ms <= 0) fail("ms must be a number above 0");
      measurement.ms = *ms;
    } else {
      const auto size = parse_number<std::uint64_t>(value);
      if (!size) fail(std::string(name) + " must be a whole number");
      first = measurement.sizes.emplace(name, *size).second;
    }
    if (!first) fail(std::string(name) + " given twice");
  }

  std::string_view text_;
  std::string_view name_;
  std::string_view line_;
  std::size_t line_number_ = 0;
  TuningFile file_;
};

std::string number_text(double value) {
  std::array<char, 32> digits{};
  const auto [end, status] = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                           std::chars_format::general, kSignificantDigits);
  require(status == std::errc(), "format_tuning_file: a number is too long");
  return {digits.data(), end};
}

}  // namespace

std::string to_string(const TuningSizes& sizes) {
  std::string text;
  for (const auto& [name, size] : sizes) {
    text += (text.empty() ? "" : " ") + name + '=' + std::to_string(size);
  }
  return text;
}

std::string format_tuning_file(const TuningFile& file) {
  std::string text = std::string(kFirstLine) + '\n';
  for (const auto& [name, value] : kFields) {
    if ((file.target.*value).empty()) continue;
    text.append(name).append(": ").append(file.target.*value) += '\n';
  }
  for (const Measurement& measurement : file.measurements) {
    text += measurement.kernel;
    if (!measurement.sizes.empty()) text += ' ' + to_string(measurement.sizes);
    text += " variant=" + measurement.variant + " ms=" + number_text(measurement.ms) + '\n';
  }
  return text;
}

TuningFile parse_tuning_file(std::string_view text, std::string_view name) {
  return Parser(text, name).parse();
}

}  // namespace lookalike
