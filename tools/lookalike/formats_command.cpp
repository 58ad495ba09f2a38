#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text.h"
#include "pipeline/answers.h"
#include "stages/decode/readers.h"
#include "tools/command_line/format.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

struct Arguments {
  explicit Arguments(CLI::App& command)
      : config(command), format(command, "Print one JSON object", false) {}
  ConfigArguments config;
  FormatArgument format;
};

constexpr std::size_t kEndingsIndent = 30;

// The endings of a format that images.extensions does not have.
std::vector<std::string> left_out(const ImageFormatInfo& format,
                                  const std::vector<std::string>& extensions) {
  std::vector<std::string> endings;
  for (const std::string_view ending : format.endings) {
    if (std::ranges::find(extensions, ending) == extensions.end()) endings.emplace_back(ending);
  }
  return endings;
}

void print_text(const ImageFormatInfo& format, const std::string& missing,
                const std::vector<std::string>& left_out) {
  std::string name(format.name);
  std::ranges::replace(name, ' ', '_');
  const std::string endings = fmt::format("{}", fmt::join(format.endings, " "));
  const std::string text = wrapped(endings, text_columns(), kEndingsIndent, kEndingsIndent);
  std::string remark;
  if (!missing.empty()) {
    remark = "not read: " + missing;
  } else if (!left_out.empty()) {
    remark = fmt::format("not indexed: {}, which images.extensions leaves out",
                         fmt::join(left_out, " "));
  }
  fmt::print("{:<13}  {:<13}  {}{}\n", name, format.library, text, below(remark));
}

int list_formats(const Arguments& arguments) {
  const std::vector<std::string> extensions = arguments.config.load().images.extensions;
  std::optional<Table> table;
  if (arguments.format.is_table()) {
    table.emplace(arguments.format, std::vector<std::string>{"format", "endings", "read_by",
                                                             "available", "missing", "left_out"});
  }
  Json formats = Json::array();
  for (const ImageFormatInfo& format : image_formats()) {
    const std::string missing = missing_part(format);
    const std::vector<std::string> endings = left_out(format, extensions);
    Json row = {{"format", format.name},     {"endings", format.endings},
                {"read_by", format.library}, {"available", missing.empty()},
                {"missing", missing},        {"left_out", endings}};
    if (table) {
      row["endings"] = fmt::format("{}", fmt::join(format.endings, " "));
      row["left_out"] = fmt::format("{}", fmt::join(endings, " "));
      table->add(row);
    } else if (arguments.format.is_json()) {
      formats.push_back(std::move(row));
    } else {
      print_text(format, missing, endings);
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
              "it what is missing, if anything, or the endings that images.extensions leaves out. "
              "Its default has the endings of all formats that were built in.\n"
              "Example: lookalike formats --format json",
              list_formats);
}

}  // namespace lookalike
