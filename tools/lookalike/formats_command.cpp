#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text.h"
#include "pipeline/answers.h"
#include "stages/decode/reader_modules.h"
#include "tools/command_line/format.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

struct Arguments {
  explicit Arguments(CLI::App& command) : format(command, "Print one JSON object", false) {}
  FormatArgument format;
};

constexpr std::size_t kIndent = 15;         // of what is missing
constexpr std::size_t kEndingsIndent = 30;  // twice that

void print_text(const ImageFormatInfo& format, const std::string& missing) {
  std::string name(format.name);
  std::ranges::replace(name, ' ', '_');
  const std::string endings = fmt::format("{}", fmt::join(format.endings, " "));
  fmt::print("{:<13}  {:<13}  {}\n", name, format.library,
             wrapped(endings, text_columns(), kEndingsIndent, kEndingsIndent));
  if (missing.empty()) return;
  fmt::print("{:{}}{}\n", "", kIndent,
             wrapped("not read: " + missing, text_columns(), kIndent, kIndent));
}

int list_formats(const Arguments& arguments) {
  std::optional<Table> table;
  if (arguments.format.is_table()) {
    table.emplace(arguments.format,
                  std::vector<std::string>{"format", "endings", "read_by", "available", "missing"});
  }
  Json formats = Json::array();
  for (const ImageFormatInfo& format : image_formats()) {
    const std::string missing = missing_part(format);
    Json row = {{"format", format.name},
                {"endings", format.endings},
                {"read_by", format.library},
                {"available", missing.empty()},
                {"missing", missing}};
    if (table) {
      row["endings"] = fmt::format("{}", fmt::join(format.endings, " "));
      table->add(row);
    } else if (arguments.format.is_json()) {
      formats.push_back(std::move(row));
    } else {
      print_text(format, missing);
    }
  }
  if (arguments.format.is_json()) print_json({{"formats", formats}});
  return kExitDone;
}

}  // namespace

void add_formats_command(CLI::App& app, Action& action) {
  add_command(app, action, "formats",
              "List the image formats that are read, and what is missing for others",
              "Output: a line per format: its name, the library that reads it, its endings; below "
              "it what is missing, if anything. The endings of formats that were built in are the "
              "default of images.extensions.\n"
              "Example: lookalike formats --format json",
              list_formats);
}

}  // namespace lookalike
