#include "kernels/session/program_cache.h"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/files.h"

namespace lookalike {
namespace {

constexpr std::string_view kMagic = "lookalike program 1\n";

// FNV-1a, 64 bits (Fowler, Noll, Vo): names the file only; the key inside decides.
std::uint64_t fnv1a(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return hash;
}

std::string header_for(const std::string& key) {
  return std::string(kMagic) + std::to_string(key.size()) + '\n' + key;
}

}  // namespace

std::filesystem::path ProgramCache::file_for(const std::string& key) const {
  return folder_ / (std::to_string(fnv1a(key)) + ".clbin");
}

std::optional<std::vector<unsigned char>> ProgramCache::load(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  std::ifstream file(file_for(key), std::ios::binary);
  if (!file) return std::nullopt;
  const std::string header = header_for(key);
  const std::string content((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
  if (!content.starts_with(header)) return std::nullopt;
  return std::vector<unsigned char>(content.begin() + static_cast<std::ptrdiff_t>(header.size()),
                                    content.end());
}

void ProgramCache::store(const std::string& key, const std::vector<unsigned char>& binary) const {
  if (folder_.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  std::string content = header_for(key);
  content.append(binary.begin(), binary.end());
  try {
    write_atomically(file_for(key), bytes_of(content), false);
  } catch (const Error&) {
    // The next process compiles again.
  }
}

}  // namespace lookalike
