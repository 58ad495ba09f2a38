#include "tools/lookalike/index_file.h"

#include <filesystem>

#include "base/error.h"

namespace lookalike {

IndexFile::IndexFile(CLI::App& command) {
  command.add_option("--database", database_, "The index's file")->required()->type_name("FILE");
}

ListArguments::ListArguments(CLI::App& command) : index(command) {
  command.add_flag("--json", json, "Print one JSON object");
}

const std::string& IndexFile::must_exist() const {
  std::error_code error;
  if (!std::filesystem::is_regular_file(database_, error)) {
    throw Error(ErrorKind::kInput, database_ + ": there is no such index");
  }
  return database_;
}

}  // namespace lookalike
