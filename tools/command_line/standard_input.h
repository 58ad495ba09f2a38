#pragma once

#include <optional>
#include <string>

#include "base/files.h"
#include "config/options.h"

namespace lookalike {

// The picture on standard input, which a command line names "-", as a file, since pictures are read
// from files. The file has no name in any folder, so that nothing is left of it however the program
// ends; it lives as long as this does.
class StandardInput {
 public:
  explicit StandardInput(const ImagesOptions& limits) : limits_(limits) {}

  // The file to read for a name: that of standard input for "-", else the name itself. What is
  // larger than the limits allow is cut off just beyond them, so that it is refused. Throws
  // Error(kStorage) when there is no memory for it.
  std::string file_of(const std::string& name);
  bool is_read() const { return file_.has_value(); }

 private:
  const ImagesOptions& limits_;
  std::optional<BufferedFile> file_;
};

}  // namespace lookalike
