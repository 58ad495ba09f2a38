#include "tools/evaluate/truth.h"

#include <cmath>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text.h"

namespace lookalike {
namespace {

// One record of the file, with its place for error messages.
struct Row {
  const std::string& file;
  std::size_t number;  // from 1, the header
  const std::vector<std::string>& fields;

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::kInput, fmt::format("{}: row {}: {}", file, number, what));
  }
};

double number(const Row& row, std::string_view field) {
  const std::optional<double> value = parse_number<double>(field);
  if (value && std::isfinite(*value)) return *value;
  row.fail(fmt::format("expected a corner in pixels, was '{}'", field));
}

std::optional<Quad> corners(const Row& row) {
  std::size_t given = 0;
  for (std::size_t i = 2; i < row.fields.size(); ++i) given += row.fields[i].empty() ? 0 : 1;
  if (given == 0) return std::nullopt;
  Quad quad{};
  if (given != 2 * quad.size()) row.fail("a row has all eight corner values or none");
  for (std::size_t i = 0; i < quad.size(); ++i) {
    quad[i] = {number(row, row.fields[2 + 2 * i]), number(row, row.fields[3 + 2 * i])};
  }
  return quad;
}

}  // namespace

std::vector<TruthQuery> read_truth(std::string_view csv, const std::string& file,
                                   const std::filesystem::path& folder) {
  const std::vector<std::vector<std::string>> records = csv_records(csv);
  const std::string header = records.empty() ? "" : fmt::format("{}", fmt::join(records[0], ","));
  if (header != kTruthHeader && header != kShortTruthHeader) {
    throw Error(ErrorKind::kInput,
                fmt::format("{}: row 1: expected the header '{}' or '{}', was '{}'", file,
                            kShortTruthHeader, kTruthHeader, header));
  }
  std::vector<TruthQuery> queries;
  std::unordered_map<std::string, std::size_t> index_of;
  for (std::size_t i = 1; i < records.size(); ++i) {
    const Row row{file, i + 1, records[i]};
    if (row.fields.size() != records[0].size()) {
      row.fail(fmt::format("expected {} fields, found {}", records[0].size(), row.fields.size()));
    }
    if (row.fields[0].empty()) row.fail("the query is missing");
    const std::string query = (folder / row.fields[0]).lexically_normal();
    const auto [found, is_new] = index_of.try_emplace(query, queries.size());
    if (is_new) queries.push_back({query, {}});
    if (row.fields[1].empty()) continue;
    queries[found->second].relevant.push_back(
        {(folder / row.fields[1]).lexically_normal(), corners(row)});
  }
  return queries;
}

}  // namespace lookalike
