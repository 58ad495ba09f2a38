#include "pipeline/groups/act_script.h"

#include <cstdint>

#include <fmt/format.h>

#include "pipeline/groups/act_log.h"

namespace lookalike {
namespace {

// Returns a word that a POSIX shell reads as this text.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + '\'';
}

// As the script's stat prints it.
std::string state_of(const SourceFile& file) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  return fmt::format("'{} {}'", file.size_bytes, file.modified_ns / kSecond);
}

constexpr const char* kScript = R"sh(set -u
left=0
leave() { printf '%s: %s\n' "$1" "$2" >&2; left=1; }
is_same() { [ -f "$1" ] && [ "$(stat -c '%s %Y' -- "$1")" = "$2" ]; }
may_go() {  # FILE STATE STAYS STATE exact|-
  if [ -h "$1" ] || ! is_same "$1" "$2"; then leave "$1" 'is gone or has changed'
  elif ! is_same "$3" "$4"; then leave "$1" 'stays, because what stays for it is gone or has changed'
  elif [ "$1" -ef "$3" ]; then leave "$1" 'is another name of the file that stays'
  elif [ "$5" = exact ] && ! cmp -s -- "$1" "$3"; then leave "$1" 'has other bytes than what stays'
  else return 0; fi
  return 1
}
move() {
  may_go "$1" "$2" "$3" "$4" "$5" || return 0
  if [ -e "$6" ]; then leave "$1" 'stays, because its new name is taken'
  else mkdir -p -- "$(dirname -- "$6")" && mv -n -- "$1" "$6" || leave "$1" 'cannot be moved'; fi
}
hardlink() {
  may_go "$1" "$2" "$3" "$4" "$5" || return 0
  ln -f -- "$3" "$6" && mv -f -- "$6" "$1" || leave "$1" 'cannot be made a hard link'
}
)sh";

}  // namespace

std::string script_of(const ActionPlan& plan, const std::filesystem::path& log) {
  const bool is_move = plan.kind == ActionKind::kMove;
  const std::string name = quoted(log.native());
  std::string text = fmt::format(
      "{}{} files that can go.\n"
      "# Puts them back: lookalike duplicates --undo LOG, which is named below.\n"
      "{}"
      "{}[ -e {} ] || cat > {} <<'END-OF-LOG' || exit 1\n{}END-OF-LOG\n",
      kScriptMark, plan.steps.size(), kScript,
      is_move ? fmt::format("mkdir -p -- {} || exit 1\n", quoted(plan.folder)) : "", name, name,
      log_text(plan));
  for (const ActionStep& step : plan.steps) {
    const Needless& one = step.needless;
    text += fmt::format("{} {} {} {} {} {} {}\n", is_move ? "move" : "hardlink",
                        quoted(one.file.path), state_of(one.file), quoted(one.stays.path),
                        state_of(one.stays), one.is_exact ? "exact" : "-",
                        quoted(is_move ? step.to : temporary_link_name(one.file.path)));
  }
  return text + "exit $left\n";
}

}  // namespace lookalike
