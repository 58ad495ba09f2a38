#include "tools/command_line/format.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace lookalike {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<const char*, Format> kFormats[] = {{"text", Format::kText},
                                                       {"tsv", Format::kTsv},
                                                       {"csv", Format::kCsv},
                                                       {"json", Format::kJson},
                                                       {"paths", Format::kPaths}};

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

FormatArgument::FormatArgument(CLI::App& command, const std::string& json, bool has_paths) {
  std::vector<std::string> names;
  for (const auto& [name, format] : kFormats) {
    if (has_paths || format != Format::kPaths) names.emplace_back(name);
  }
  auto* const format =
      command
          .add_option("--format", name_,
                      "Text for people (the default), a table with a header row, JSON, or paths "
                      "alone")
          ->check(CLI::IsMember(names).description(""))
          ->type_name(fmt::format("{}", fmt::join(names, "|")));
  command.add_flag("--json", json_, json)->excludes(format);
  if (!has_paths) return;
  command.add_flag("-0,--null", nul_, "End paths of --format paths with NUL instead of a newline");
}

Format FormatArgument::get() const {
  if (json_) return Format::kJson;
  const auto* const found = std::ranges::find(
      kFormats, name_, [](const auto& entry) { return std::string(entry.first); });
  return found == std::end(kFormats) ? Format::kText : found->second;
}

Table::Table(const FormatArgument& format, std::vector<std::string> columns)
    : format_(format.get()), path_end_(format.path_end()), columns_(std::move(columns)) {
  if (format_ != Format::kPaths) print_line(columns_);
}

void Table::add(const Json& row) const {
  if (format_ == Format::kPaths) {
    if (row.contains("path") && row["path"].is_string()) {
      fmt::print("{}{}", path_of_text(row["path"].get<std::string>()), path_end_);
    }
    return;
  }
  std::vector<std::string> fields;
  for (const std::string& column : columns_) {
    const std::string text = row.contains(column) ? text_of(row[column]) : std::string();
    const bool is_path = column == "path" || column == "query";
    const bool is_text = row.contains(column) && row[column].is_string();
    fields.push_back(format_ == Format::kTsv ? tsv_field(text, is_path)
                     : is_text               ? csv_field(text)
                                             : text);
  }
  print_line(fields);
}

void Table::print_line(const std::vector<std::string>& fields) const {
  fmt::print("{}\n", fmt::join(fields, format_ == Format::kTsv ? "\t" : ","));
}

}  // namespace lookalike
