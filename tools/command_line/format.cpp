#include "tools/command_line/format.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/terminal.h"
#include "base/text.h"

namespace lookalike {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<const char*, Format> kFormats[] = {{"text", Format::kText},
                                                       {"tsv", Format::kTsv},
                                                       {"csv", Format::kCsv},
                                                       {"json", Format::kJson},
                                                       {"paths", Format::kPaths}};

constexpr std::size_t kIndent = 6;  // columns before a path or sentence on its own line

bool breaks_columns(char c) {
  return c == '\t' || c == '\n' || c == '\r';
}

std::string tsv_field(std::string text, bool is_path) {
  if (std::ranges::none_of(text, breaks_columns)) return text;
  if (is_path) return file_uri(text);
  std::ranges::replace_if(text, breaks_columns, ' ');
  return text;
}

std::string text_of(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.4f}", value.get<double>());
  return value.dump();
}

}  // namespace

FormatArgument::FormatArgument(CLI::App& command, Formats formats) : formats_(std::move(formats)) {
  std::vector<std::string> names;
  for (const auto& [name, format] : kFormats) {
    if (formats_.has_paths_format || format != Format::kPaths) names.emplace_back(name);
  }
  auto* const format = add_value(command, fmt::format("--format {}", fmt::join(names, "|")), name_,
                                 fmt::format("Text for people, JSON,{} or a table of {}",
                                             formats_.has_paths_format ? " paths alone," : "",
                                             fmt::join(formats_.columns, ", ")))
                           ->check([names](const std::string& name) {
                             return std::ranges::find(names, name) != names.end()
                                        ? std::string()
                                        : fmt::format("must be one of {}, was {}",
                                                      fmt::join(names, ", "), printable(name));
                           })
                           ->default_str("text");
  command
      .add_flag("--json", json_,
                fmt::format("Print {}, as docs/schema/{}.json describes", formats_.json,
                            command.get_name()))
      ->excludes(format);
  if (!formats_.has_paths_format) return;
  auto* const nul = command.add_flag("-0,--null", nul_,
                                     "End paths of --format paths with NUL instead of a newline");
  if (!formats_.reads_names) nul->needs(format);
}

Format FormatArgument::get() const {
  if (json_) return Format::kJson;
  const auto* const found = std::ranges::find(
      kFormats, name_, [](const auto& entry) { return std::string(entry.first); });
  return found == std::end(kFormats) ? Format::kText : found->second;
}

Printer::Printer(const FormatArgument& format) : argument_(format), format_(format.get()) {
  if (format_ == Format::kTsv || format_ == Format::kCsv) print_line(format.formats().columns);
}

void Printer::print_rows(const Json& rows) const {
  if (!rows.is_array()) return print_row(rows);
  for (const Json& row : rows) print_row(row);
}

void Printer::print_row(const Json& row) const {
  if (format_ == Format::kPaths) {
    if (row.contains("path") && row["path"].is_string()) {
      fmt::print("{}{}", path_of_text(row["path"].get<std::string>()), argument_.path_end());
    }
    return;
  }
  const Formats& formats = argument_.formats();
  std::vector<std::string> fields;
  for (const std::string& column : formats.columns) {
    const std::string text = row.contains(column) ? text_of(row[column]) : std::string();
    const bool is_path = std::ranges::find(formats.paths, column) != formats.paths.end();
    const bool is_text = row.contains(column) && row[column].is_string();
    fields.push_back(format_ == Format::kTsv ? tsv_field(text, is_path)
                     : is_text               ? csv_field(text)
                                             : text);
  }
  print_line(fields);
}

void Printer::print_line(const std::vector<std::string>& fields) const {
  fmt::print("{}\n", fmt::join(fields, format_ == Format::kTsv ? "\t" : ","));
}

std::size_t text_columns() {
  const std::size_t terminal = terminal_columns(stdout);
  return terminal > 0 ? terminal : std::numeric_limits<std::size_t>::max();
}

std::string styled(const std::string& text, const fmt::text_style& style) {
  return use_colour(stdout) ? fmt::format(style, "{}", text) : text;
}

std::string last_column(std::size_t width, const std::string& path) {
  const bool fits = character_count(path) <= text_columns() - std::min(text_columns(), width + 2);
  return (fits ? "  " : '\n' + std::string(kIndent, ' ')) + path;
}

std::string last_text(std::size_t width, const std::string& sentence) {
  return last_column(width, wrapped(sentence, text_columns(), kIndent, kIndent));
}

std::string below(const std::string& sentence) {
  if (sentence.empty()) return {};
  const std::string indent(kIndent, ' ');
  return '\n' + indent + wrapped(sentence, text_columns(), kIndent, kIndent);
}

void print_row(std::size_t number, const std::string& word, const fmt::text_style& style,
               const Facts& facts, const std::string& path) {
  const std::string padded = fmt::format("{:<11}", word);
  std::string text;
  const std::size_t before = kIndent + padded.size();
  for (const auto& [name, value] : facts) {
    const std::string fact = fmt::format("  {} {}", name, value);
    if (before + text.size() + fact.size() > text_columns()) break;
    text += fact;
  }
  fmt::print("{:>4}  {}{}{}\n", number, styled(padded, style), text,
             last_column(before + text.size(), path));
}

void flush_output() {
  if (std::fflush(stdout) != 0) {
    throw Error(ErrorKind::kStorage,
                fmt::format("standard output cannot be written: {}", std::strerror(errno)));
  }
}

}  // namespace lookalike
