#include "kernels/session/program_cache.h"

#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

namespace lookalike {
namespace {

constexpr std::string_view kMagic = "lookalike program 2\n";
constexpr std::size_t kHeadBytes = kMagic.size() + 16 + 1 + 16 + 1;
constexpr FileKind kProgramFile{.most_bytes = std::size_t{64} << 20U,  // binaries have some 50 KB
                                .may_be_link = false,
                                .beginning = kMagic};

// The byte behind the key.
constexpr char kUsable = '+';
constexpr char kSecond = '2';  // usable: a process died while its driver read the one before
constexpr char kRefused = '-';

// Returns FNV-1a, 64 bits (Fowler, Noll, Vo), which any change of one byte changes. kernels/ builds
// with OpenCL alone, so without the XXH3 of base/content_hash.h.
std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return hash;
}

// Returns the head of a file: magic, checksum and length of the rest.
std::string head_of(std::string_view body) {
  std::array<char, 64> numbers{};
  const int size = std::snprintf(numbers.data(), numbers.size(), "%016" PRIx64 " %016" PRIx64 "\n",
                                 fnv1a(body), static_cast<std::uint64_t>(body.size()));
  return std::string(kMagic) + std::string(numbers.data(), static_cast<std::size_t>(size));
}

std::string key_in_file(const std::string& key) {
  return std::to_string(key.size()) + '\n' + key;
}

// Returns the body of a file without its key, which begins with its state; nothing for another key
// or a damaged file.
std::optional<std::string_view> content_for(const std::string& key, std::string_view file) {
  if (file.size() < kHeadBytes) return std::nullopt;
  std::string_view body = file.substr(kHeadBytes);
  if (file.substr(0, kHeadBytes) != head_of(body)) return std::nullopt;
  const std::string start = key_in_file(key);
  if (!body.starts_with(start) || body.size() == start.size()) return std::nullopt;
  body.remove_prefix(start.size());
  return body;
}

}  // namespace

LoadingGuard::LoadingGuard(const std::filesystem::path& binary) : path_(binary) {
  path_ += ".loading";
  do {
    file_ = FileDescriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file_.is_open()) return;
    if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0) {
      file_ = FileDescriptor();  // the holder guards the binary
      return;
    }
  } while (!leads_to(path_, file_));  // the previous holder removed it before it was locked
  struct stat status {};
  follows_a_death_ = ::fstat(file_.number(), &status) == 0 && status.st_size > 0;
  // Empty until it is locked: a new file that another process opens first shows no death.
  [[maybe_unused]] const auto marked = ::write(file_.number(), "loading\n", 8);
}

LoadingGuard::~LoadingGuard() {
  if (file_.is_open()) ::unlink(path_.c_str());
}

std::filesystem::path ProgramCache::file_for(const std::string& key) const {
  return folder_ / (std::to_string(fnv1a(key)) + ".clbin");
}

std::optional<CachedProgram> ProgramCache::load(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const std::optional<std::string> file = read_file(file_for(key), kProgramFile);
  if (!file) return std::nullopt;
  const std::optional<std::string_view> content = content_for(key, *file);
  if (!content) return std::nullopt;
  CachedProgram program{.binary = {content->begin() + 1, content->end()},
                        .is_refused = content->front() == kRefused,
                        .guard = {}};
  if (program.binary.empty()) return program;
  LoadingGuard guard(file_for(key));
  if (guard.follows_a_death()) {
    const bool is_last = content->front() == kSecond;
    write(key, is_last ? kRefused : kSecond, {});
    return CachedProgram{.binary = {}, .is_refused = is_last, .guard = {}};
  }
  program.guard.emplace(std::move(guard));
  return program;
}

void ProgramCache::store(const std::string& key, const std::vector<unsigned char>& binary) const {
  const std::optional<std::string> before = read_file(file_for(key), kProgramFile);
  const auto content = before ? content_for(key, *before) : std::nullopt;
  write(key, content && content->front() == kSecond ? kSecond : kUsable, binary);
}

void ProgramCache::write(const std::string& key, char state,
                         const std::vector<unsigned char>& binary) const {
  if (folder_.empty()) return;
  create_own_folders(folder_);
  std::string body = key_in_file(key) + state;
  body.append(binary.begin(), binary.end());
  try {
    write_atomically(file_for(key), bytes_of(head_of(body) + body), true, FileAccess::kOwner);
  } catch (const Error&) {
    // The next process compiles again.
  }
}

}  // namespace lookalike
