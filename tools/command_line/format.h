#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/color.h>
#include <nlohmann/json.hpp>

#include "tools/command_line/command_line.h"
#include "tools/report/page.h"

// The forms in which commands print their answers.
namespace lookalike {

enum class Format { kText, kTsv, kCsv, kJson, kPaths };

// What a command prints in the formats other than text.
struct Formats {
  std::string json = "one JSON object";    // for --help; docs/schema/COMMAND.json has its fields
  std::vector<std::string> columns{};      // of a table
  std::vector<std::string> paths{};        // the columns that hold paths
  bool has_paths_format = !paths.empty();  // --format paths, which prints the "path" of rows
  bool reads_names = false;                // -0 also ends names that the command reads
};

// --format; --json, short for --format json; and -0.
class FormatArgument {
 public:
  FormatArgument(CLI::App& command, Formats formats);
  Format get() const;
  const Formats& formats() const { return formats_; }
  // The end of a path in Format::kPaths.
  char path_end() const { return nul_ ? '\0' : '\n'; }

 private:
  const Formats formats_;
  std::string name_;
  bool json_ = false;
  bool nul_ = false;
};

// Prints answers on stdout in the format that the command line names: text, JSON lines, a table
// with a header row, or the paths of a table's rows in the bytes of the file system.
class Printer {
 public:
  // Prints the header row of a table. The argument must outlive the printer.
  explicit Printer(const FormatArgument& format);
  Format format() const { return format_; }

  // Prints `json` in one line, or `rows`, an array of objects, as a table, or calls print_text().
  // A row has strings, numbers, flags and nulls by column; missing ones are empty. In TSV, a path
  // with a line break or a tab becomes a file: URI, and other texts have spaces for them. In
  // Format::kPaths, a row prints its "path", in the form of text_of_path(), if it has one.
  template <typename PrintText>
  void print(const nlohmann::ordered_json& json, const nlohmann::ordered_json& rows,
             const PrintText& print_text) const {
    if (format_ == Format::kText) {
      print_text();
    } else if (format_ == Format::kJson) {
      print_json(json);
    } else {
      print_rows(rows);
    }
  }
  // The same for an answer that is one row.
  template <typename PrintText>
  void print(const nlohmann::ordered_json& row, const PrintText& print_text) const {
    print(row, row, print_text);
  }

 private:
  void print_rows(const nlohmann::ordered_json& rows) const;  // an array, or one row
  void print_row(const nlohmann::ordered_json& row) const;
  void print_line(const std::vector<std::string>& fields) const;

  const FormatArgument& argument_;
  const Format format_;
};

// --json, for commands that otherwise print text alone.
class JsonArgument {
 public:
  JsonArgument(CLI::App& command, const std::string& meaning) {
    option_ = command.add_flag("--json", is_set_, meaning);
  }
  CLI::Option* option() const { return option_; }
  template <typename PrintText>
  void print(const nlohmann::ordered_json& json, const PrintText& print_text) const {
    if (is_set_) {
      print_json(json);
    } else {
      print_text();
    }
  }

 private:
  CLI::Option* option_ = nullptr;
  bool is_set_ = false;
};

// The options of commands that list something of an index.
struct ListArguments {
  ListArguments(CLI::App& command, Formats formats)
      : index(command), format(command, std::move(formats)) {}
  IndexArgument index;
  FormatArgument format;
};

// Text on stdout fits the width of a terminal; elsewhere nothing is left out or wrapped. All
// columns but the last have one word each, so that awk can split them.

// Returns the width of the terminal, or the largest number if stdout is not a terminal.
std::size_t text_columns();

std::string styled(const std::string& text, const fmt::text_style& style);

// Formats the last column of a row whose other columns have this width: after two spaces or, if it
// does not fit, on a line of its own.
std::string last_column(std::size_t width, const std::string& path);
// The same for a sentence, which is wrapped.
std::string last_text(std::size_t width, const std::string& sentence);
// Formats a sentence that follows a row: a line break, then the wrapped sentence. Empty for an
// empty sentence.
std::string below(const std::string& sentence);

// Prints a row with a number, a word in a style, facts as "name value", and a path. Facts that do
// not fit are left out.
void print_row(std::size_t number, const std::string& word, const fmt::text_style& style,
               const Facts& facts, const std::string& path);

// Throws Error(kStorage) when what was printed cannot be written.
void flush_output();

}  // namespace lookalike
