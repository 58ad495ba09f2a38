#include "tools/serve/photo_dates.h"

#include <algorithm>
#include <ctime>
#include <exception>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/files.h"
#include "base/parse_number.h"
#include "base/source_file.h"
#include "base/text.h"
#include "base/work_limits.h"
#include "pipeline/answers.h"
#include "stages/decode/readers.h"

namespace lookalike {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kDatesMagic = "lookalike dates 1\n";
constexpr FileKind kDates{
    .most_bytes = std::size_t{1} << 30U, .may_be_link = false, .beginning = kDatesMagic};

ContentHash key_of(const std::string& path, std::int64_t modified_ns) {
  return hash_content(bytes_of(fmt::format("{} {}", modified_ns, path)));
}

// Reads "2019-07-14T12:30:05"; 0 for anything else.
LocalTime local_time(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c >= '0' && c <= '9') digits += c;
  }
  constexpr std::size_t kDigits = 14;
  if (text.size() != kDigits + 5 || digits.size() != kDigits) return 0;
  return parse_number<LocalTime>(digits).value_or(0);
}

LocalTime local_time(std::int64_t since_epoch_ns) {
  constexpr std::int64_t kNsPerS = 1'000'000'000;
  const std::time_t seconds = since_epoch_ns / kNsPerS;
  std::tm parts{};
  if (::localtime_r(&seconds, &parts) == nullptr) return 0;
  LocalTime time = parts.tm_year + 1900;
  for (const int part :
       {parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec}) {
    time = 100 * time + part;
  }
  return time;
}

// Time after which a file that could not be read is asked again.
constexpr std::chrono::minutes kPause{10};
// Time after which dates that nobody asked for are removed.
constexpr std::chrono::hours kMostUnused{24 * 100};

// Returns when a picture was taken, 0 if its file does not say it; nothing for a file that is gone,
// has changed or cannot be read.
std::optional<LocalTime> read_taken(const std::string& path, std::int64_t modified_ns) {
  const std::optional<SourceFile> now = look_at(path);
  if (!now || now->modified_ns != modified_ns) return std::nullopt;
  const std::optional<PhotoOrigin> origin = read_origin(path);
  return origin ? std::optional(local_time(origin->taken)) : std::nullopt;
}

// Removes the dates of indexes that are no longer served. Throws std::filesystem::filesystem_error.
void remove_unused_beside(const std::filesystem::path& file) {
  const auto now = std::filesystem::file_time_type::clock::now();
  for (const auto& entry : std::filesystem::directory_iterator(file.parent_path())) {
    if (entry.is_regular_file() && now - entry.last_write_time() > kMostUnused) {
      std::filesystem::remove(entry.path());
    }
  }
}

}  // namespace

std::string text_of(LocalTime time) {
  const auto part = [&](LocalTime unit) { return time / unit % 100; };
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", time / 10'000'000'000,
                     part(100'000'000), part(1'000'000), part(10'000), part(100), part(1));
}

std::size_t PhotoDates::read_all(std::span<const SourceFile> files,
                                 std::chrono::milliseconds budget) {
  const std::lock_guard one_at_a_time(reading_);
  const auto end = Clock::now() + budget;
  std::vector<const SourceFile*> unread;
  {
    const std::lock_guard lock(mutex_);
    load();
    for (const SourceFile& file : files) {
      check_time();
      if (is_unread(key_of(file.path, file.modified_ns))) unread.push_back(&file);
    }
  }
  std::size_t read = 0;
  for (; read < unread.size() && Clock::now() < end; ++read) {
    add(unread[read]->path, unread[read]->modified_ns);
  }
  if (read == unread.size()) {
    const std::lock_guard lock(mutex_);
    save();
  }
  return unread.size() - read;
}

bool PhotoDates::is_unread(const ContentHash& key) const {
  if (taken_.contains(key)) return false;
  const auto failed = failed_.find(key);
  return failed == failed_.end() || Clock::now() - failed->second >= kPause;
}

void PhotoDates::drop_gone(const IndexReader& index, std::size_t files) {
  constexpr std::size_t kSpare = 1000;
  const std::lock_guard lock(mutex_);
  if (taken_.size() + failed_.size() <= files + files / 4 + kSpare) return;
  Times present;
  index.for_each_file([&](const std::string& path, std::int64_t modified_ns) {
    check_time();
    if (const auto known = taken_.find(key_of(path, modified_ns)); known != taken_.end()) {
      present.insert(*known);
    }
  });
  is_saved_ = is_saved_ && present.size() == taken_.size();
  taken_ = std::move(present);
  failed_.clear();
}

void PhotoDates::add(const std::string& path, std::int64_t modified_ns) {
  check_time();
  const std::optional<LocalTime> time = read_taken(path, modified_ns);
  const ContentHash key = key_of(path, modified_ns);
  const std::lock_guard lock(mutex_);
  if (!time) {
    failed_[key] = Clock::now();
    return;
  }
  failed_.erase(key);
  taken_[key] = *time;
  is_saved_ = false;
}

PhotoDate PhotoDates::read(const std::string& path, std::int64_t modified_ns) {
  const auto must_be_read = [&] {
    const std::lock_guard lock(mutex_);
    load();
    return is_unread(key_of(path, modified_ns));
  };
  if (must_be_read()) add(path, modified_ns);
  return of(path, modified_ns);
}

PhotoDate PhotoDates::of(const std::string& path, std::int64_t modified_ns) const {
  const std::lock_guard lock(mutex_);
  const auto taken = taken_.find(key_of(path, modified_ns));
  if (taken != taken_.end() && taken->second != 0) return {taken->second, true};
  return {local_time(modified_ns), false};
}

// The file: the magic, the hash of the rest, and a line for each date.
void PhotoDates::load() {
  if (std::exchange(is_loaded_, true) || file_.empty()) return;
  const std::optional<std::string> bytes = read_file(file_, kDates);
  if (!bytes) return;
  constexpr std::size_t kHex = 2 * ContentHash{}.size();
  std::string_view rest = std::string_view(*bytes).substr(kDatesMagic.size());
  const std::optional<ContentHash> hash = content_from(rest.substr(0, kHex));
  rest.remove_prefix(std::min(rest.size(), kHex + 1));
  if (!hash || *hash != hash_content(bytes_of(rest))) return;
  std::error_code no_matter;
  std::filesystem::last_write_time(file_, std::filesystem::file_time_type::clock::now(), no_matter);
  for (const std::string_view line : split(rest, '\n')) {
    if (line.size() <= kHex) continue;
    const std::optional<ContentHash> key = content_from(line.substr(0, kHex));
    const std::optional<LocalTime> time = parse_number<LocalTime>(line.substr(kHex + 1));
    if (key && time) taken_[*key] = *time;
  }
}

void PhotoDates::save() noexcept {
  if (file_.empty() || is_saved_) return;
  try {
    if (!missing_for_metadata().empty()) return;  // no file was asked
    std::string lines;
    for (const auto& [key, time] : taken_) lines += fmt::format("{} {}\n", to_hex(key), time);
    const std::string text =
        fmt::format("{}{}\n{}", kDatesMagic, to_hex(hash_content(bytes_of(lines))), lines);
    create_own_folders(file_.parent_path());
    write_atomically(file_, bytes_of(text), false, FileAccess::kOwner);
    is_saved_ = true;
    remove_unused_beside(file_);
  } catch (const std::exception&) {
    return;  // they are read again
  }
}

}  // namespace lookalike
