#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace lookalike {

// --database FILE of commands that want an index to be there already.
class IndexFile {
 public:
  explicit IndexFile(CLI::App& command);
  // Throws Error(kInput) when there is no such file, so that a mistyped name makes no new index.
  const std::string& must_exist() const;

 private:
  std::string database_;
};

}  // namespace lookalike
