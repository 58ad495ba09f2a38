#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "storage/index_types.h"
#include "storage/sqlite.h"

// The tables segments, postings and tombstones.
namespace lookalike {

// The row of a word's postings in a segment.
constexpr std::int64_t postings_id(std::int64_t segment, std::uint32_t word) {
  return (segment << 32) | std::int64_t{word};
}

// A feature of an image, as the postings hold it.
struct Posting {
  std::uint32_t word = 0;
  ImageId image = 0;
  std::uint64_t signature = 0;
};

// Sorts the postings of one word from several segments, whose images may interleave. Those of one
// image stay in order.
void sort_by_image(WordPostings& postings);

// Stores postings, images ascending, as one segment, within the caller's transaction; nothing
// without any. Every word is below word_count.
void write_segment(Connection& connection, std::span<const Posting> postings,
                   std::size_t word_count);

// Of the lists that one transaction of a merge moves: 64 MiB.
inline constexpr std::size_t kMergeStepBytes = std::size_t{64} << 20;

// Until at most max_segments >= 1 are left, merges the smallest into one, together with every next
// larger one that is no larger than those before it together: so a posting is rewritten about as
// often as the index grows by a factor, and the work stays nearly linear. Merges everything if a
// quarter of all postings belong to removed images. Merged segments lose their removed postings.
//
// Merging works in transactions of its own, each of which moves the lists of some words,
// step_bytes of them, so that the log stays short and the space of what was moved serves the next.
// After each of them, also when it is the last, every list of a word is whole and in one segment; a
// later merge takes what is left.
void merge_segments(Connection& connection, std::size_t max_segments,
                    std::size_t step_bytes = kMergeStepBytes);
// Merges the smallest segments into one, as many as it takes for every segment to have more than
// four times the postings of all smaller ones together. So a query looks in few places: a large
// segment and what came after it. As the index grows, a posting is rewritten about five times.
void merge_small_segments(Connection& connection);
// Leaves one segment without removed postings, or none.
void merge_all_segments(Connection& connection);

}  // namespace lookalike
