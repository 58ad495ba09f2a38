#pragma once

#include <optional>
#include <string>

#include "base/files.h"
#include "config/options.h"

namespace lookalike {

// The picture on standard input, which a command line names "-", as a file. The file has no name in
// any folder, so that it vanishes however the program ends; it lives as long as this object.
class StandardInput {
 public:
  explicit StandardInput(const ImagesOptions& limits) : limits_(limits) {}

  // Returns the file to read for a name: for "-" the file of standard input, else the name itself.
  // Input beyond the limits is cut off just above them, so that it is refused. Throws
  // Error(kStorage) when memory runs out.
  std::string file_of(const std::string& name);
  bool is_read() const { return file_.has_value(); }

 private:
  const ImagesOptions& limits_;
  std::optional<BufferedFile> file_;
};

}  // namespace lookalike
