#include "pipeline/duplicates/file_name.h"

#include <algorithm>
#include <array>
#include <regex>
#include <string>

#include "base/text.h"

namespace lookalike {
namespace {

// Returns the name of a file without its folders and its ending, ASCII letters in lower case.
std::string stem_of(std::string_view path) {
  std::string stem(path.substr(path.rfind('/') + 1));
  stem.erase(std::min(stem.rfind('.'), stem.size()));
  std::ranges::transform(stem, stem.begin(), lower_case);
  return stem;
}

// True for control characters, marks of direction and characters without width.
bool is_hidden(CodePoint at) {
  const char32_t c = at.value;
  return at.length == 0 || c < ' ' || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x202a && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || c == 0xfffd;
}

bool has_hidden(std::string_view path) {
  while (!path.empty()) {
    const CodePoint at = first_code_point(path);
    if (is_hidden(at)) return true;
    path.remove_prefix(at.length);
  }
  return false;
}

// True for a word of letters that people use; bytes beyond ASCII are letters.
bool is_word(std::string_view word) {
  constexpr std::size_t kLeastLetters = 4;
  constexpr std::array<std::string_view, 26> kOfPrograms = {
      "image",    "photo",    "foto",      "picture", "pict",      "bild",     "scan",
      "dscn",     "dscf",     "gopr",      "mvimg",   "pxl",       "file",     "download",
      "unnamed",  "untitled", "received",  "resized", "edited",    "whatsapp", "signal",
      "telegram", "snapchat", "instagram", "burst",   "screenshot"};
  return word.size() >= kLeastLetters && std::ranges::find(kOfPrograms, word) == kOfPrograms.end();
}

bool is_digest(const std::string& stem) {
  constexpr std::size_t kLeastDigits = 16;
  return stem.size() >= kLeastDigits &&
         stem.find_first_not_of("0123456789abcdef-_") == std::string::npos;
}

bool has_word(const std::string& stem) {
  if (is_digest(stem)) return false;
  std::string word;
  for (const char c : stem + ' ') {
    const bool is_letter = (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80;
    if (is_letter) {
      word += c;
    } else if (is_word(word)) {
      return true;
    } else {
      word.clear();
    }
  }
  return false;
}

// True for "2019", "2019-07 Summer" and the like.
bool begins_with_year(std::string_view folder) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return folder.size() >= 4 && std::ranges::all_of(folder.substr(0, 4), is_digit) &&
         (folder.starts_with("19") || folder.starts_with("20")) &&
         (folder.size() == 4 || !is_digit(folder[4]) || folder.size() == 8);
}

}  // namespace

bool is_name_of_copy(std::string_view path) {
  static const std::regex made_by_copying(
      R"(.*\(\d{1,2}\)|.*~\d{1,2}|.*[ _-](copy|kopie|kopia|copia|copie|edited|bearbeitet|modifi.*))"
      R"(( ?\(?\d{1,3}\)?)?|(copy|kopie|copia|copie) (\(\d+\) )?(of|von|de|di) .*)"
      R"(|.*(conflicted copy|sync-conflict-|konflikt).*)");
  return has_hidden(path) || std::regex_match(stem_of(path), made_by_copying);
}

NameRank rank_of_name(std::string_view path) {
  return {is_name_of_copy(path), meaning_of_name(path)};
}

int meaning_of_name(std::string_view path) {
  const std::size_t name = path.rfind('/') + 1;
  const auto folders = split(path.substr(0, name), '/');
  return (has_word(stem_of(path)) ? 1 : 0) +
         (std::ranges::any_of(folders, begins_with_year) ? 1 : 0);
}

}  // namespace lookalike
