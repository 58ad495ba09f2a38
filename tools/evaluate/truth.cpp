#include "tools/evaluate/truth.h"

#include <cmath>
#include <istream>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace lookalike {
namespace {

constexpr std::size_t kColumns = 10;

// A line of the file, with its place for error messages.
struct Line {
  const std::string& name;
  std::size_t number;
  std::vector<std::string_view> fields;

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::kInput, fmt::format("{}:{}: {}", name, number, what));
  }
};

double number(const Line& line, std::string_view field) {
  const std::optional<double> value = parse_number<double>(field);
  if (value && std::isfinite(*value)) return *value;
  line.fail(fmt::format("expected a corner in pixels, was '{}'", field));
}

std::optional<Quad> corners(const Line& line) {
  std::size_t given = 0;
  for (std::size_t i = 2; i < kColumns; ++i) given += line.fields[i].empty() ? 0 : 1;
  if (given == 0) return std::nullopt;
  if (given != kColumns - 2) line.fail("a row has all eight corner values or none");
  Quad quad{};
  for (std::size_t i = 0; i < quad.size(); ++i) {
    quad[i] = {number(line, line.fields[2 + 2 * i]), number(line, line.fields[3 + 2 * i])};
  }
  return quad;
}

bool read_line(std::istream& input, std::string& text) {
  if (!std::getline(input, text)) return false;
  if (text.ends_with('\r')) text.pop_back();
  return true;
}

}  // namespace

std::vector<TruthQuery> read_truth(std::istream& input, const std::string& name,
                                   const std::filesystem::path& folder) {
  std::string text;
  if (!read_line(input, text) || text != kTruthHeader) {
    throw Error(ErrorKind::kInput,
                fmt::format("{}:1: expected the header '{}', was '{}'", name, kTruthHeader, text));
  }
  std::vector<TruthQuery> queries;
  std::unordered_map<std::string, std::size_t> index_of;
  for (std::size_t line_number = 2; read_line(input, text); ++line_number) {
    if (text.empty()) continue;
    const Line line{name, line_number, split(text, ',')};
    if (line.fields.size() != kColumns) {
      line.fail(fmt::format("expected {} fields, found {}", kColumns, line.fields.size()));
    }
    if (line.fields[0].empty()) line.fail("the query is missing");
    const std::string query = (folder / line.fields[0]).lexically_normal();
    const auto [found, is_new] = index_of.try_emplace(query, queries.size());
    if (is_new) queries.push_back({query, {}});
    if (line.fields[1].empty()) continue;
    queries[found->second].relevant.push_back(
        {(folder / line.fields[1]).lexically_normal(), corners(line)});
  }
  return queries;
}

}  // namespace lookalike
