#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/color.h>
#include <nlohmann/json_fwd.hpp>

#include "tools/command_line/command_line.h"
#include "tools/report/page.h"

// The forms in which commands print lists.
namespace lookalike {

enum class Format { kText, kTsv, kCsv, kJson, kPaths };

// --format; --json, which stands for one of its values; and -0.
class FormatArgument {
 public:
  // json: what --json prints, for --help. has_paths: what is listed has paths. reads_names: -0 also
  // ends names that the command reads.
  FormatArgument(CLI::App& command, const std::string& json, bool has_paths = true,
                 bool reads_names = false);
  Format get() const;
  bool is_json() const { return get() == Format::kJson; }
  // Whether Table prints it.
  bool is_table() const { return get() != Format::kText && get() != Format::kJson; }
  // The end of a path in Format::kPaths.
  char path_end() const { return nul_ ? '\0' : '\n'; }

 private:
  std::string name_;
  bool json_ = false;
  bool nul_ = false;
};

// A list on stdout as TSV or CSV, with a header row, or as the paths of its rows, in the bytes of
// the file system.
class Table {
 public:
  // format: kTsv, kCsv or kPaths.
  // paths: the columns that hold paths.
  Table(const FormatArgument& format, std::vector<std::string> columns,
        std::vector<std::string> paths = {"path"});
  // An object of strings, numbers, flags and nulls by column; those missing are empty. Its "path",
  // in the form of text_of_path(), is what Format::kPaths prints; a row without one is left out.
  // In TSV, a path with a line break or a tab is a file: URI, and other texts have spaces for them.
  void add(const nlohmann::ordered_json& row) const;

 private:
  void print_line(const std::vector<std::string>& fields) const;

  const Format format_;
  const char path_end_;
  const std::vector<std::string> columns_;
  const std::vector<std::string> paths_;
};

// The options of commands that list something of an index.
struct ListArguments {
  ListArguments(CLI::App& command, const std::string& json, bool has_paths)
      : index(command), format(command, json, has_paths) {}
  IndexArgument index;
  FormatArgument format;
};

// Text on stdout fits a terminal's width. Columns but the last have one word each, so that awk can
// split them; elsewhere than on a terminal none is left out.

// The width of the terminal, or more than any text has.
std::size_t text_columns();

std::string styled(const std::string& text, const fmt::text_style& style);

// The last column of a row, to follow others of that width: behind two spaces or, where it would
// leave the width, on a line of its own.
std::string last_column(std::size_t width, const std::string& path);
// The same for sentences, which are wrapped there.
std::string last_text(std::size_t width, const std::string& sentence);
// A sentence below a row, on lines of its own that begin with a line break; nothing without one.
std::string below(const std::string& sentence);

// A row with a number, a word in a style, facts as "name value", and a path. The last facts are
// left out where they leave the width.
void print_row(std::size_t number, const std::string& word, const fmt::text_style& style,
               const Facts& facts, const std::string& path);

// Throws Error(kStorage) when what was printed cannot be written.
void flush_output();

}  // namespace lookalike
