#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "storage/index_types.h"
#include "storage/sqlite.h"

namespace lookalike {

// The row of a word's postings in a segment.
constexpr std::int64_t postings_id(std::int64_t segment, std::uint32_t word) {
  return (segment << 32) | std::int64_t{word};
}

// The features of a batch of images, to become one segment.
class SegmentBuilder {
 public:
  // Images in ascending order.
  void add(ImageId image, std::span<const IndexedFeature> features);
  std::size_t size() const { return entries_.size(); }
  // Calls visit(word, images, signatures) for each word that has postings, words ascending, each
  // word's postings as they were added. word_count is above every word.
  using Visit = std::function<void(std::uint32_t word, std::span<const ImageId> images,
                                   std::span<const std::uint64_t> signatures)>;
  void for_each_word(std::size_t word_count, const Visit& visit) const;

 private:
  struct Entry {
    std::uint32_t word;
    ImageId image;
    std::uint64_t signature;
  };
  std::vector<Entry> entries_;
};

// The tables segments, postings and tombstones, written within the caller's transaction.
class Segments {
 public:
  explicit Segments(Connection& connection);

  void write(const SegmentBuilder& builder, std::size_t word_count);

  // Until at most max_segments >= 1 are left, merges the smallest into one, and with them every
  // next larger one that is no larger than those before it together: so a posting is rewritten
  // about as often as the index grows by a factor, and the work stays nearly linear. When a
  // quarter of all postings belong to removed images everything is merged. What is merged loses
  // its removed postings. Memory holds one word at a time.
  void merge(std::size_t max_segments);
  // Leaves one segment without removed postings, or none.
  void merge_everything();

 private:
  struct Segment {
    std::int64_t id = 0;
    std::uint64_t postings = 0;
  };
  std::vector<Segment> list();  // smallest first
  std::int64_t new_segment();
  bool many_removed(const std::vector<Segment>& segments);
  std::size_t count_to_merge(const std::vector<Segment>& segments, std::size_t max_segments);
  void merge_these(std::span<const Segment> segments);

  Connection& connection_;
  Statement list_;
  Statement insert_segment_;
  Statement set_count_;
  Statement delete_segment_;
  Statement insert_postings_;
  Statement delete_postings_;
  Statement tombstones_;
  Statement count_tombstones_;
  Statement delete_tombstone_;
};

}  // namespace lookalike
