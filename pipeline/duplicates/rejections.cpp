#include "pipeline/duplicates/rejections.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <optional>
#include <tuple>
#include <unistd.h>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "pipeline/searcher.h"
#include "storage/lock_file.h"

namespace lookalike {
namespace {

constexpr std::size_t kColumns = 3;

bool is_before(const Rejection& x, const Rejection& y) {
  return std::tie(x.a, x.b) < std::tie(y.a, y.b);
}

// Begins the last line of the file, which holds the XXH3-64 of all bytes before it.
constexpr std::string_view kEnd = "end,";

std::string end_of(std::string_view csv) {
  return fmt::format("{}{:016x}\n", kEnd, checksum(bytes_of(csv)));
}

// Opens and locks the file, creating a missing one. Retries if the file was replaced while waiting
// for the lock, which anyone who can read the file may hold for longer than it waits.
FileDescriptor locked(const std::filesystem::path& file) {
  constexpr std::chrono::seconds kPatience{1};
  while (true) {
    FileDescriptor opened(::open(file.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!opened.is_open() && errno == ENOENT) {
      AtomicFile made(file);
      made.write(bytes_of(rejections_text(Rejections())));
      made.commit_new();
      continue;
    }
    if (!opened.is_open()) fail_file(file, "cannot be written");
    if (!wait_for_lock(opened, kPatience)) {
      throw Busy(printable(file.native()) + ": is locked by another program: try again");
    }
    if (leads_to(file, opened)) return opened;
  }
}

Rejections read(const std::filesystem::path& file) {
  FileKind kind = kRejectionCsv;
  kind.may_be_link = false;
  const std::string name = printable(file.native());
  const std::optional<std::string> text = read_file(file, kind);
  if (!text) {
    if (errno == ENOENT) return {};
    throw Error(ErrorKind::kStorage, fmt::format("{}: cannot be read: {}", name, why_unread()));
  }
  const std::size_t end = text->rfind(kEnd);
  const auto csv = std::string_view(*text).substr(0, end);
  if (end == text->npos || std::string_view(*text).substr(end) != end_of(csv)) {
    throw Error(ErrorKind::kInput,
                name + ": is damaged: its last line does not match the others: restore a backup");
  }
  return Rejections::parse(csv, name);
}

}  // namespace

Rejection rejection_of(const ContentHash& one, const ContentHash& other, std::int64_t since_ns) {
  if (one == other) {
    throw Error(ErrorKind::kUsage, "reject: both names lead to the same image");
  }
  return {std::min(one, other), std::max(one, other), since_ns};
}

Rejections Rejections::parse(std::string_view csv, const std::string& name) {
  const auto records = csv_records(csv);
  const auto fail = [&](std::size_t row, const std::string& what) {
    throw Error(ErrorKind::kInput, fmt::format("{}: row {}: {}", name, row, what));
  };
  Rejections rejections;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::vector<std::string>& fields = records[i];
    if (fields.size() < kColumns)
      fail(i + 1, fmt::format("expected the columns {}", kRejectionHeader));
    if (i == 0) {
      const auto known = split(kRejectionHeader, ',');
      if (!std::equal(known.begin(), known.end(), fields.begin())) {
        fail(1, fmt::format("expected the columns {}", kRejectionHeader));
      }
      continue;
    }
    const auto a = content_from(fields[0]);
    const auto b = content_from(fields[1]);
    const auto since = parse_number<std::int64_t>(fields[2]);
    if (!a || !b || *a == *b) {
      fail(i + 1, fmt::format("expected two contents of 32 hexadecimal digits, was '{}' and '{}'",
                              fields[0], fields[1]));
    }
    if (!since) fail(i + 1, fmt::format("expected nanoseconds, was '{}'", fields[2]));
    rejections.add(rejection_of(*a, *b, *since));
  }
  if (records.empty()) fail(1, fmt::format("expected the columns {}", kRejectionHeader));
  return rejections;
}

std::string Rejections::csv() const {
  std::string text = fmt::format("{}\n", kRejectionHeader);
  for (const Rejection& one : all_) {
    text += fmt::format("{},{},{}\n", to_hex(one.a), to_hex(one.b), one.since_ns);
  }
  return text;
}

bool Rejections::contains(const ContentHash& one, const ContentHash& other) const {
  const Rejection wanted = {std::min(one, other), std::max(one, other)};
  return std::ranges::binary_search(all_, wanted, is_before);
}

bool Rejections::add(const Rejection& rejection) {
  const auto place = std::ranges::lower_bound(all_, rejection, is_before);
  if (place != all_.end() && !is_before(rejection, *place)) {
    place->since_ns = std::min(place->since_ns, rejection.since_ns);
    return false;
  }
  all_.insert(place, rejection);
  return true;
}

bool Rejections::remove(const ContentHash& one, const ContentHash& other) {
  const Rejection wanted = {std::min(one, other), std::max(one, other)};
  return std::erase_if(all_, [&](const Rejection& known) {
           return known.a == wanted.a && known.b == wanted.b;
         }) > 0;
}

void mark_rejected(std::vector<Match>& matches, const ContentHash& query,
                   const Rejections& rejections) {
  for (Match& match : matches) match.rejected = rejections.contains(query, match.image.content);
}

std::string rejections_text(const Rejections& rejections) {
  const std::string csv = rejections.csv();
  return csv + end_of(csv);
}

std::filesystem::path rejection_file(const std::filesystem::path& database) {
  return resolved(database).native() + ".rejected";
}

Rejections read_rejections(const std::filesystem::path& database) {
  return read(rejection_file(database));
}

Rejections searched_rejections(const RunConfig& config) {
  Rejections all;
  for (const std::filesystem::path& database : searched_databases(config)) {
    const Rejections own = read_rejections(database);
    for (const Rejection& rejection : own.all()) all.add(rejection);
  }
  return all;
}

void change_rejections(const std::filesystem::path& database,
                       const std::function<bool(Rejections&)>& change) {
  const std::filesystem::path file = rejection_file(database);
  const FileDescriptor held = locked(file);
  Rejections rejections = read(file);
  if (change(rejections)) {
    if (rejections.all().size() > Rejections::kMost) {
      throw Error(ErrorKind::kInput, fmt::format("{}: would hold more than {} pairs",
                                                 printable(file.native()), Rejections::kMost));
    }
    write_atomically(file, bytes_of(rejections_text(rejections)));
  } else if (rejections.all().empty()) {
    ::unlink(file.c_str());  // may have been created for the lock
  }
}

bool set_rejected(const RunConfig& config, const Rejection& pair, bool is_rejected) {
  bool changed = false;
  for (const std::filesystem::path& database : searched_databases(config)) {
    // Do not open databases without it for writing: their folder may be read-only.
    if (!is_rejected && !read_rejections(database).contains(pair.a, pair.b)) continue;
    change_rejections(database, [&](Rejections& rejections) {
      const bool changes = is_rejected ? rejections.add(pair) : rejections.remove(pair.a, pair.b);
      changed |= changes;
      return changes;
    });
    if (is_rejected) break;
  }
  return changed;
}

std::size_t add_rejections(const std::filesystem::path& database, const Rejections& more) {
  std::size_t added = 0;
  change_rejections(database, [&](Rejections& rejections) {
    for (const Rejection& rejection : more.all()) added += rejections.add(rejection) ? 1 : 0;
    return added > 0;
  });
  return added;
}

}  // namespace lookalike
