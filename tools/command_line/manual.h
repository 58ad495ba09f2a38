#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

// Manual pages, completions and a reference, made from a program's own options.
namespace lookalike {

// Returns the manual page of a program or of one of its commands, as roff with the macros of
// man(7).
//   help  words the options as --help does
std::string manual_page(const CLI::App& command, const CLI::Formatter& help);

// Returns the chapters of the reference about a program and its commands, as Markdown.
std::string reference(const CLI::App& program, const CLI::Formatter& help);

// Returns what may replace the last of the words that follow a program's name, for the scripts in
// tools/packaging/completions. The first line is "files" or "folders", which the shell then adds,
// or "text"; each further one is a word, a tab and its meaning.
//   words  at least one; the last may be empty
std::string completions(const CLI::App& program, const std::vector<std::string>& words);

}  // namespace lookalike
