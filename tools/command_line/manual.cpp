#include "tools/command_line/manual.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "tools/command_line/command_line.h"

namespace lookalike {
namespace {

// The name of the page: lookalike, lookalike-query.
std::string manual_name(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return parent == nullptr ? command.get_name()
                           : fmt::format("{}-{}", manual_name(*parent), command.get_name());
}

// Escapes text for roff, so that no character is a request or an escape. Lines may break after a
// bar.
std::string roff(std::string_view text) {
  constexpr std::string_view kSpecial = "\\-'`^~|";
  constexpr const char* kEscapes[] = {"\\e", "\\-", "\\(aq", "\\(ga", "\\(ha", "\\(ti", "|\\:"};
  std::string escaped;
  for (const char c : text) {
    const std::size_t at = kSpecial.find(c);
    escaped += at == kSpecial.npos ? std::string(1, c) : kEscapes[at];
  }
  return escaped.starts_with('.') ? "\\&" + escaped : escaped;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// The texts of --help around the options, by part of the page.
struct Texts {
  std::string name;
  std::vector<std::string_view> description;
  std::vector<std::string_view> examples;
};

constexpr std::string_view kExample = "Example: ";

// all: the description and the footer; must outlive the result.
Texts texts_of(const std::string& all) {
  Texts texts;
  bool in_examples = false;
  for (const std::string_view line : split(all, '\n')) {
    if (texts.name.empty()) {
      texts.name = line;
      if (texts.name.ends_with('.')) texts.name.pop_back();
      continue;
    }
    const std::string_view text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    const bool begins = line.starts_with(kExample);
    in_examples = begins || (in_examples && text.size() < line.size());
    if (in_examples) {
      texts.examples.push_back(begins ? line.substr(kExample.size()) : text);
    } else if (!text.empty()) {
      texts.description.push_back(line);
    }
  }
  return texts;
}

// Formats lines as paragraphs, with the indentation that they have in --help.
std::string paragraphs(const std::vector<std::string_view>& lines) {
  std::string text;
  for (const std::string_view line : lines) {
    const std::size_t indent = line.find_first_not_of(' ');
    const std::string words = roff(line.substr(indent));
    text += indent == 0 ? fmt::format("{}{}\n", text.empty() ? "" : ".PP\n", words)
                        : fmt::format(".RS {}\n{}\n.RE\n", 2 * indent, words);
  }
  return text;
}

std::string entry(const CLI::Formatter& help, const CLI::Option& option, bool is_positional) {
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(help.make_option_name(&option, is_positional)),
                     roff(help.make_option_opts(&option)), roff(help.make_option_desc(&option)));
}

// Returns the options of a command, or its arguments, in the order of --help.
std::vector<const CLI::Option*> listed(const CLI::App& command, bool are_positional) {
  std::vector<const CLI::Option*> options = command.get_options([&](const CLI::Option* option) {
    return !option->get_group().empty() &&
           (are_positional ? option->get_positional() : option->nonpositional());
  });
  std::stable_partition(options.begin(), options.end(), [](const CLI::Option* option) {
    return option->get_group() != kMoreOptions;
  });
  return options;
}

std::string entries(const CLI::App& command, const CLI::Formatter& help, bool are_positional) {
  std::string text;
  for (const CLI::Option* option : listed(command, are_positional)) {
    text += entry(help, *option, are_positional);
  }
  return text;
}

std::string synopsis(const CLI::App& command, const CLI::Formatter& help) {
  const CLI::App* const parent = command.get_parent();
  std::string text = parent == nullptr ? roff(command.get_name())
                                       : roff(parent->get_name() + ' ' + command.get_name());
  text = fmt::format("\\fB{}\\fR [\\fIOPTION\\fR]...", text);
  for (const CLI::Option* option : listed(command, true)) {
    text += fmt::format(" \\fI{}\\fR", roff(help.make_option_usage(option)));
  }
  if (!command.get_subcommands({}).empty()) text += " \\fICOMMAND\\fR ...";
  return text + '\n';
}

std::string section(std::string_view title, const std::string& text) {
  return text.empty() ? "" : fmt::format(".SH {}\n{}", title, text);
}

// Escapes text for Markdown, so that no character is markup.
std::string inert(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("\\`*_<[#$").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string code_block(const std::vector<std::string_view>& lines) {
  return lines.empty() ? "" : fmt::format("\n```\n{}\n```\n", fmt::join(lines, "\n"));
}

std::string list_of_options(const CLI::App& command, const CLI::Formatter& help) {
  std::string text;
  for (const bool is_positional : {true, false}) {
    for (const CLI::Option* option : listed(command, is_positional)) {
      text += fmt::format("- `{}{}`: {}\n", help.make_option_name(option, is_positional),
                          help.make_option_opts(option), inert(help.make_option_desc(option)));
    }
  }
  return text;
}

std::string chapter(const CLI::App& command, const CLI::Formatter& help) {
  const CLI::App* const parent = command.get_parent();
  const std::string all = command.get_description() + '\n' + command.get_footer();
  const Texts texts = texts_of(all);
  return fmt::format("\n## {}{}\n\n{}.\n\n{}{}{}",
                     parent == nullptr ? "" : parent->get_name() + ' ', command.get_name(),
                     inert(texts.name), list_of_options(command, help),
                     code_block(texts.description), code_block(texts.examples));
}

}  // namespace

std::string reference(const CLI::App& program, const CLI::Formatter& help) {
  std::string text = chapter(program, help);
  for (const CLI::App* command : program.get_subcommands({})) text += chapter(*command, help);
  return text;
}

std::string manual_page(const CLI::App& command, const CLI::Formatter& help) {
  const std::string all = command.get_description() + '\n' + command.get_footer();
  const Texts texts = texts_of(all);
  const std::string name = manual_name(command);
  std::string commands;
  std::vector<std::string> others;
  for (const CLI::App* other : command.get_subcommands({})) {
    const std::string page = roff(manual_name(*other));
    commands += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(other->get_name()),
                            roff(other->get_description()));
    others.push_back(fmt::format("\\fB{}\\fR(1)", page));
  }
  if (name != "lookalike") others.emplace_back("\\fBlookalike\\fR(1)");
  std::string examples;
  for (const std::string_view line : texts.examples) examples += roff(line) + '\n';
  // Neither hyphens nor wider blanks, so that what the page quotes can be copied.
  return fmt::format(".TH {} 1 \"\" \"lookalike {}\" \"User Commands\"\n.nh\n.ad l\n",
                     roff(upper(name)), LOOKALIKE_VERSION) +
         section("NAME", fmt::format("{} \\- {}\n", roff(name), roff(texts.name))) +
         section("SYNOPSIS", synopsis(command, help)) +
         section("DESCRIPTION", roff(texts.name) + ".\n.PP\n" + paragraphs(texts.description)) +
         section("COMMANDS", commands) + section("ARGUMENTS", entries(command, help, true)) +
         section("OPTIONS", entries(command, help, false)) +
         section("EXAMPLES", examples.empty() ? "" : ".nf\n" + examples + ".fi\n") +
         section("SEE ALSO", fmt::format("{}\n", fmt::join(others, ",\n")));
}

}  // namespace lookalike
