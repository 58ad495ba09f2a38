#include "pipeline/duplicates/act_script.h"

#include <fmt/format.h>

#include "pipeline/duplicates/act_log.h"

namespace lookalike {
namespace {

// Returns a word that a POSIX shell reads as this text.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + '\'';
}

}  // namespace

std::string script_of(const ActionPlan& plan, const std::filesystem::path& program) {
  return fmt::format(
      "{}{} files that can go.\n"
      "# Each line below is one of them. Delete the lines of files that should stay, then run this "
      "script.\n"
      "exec {} duplicates --carry-out \"$0\"\n{}",
      kScriptMark, plan.steps.size(), quoted(program.native()), log_text(plan));
}

}  // namespace lookalike
