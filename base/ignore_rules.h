#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lookalike {

// Which files and folders to leave out, by patterns in the syntax of gitignore(5). The last pattern
// that matches a path decides; nothing below a folder that is left out can be taken in again.
class IgnoreRules {
 public:
  // Adds patterns, one a line, behind a byte order mark if there is one, for paths below a folder
  // in the form of normal_path().
  void add(std::string_view lines, const std::string& folder);

  bool ignores(std::string_view path, bool is_folder) const;

 private:
  struct Rule {
    std::string folder;  // with a slash at its end
    std::string pattern;
    bool takes_in = false;      // "!pattern"
    bool folders_only = false;  // "pattern/"
    bool whole_path = false;    // from `folder` on, not the name alone
  };
  std::vector<Rule> rules_;
};

}  // namespace lookalike
