#include "base/ignore_rules.h"

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/text.h"

namespace lookalike {
namespace {

// Matches a pattern with a text. Remembers the result for each pair of positions, so that the time
// is at most the product of the lengths.
class PatternMatch {
 public:
  PatternMatch(std::string_view pattern, std::string_view text)
      : pattern_(pattern),
        text_(text),
        known_((pattern.size() + 1) * (text.size() + 1), kUnknown) {}

  // True if the pattern from `at` on matches the text from `from` on.
  bool matches(std::size_t at = 0, std::size_t from = 0) {
    std::uint8_t& known = known_[at * (text_.size() + 1) + from];
    if (known == kUnknown) known = compare(at, from) ? kYes : kNo;
    return known == kYes;
  }

 private:
  static constexpr std::uint8_t kUnknown = 2;
  static constexpr std::uint8_t kYes = 1;
  static constexpr std::uint8_t kNo = 0;

  bool compare(std::size_t at, std::size_t from) {
    if (at == pattern_.size()) return from == text_.size();
    const bool begins_name = at == 0 || pattern_[at - 1] == '/';
    const std::string_view rest = pattern_.substr(at);
    if (begins_name && rest == "**") return from < text_.size();
    if (begins_name && rest.starts_with("**/")) {  // any number of folders
      if (matches(at + 3, from)) return true;
      const std::size_t slash = text_.find('/', from);
      return slash != std::string_view::npos && matches(at, slash + 1);
    }
    if (rest.front() == '*') {
      if (matches(at + 1, from)) return true;
      return from < text_.size() && text_[from] != '/' && matches(at, from + 1);
    }
    if (from == text_.size()) return false;
    if (rest.front() == '?') return text_[from] != '/' && matches(at + 1, from + 1);
    if (rest.front() == '[') {
      const auto [end, holds] = in_class(at, text_[from]);
      if (end > 0) return holds && matches(end, from + 1);
    }
    const std::size_t literal = rest.front() == '\\' && rest.size() > 1 ? at + 1 : at;
    return pattern_[literal] == text_[from] && matches(literal + 1, from + 1);
  }

  // Returns the end of the class that begins at `at`, or 0 without one, and whether it contains c.
  std::pair<std::size_t, bool> in_class(std::size_t at, char c) const {
    std::size_t i = at + 1;
    const bool negated = i < pattern_.size() && (pattern_[i] == '!' || pattern_[i] == '^');
    if (negated) ++i;
    bool holds = false;
    for (const std::size_t first = i; i < pattern_.size(); ++i) {
      if (pattern_[i] == ']' && i > first) return {i + 1, holds != negated && c != '/'};
      if (const auto [end, is_of_it] = in_named_class(i, c); end > 0) {
        holds |= is_of_it;
        i = end;
        continue;
      }
      const bool is_range =
          i + 2 < pattern_.size() && pattern_[i + 1] == '-' && pattern_[i + 2] != ']';
      const auto low = static_cast<unsigned char>(pattern_[i]);
      if (is_range) i += 2;
      const auto high = static_cast<unsigned char>(pattern_[i]);
      const auto value = static_cast<unsigned char>(c);
      holds |= low <= value && value <= high;
    }
    return {0, false};
  }

  // The same for a named ASCII class such as "[:upper:]"; 0 for anything else.
  std::pair<std::size_t, bool> in_named_class(std::size_t at, char c) const {
    constexpr std::pair<std::string_view, int (*)(int)> kClasses[] = {
        {"[:alnum:]", &std::isalnum}, {"[:alpha:]", &std::isalpha}, {"[:blank:]", &std::isblank},
        {"[:cntrl:]", &std::iscntrl}, {"[:digit:]", &std::isdigit}, {"[:graph:]", &std::isgraph},
        {"[:lower:]", &std::islower}, {"[:print:]", &std::isprint}, {"[:punct:]", &std::ispunct},
        {"[:space:]", &std::isspace}, {"[:upper:]", &std::isupper}, {"[:xdigit:]", &std::isxdigit}};
    for (const auto& [name, holds] : kClasses) {
      if (!pattern_.substr(at).starts_with(name)) continue;
      const auto value = static_cast<unsigned char>(c);
      return {at + name.size() - 1, value < 128 && holds(value) != 0};
    }
    return {0, false};
  }

  const std::string_view pattern_;
  const std::string_view text_;
  std::vector<std::uint8_t> known_;
};

// Strips trailing white space, except a space after a backslash.
std::string_view trimmed(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) {
    if (line.size() > 1 && line[line.size() - 2] == '\\') break;
    line.remove_suffix(1);
  }
  return line;
}

}  // namespace

void IgnoreRules::add(std::string_view lines, const std::string& folder) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (lines.starts_with(kByteOrderMark)) lines.remove_prefix(kByteOrderMark.size());
  for (const std::string_view line : split(lines, '\n')) {
    std::string_view pattern = trimmed(line);
    if (pattern.empty() || pattern.front() == '#') continue;
    Rule rule;
    rule.folder = folder.ends_with('/') ? folder : folder + '/';
    rule.takes_in = pattern.front() == '!';
    if (rule.takes_in) pattern.remove_prefix(1);
    rule.folders_only = pattern.ends_with('/');
    if (rule.folders_only) pattern.remove_suffix(1);
    rule.whole_path = pattern.find('/') != std::string_view::npos;
    if (pattern.starts_with('/')) pattern.remove_prefix(1);
    rule.pattern = pattern;
    if (!rule.pattern.empty()) rules_.push_back(std::move(rule));
  }
}

bool IgnoreRules::ignores(std::string_view path, bool is_folder) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  // By iterators: clang 14, which fuzzes, cannot compile GCC's std::views.
  for (auto last = rules_.rbegin(); last != rules_.rend(); ++last) {
    const Rule& rule = *last;
    if ((rule.folders_only && !is_folder) || !path.starts_with(rule.folder)) continue;
    const std::string_view text = rule.whole_path ? path.substr(rule.folder.size()) : name;
    if (PatternMatch(rule.pattern, text).matches()) return !rule.takes_in;
  }
  return false;
}

}  // namespace lookalike
