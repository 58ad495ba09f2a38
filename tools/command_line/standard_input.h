#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "config/options.h"
#include "tools/scratch_folder.h"

namespace lookalike {

// The picture on standard input, which a command line names "-", as a file, since pictures are read
// from files. The file lives as long as this does.
class StandardInput {
 public:
  explicit StandardInput(const ImagesOptions& limits) : limits_(limits) {}

  // The file to read for a name: that of standard input for "-", else the name itself. What is
  // larger than the limits allow is cut off just beyond them, so that it is refused. Throws
  // Error(kStorage) when the file cannot be written.
  std::string file_of(const std::string& name);
  bool is_read() const { return folder_.has_value(); }

 private:
  const ImagesOptions& limits_;
  std::optional<ScratchFolder> folder_;
};

}  // namespace lookalike
