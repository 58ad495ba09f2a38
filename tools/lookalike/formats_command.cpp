#include <cstddef>
#include <string_view>

#include <fmt/ranges.h>

#include "stages/decode/readers.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

struct FormatsArguments {
  explicit FormatsArguments(CLI::App& command)
      : config(command),
        format(command,
               {.columns = {"format", "endings", "read_by", "available", "missing", "left_out"}}) {}
  ConfigArguments config;
  FormatArgument format;
};

constexpr std::size_t kEndingsIndent = 30;
constexpr std::string_view kMetadataLibrary = "libexiv2";

// Returns the endings of a format that are not in images.extensions.
std::vector<std::string> left_out(const ImageFormatInfo& format,
                                  const std::vector<std::string>& extensions) {
  std::vector<std::string> endings;
  for (const std::string_view ending : format.endings) {
    if (std::ranges::find(extensions, ending) == extensions.end()) endings.emplace_back(ending);
  }
  return endings;
}

void print_formats(const ImageFormatInfo& format, const std::string& missing,
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

int list_formats(const FormatsArguments& arguments) {
  const std::vector<std::string> extensions = arguments.config.load().images.extensions;
  const std::string missing_metadata = missing_for_metadata();
  Json answer = {{"formats", Json::array()},
                 {"metadata",
                  {{"read_by", kMetadataLibrary},
                   {"available", missing_metadata.empty()},
                   {"missing", missing_metadata}}}};
  Json rows = Json::array();
  for (const ImageFormatInfo& format : image_formats()) {
    const std::string missing = missing_part(format);
    const std::vector<std::string> endings = left_out(format, extensions);
    Json& row =
        rows.emplace_back(answer["formats"].emplace_back(Json{{"format", format.name},
                                                              {"endings", format.endings},
                                                              {"read_by", format.library},
                                                              {"available", missing.empty()},
                                                              {"missing", missing},
                                                              {"left_out", endings}}));
    row["endings"] = fmt::format("{}", fmt::join(format.endings, " "));
    row["left_out"] = fmt::format("{}", fmt::join(endings, " "));
  }
  Printer(arguments.format).print(answer, rows, [&] {
    for (const ImageFormatInfo& format : image_formats()) {
      print_formats(format, missing_part(format), left_out(format, extensions));
    }
    const std::string remark = missing_metadata.empty() ? "" : "not read: " + missing_metadata;
    fmt::print("{:<13}  {:<13}  EXIF IPTC XMP comments{}\n", "metadata", kMetadataLibrary,
               below(remark));
  });
  return kExitDone;
}

}  // namespace

void add_formats_command(CLI::App& app, Action& action) {
  add_command(app, action, "formats",
              "List the image formats that are read, and what is missing for others",
              "Output: a line per format: its name, the library that reads it, its endings; below "
              "it what is missing, if anything, or the endings that images.extensions leaves out. "
              "By default it has the endings of all formats that were built in. The last line says "
              "the same of what is written into files.\n"
              "Example: lookalike formats --format json",
              list_formats);
}

}  // namespace lookalike
