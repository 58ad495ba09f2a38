#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lookalike {

// Files and folders to leave out, by patterns in the syntax of gitignore(5). The last pattern that
// matches a path decides; a pattern cannot include files below an excluded folder.
class IgnoreRules {
 public:
  // Adds patterns, one a line after an optional byte order mark, for paths below a folder in the
  // form of normal_path().
  void add(std::string_view lines, const std::string& folder);

  bool ignores(std::string_view path, bool is_folder) const;

 private:
  struct Rule {
    std::string folder;  // with a trailing slash
    std::string pattern;
    bool takes_in = false;      // "!pattern"
    bool folders_only = false;  // "pattern/"
    bool whole_path = false;    // matches the path from `folder` on, instead of the name
  };
  std::vector<Rule> rules_;
};

}  // namespace lookalike
