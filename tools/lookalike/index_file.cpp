#include "tools/lookalike/index_file.h"

#include <filesystem>

#include "pipeline/error.h"

namespace lookalike {

IndexFile::IndexFile(CLI::App& command) {
  command.add_option("--database", database_, "The index's file")->required()->type_name("FILE");
}

const std::string& IndexFile::must_exist() const {
  std::error_code error;
  if (!std::filesystem::is_regular_file(database_, error)) {
    throw Error(ErrorKind::kInput, database_ + ": there is no such index");
  }
  return database_;
}

}  // namespace lookalike
