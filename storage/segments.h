#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "storage/index_types.h"
#include "storage/sqlite.h"

// The tables segments, postings and tombstones of an index.
namespace lookalike {

// Returns the id of the row with a word's postings in a segment.
constexpr std::int64_t postings_id(std::int64_t segment, std::uint32_t word) {
  return (segment << 32) | std::int64_t{word};
}

// The features of an image: a posting each.
struct ImagePostings {
  ImageId image = 0;
  std::span<const std::uint32_t> words;       // ascending
  std::span<const std::uint64_t> signatures;  // in the same order
};

// Sorts the postings of one word from several segments, whose images may interleave. Those of one
// image stay in order.
void sort_by_image(WordPostings& postings);

// Stores the postings of images, ascending, with words below word_count, as one segment in the
// caller's transaction; no segment without postings.
void write_segment(Connection& connection, std::span<const ImagePostings> images,
                   std::size_t word_count);

// Bytes of posting lists moved by one merge transaction, at most.
inline constexpr std::size_t kMergeStepBytes = std::size_t{64} << 20;

// Merges the smallest segments into one until at most max_segments >= 1 are left, and with them
// each next larger one no larger than all smaller ones together: the work stays nearly linear in
// what is published. Drops the postings of removed images; if these are a quarter of all, merges
// everything.
//
// Each transaction moves a 32nd of the lists, at most about step_bytes, by ascending words, so
// that the log stays short and the freed space serves the next: little is left free. After each of
// them, every list is whole and in one segment; a later merge continues an interrupted one.
void merge_segments(Connection& connection, std::size_t max_segments,
                    std::size_t step_bytes = kMergeStepBytes);
// Merges the smallest segments until each has more than four times the postings of all smaller ones
// together, so that a query reads few segments, but never more than `most_postings` together, which
// bounds the time. A posting is rewritten about five times as the index grows.
void merge_small_segments(Connection& connection, std::uint64_t most_postings);

// A merge of segments in transactions, between which other transactions may add segments. One that
// is not completed leaves every list whole.
class SegmentMerge {
 public:
  // segments: their ids, which must exist until this is done
  SegmentMerge(Connection& connection, std::vector<std::int64_t> segments, std::size_t step_bytes)
      : connection_(connection), segments_(std::move(segments)), step_bytes_(step_bytes) {}

  bool is_done() const { return !from_; }
  void step();  // makes the next transaction; call it only before the merge is done

 private:
  Connection& connection_;
  std::vector<std::int64_t> segments_;
  std::size_t step_bytes_;
  std::optional<std::int64_t> into_;       // set by the first step
  std::optional<std::uint32_t> from_ = 0;  // the next word
};

// Returns the first merge of merge_segments(), if there are more than max_segments >= 1.
std::optional<SegmentMerge> next_merge(Connection& connection, std::size_t max_segments);

// Leaves one segment without removed postings, or none.
void merge_all_segments(Connection& connection);

}  // namespace lookalike
