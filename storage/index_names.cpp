#include "storage/index_names.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace lookalike {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWorkFolder = ".work";
constexpr std::array<std::string_view, 6> kEndings = {"",         "-wal",  "-shm",
                                                      "-journal", ".lock", kWorkFolder};
constexpr std::string_view kRetrained = ".retrain";

bool drop_ending(std::string& name, std::string_view ending) {
  if (name.size() <= ending.size() || !name.ends_with(ending)) return false;
  name.resize(name.size() - ending.size());
  return true;
}

}  // namespace

std::vector<fs::path> files_of_index(const fs::path& database) {
  std::vector<fs::path> files;
  for (const std::string_view index : {std::string_view(), kRetrained}) {
    for (const std::string_view ending : kEndings) {
      files.emplace_back(database.native() + std::string(index) + std::string(ending));
    }
  }
  return files;
}

std::vector<fs::path> possible_indexes(const fs::path& name) {
  std::vector<fs::path> found;
  const auto add_without = [&](std::string file, std::string_view ending) {
    if (!ending.empty() && !drop_ending(file, ending)) return;
    found.emplace_back(file);
    if (drop_ending(file, kRetrained)) found.emplace_back(std::move(file));
  };
  for (const std::string_view ending : kEndings) add_without(name.native(), ending);
  for (fs::path at = name.parent_path(); at.has_relative_path(); at = at.parent_path()) {
    add_without(at.native(), kWorkFolder);
  }
  return found;
}

}  // namespace lookalike
