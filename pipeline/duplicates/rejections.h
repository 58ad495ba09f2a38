#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/artefacts.h"
#include "base/files.h"
#include "config/options.h"
#include "stages/match/match.h"

namespace lookalike {

// Two images that a person has rejected as a match. Identified by content, it survives moved files
// and holds in every index of these images.
struct Rejection {
  ContentHash a{};  // less than b
  ContentHash b{};
  std::int64_t since_ns = 0;  // time of the rejection, since the epoch
};

// Orders the two contents. Throws Error(kUsage) if they are equal.
Rejection rejection_of(const ContentHash& one, const ContentHash& other, std::int64_t since_ns);

// The header of the CSV with one row per rejection. More columns may follow.
inline constexpr std::string_view kRejectionHeader = "content,other_content,since_ns";

// A file of such CSV, with room for columns of others.
inline constexpr FileKind kRejectionCsv{.most_bytes = std::size_t{64} << 20U};

// Rejections by content, each pair once, with its earliest time.
class Rejections {
 public:
  Rejections() = default;
  // Maximum number of pairs: 8.5 MB, which each change rewrites.
  static constexpr std::size_t kMost = 100'000;

  // Parses CSV with kRejectionHeader. Throws Error(kInput), "NAME: row N: what".
  static Rejections parse(std::string_view csv, const std::string& name);
  std::string csv() const;

  const std::vector<Rejection>& all() const { return all_; }
  bool contains(const ContentHash& one, const ContentHash& other) const;
  bool add(const Rejection& rejection);                           // whether it was new
  bool remove(const ContentHash& one, const ContentHash& other);  // whether it was there

 private:
  std::vector<Rejection> all_;
};

// Marks the matches that a person has rejected for a query with this content, indexed or not.
void mark_rejected(std::vector<Match>& matches, const ContentHash& query,
                   const Rejections& rejections);

// Returns the file with the rejections of an index: DATABASE.rejected.
std::filesystem::path rejection_file(const std::filesystem::path& database);

// Returns what such a file holds: the CSV, and a last line with its checksum.
std::string rejections_text(const Rejections& rejections);

// Returns none if there is no file. Throws Error(kInput) for a damaged file, Error(kStorage) for
// one that cannot be read.
Rejections read_rejections(const std::filesystem::path& database);

// Returns the rejections of all searched_databases().
Rejections searched_rejections(const RunConfig& config);

// Applies `change` to the rejections and replaces the file atomically, unless `change` throws or
// returns false. A short lock on the file serialises changes by several processes; a run that
// writes the index does not delay them. Throws as read_rejections(), Busy when another process
// holds the lock for a second, Error(kInput) for more than Rejections::kMost pairs, and
// Error(kStorage) when the file cannot be written.
void change_rejections(const std::filesystem::path& database,
                       const std::function<bool(Rejections&)>& change);

// Adds a pair to the rejections of the first searched database, or removes it from those of all.
// Returns whether anything changed. Throws as change_rejections().
bool set_rejected(const RunConfig& config, const Rejection& pair, bool is_rejected);

// Adds pairs by change_rejections(). Returns the number of new ones.
std::size_t add_rejections(const std::filesystem::path& database, const Rejections& more);

}  // namespace lookalike
