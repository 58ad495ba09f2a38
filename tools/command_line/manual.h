#pragma once

#include <string>

#include <CLI/CLI.hpp>

// Manual pages, completions and a reference, made from a program's own options.
namespace lookalike {

// Returns the manual page of a program or of one of its commands, as roff with the macros of
// man(7).
//   help  words the options as --help does
std::string manual_page(const CLI::App& command, const CLI::Formatter& help);

// Returns the chapters of the reference about a program and its commands, as Markdown.
std::string reference(const CLI::App& program, const CLI::Formatter& help);

// Returns a script that completes the words of a program and its commands. shell: "bash", "zsh" or
// "fish". Throws Error(kUsage) for any other.
std::string completions(const CLI::App& program, const std::string& shell);

}  // namespace lookalike
