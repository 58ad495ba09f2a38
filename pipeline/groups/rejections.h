#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/artefacts.h"
#include "config/options.h"
#include "stages/match/match.h"

namespace lookalike {

// Two images that a person has rejected as a match, by content: it survives moved files, and holds
// in every index of these images.
struct Rejection {
  ContentHash a{};  // less than b
  ContentHash b{};
  std::int64_t since_ns = 0;  // when it was rejected, since the epoch
};

// Orders the two contents. Throws Error(kUsage) if they are equal.
Rejection rejection_of(const ContentHash& one, const ContentHash& other, std::int64_t since_ns);

// The header row of the CSV, which has a row per rejection; more columns may follow.
inline constexpr std::string_view kRejectionHeader = "content,other_content,since_ns";

// By content, each pair once, the earliest since.
class Rejections {
 public:
  Rejections() = default;
  // From CSV with kRejectionHeader. Throws Error(kInput), "NAME: row N: what".
  static Rejections parse(std::string_view csv, const std::string& name);
  std::string csv() const;

  const std::vector<Rejection>& all() const { return all_; }
  bool contains(const ContentHash& one, const ContentHash& other) const;
  bool add(const Rejection& rejection);                           // whether it was new
  bool remove(const ContentHash& one, const ContentHash& other);  // whether it was there

 private:
  std::vector<Rejection> all_;
};

// Marks matches that a person has rejected for a query of this content, which may be indexed or
// not.
void mark_rejected(std::vector<Match>& matches, const ContentHash& query,
                   const Rejections& rejections);

// The file that keeps the rejections of an index: DATABASE.rejected.
std::filesystem::path rejection_file(const std::filesystem::path& database);

// None without a file. Throws Error(kInput) for a damaged one, kStorage for one that cannot be
// read.
Rejections read_rejections(const std::filesystem::path& database);

// Those of all databases that are searched (pipeline/searcher.h).
Rejections searched_rejections(const RunConfig& config);

// Lets `change` change what the file holds, and writes it whole, or not at all if `change` throws
// or returns false. Changes by several processes follow one another under a lock of the file's own,
// held for the moment: a run that writes the index is not waited for. Throws as read_rejections(),
// and Error(kStorage) when the file cannot be written.
void change_rejections(const std::filesystem::path& database,
                       const std::function<bool(Rejections&)>& change);

// Adds a pair to the rejections of the first database that is searched, or takes it out of those of
// all. Returns whether anything changed. Throws as change_rejections().
bool set_rejected(const RunConfig& config, const Rejection& pair, bool is_rejected);

// Adds pairs by change_rejections(). Returns how many were not rejected yet.
std::size_t add_rejections(const std::filesystem::path& database, const Rejections& more);

}  // namespace lookalike
