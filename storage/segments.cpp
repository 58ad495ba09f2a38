#include "storage/segments.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <queue>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "storage/codecs.h"

namespace lookalike {
namespace {

// Each merged segment keeps a statement and a few pages open.
constexpr std::size_t kMostMergedAtOnce = 256;
// Everything is merged once one posting in so many is of a removed image.
constexpr std::uint64_t kRemovedShare = 4;
constexpr std::uint32_t kLastWord = 0xFFFFFFFF;

// A segment's postings, word after word.
class Cursor {
 public:
  Cursor(const Connection& connection, std::int64_t segment)
      : connection_(connection),
        statement_(connection,
                   "SELECT id, data FROM postings WHERE id BETWEEN ? AND ? ORDER BY id"),
        rows_(statement_.rows(postings_id(segment, 0), postings_id(segment, kLastWord))) {}

  bool next() {
    if (!rows_.next()) return false;
    word_ = static_cast<std::uint32_t>(rows_.integer(0));
    return true;
  }
  std::uint32_t word() const { return word_; }
  void decode(WordPostings& postings) const {
    decode_named(connection_, "postings of word", word_,
                 [&] { decode_postings(rows_.blob(1), postings); });
  }

 private:
  const Connection& connection_;
  Statement statement_;
  Rows rows_;
  std::uint32_t word_ = 0;
};

// The postings of several segments together, one word at a time.
class MergedCursor {
 public:
  void add(const Connection& connection, std::int64_t segment) {
    cursors_.push_back(std::make_unique<Cursor>(connection, segment));
    advance(cursors_.size() - 1);
  }

  // The next word and all its postings, in the order of the segments, or false after the last.
  bool next(std::uint32_t& word, WordPostings& postings) {
    if (heads_.empty()) return false;
    word = heads_.top().first;
    postings.images.clear();
    postings.signatures.clear();
    while (!heads_.empty() && heads_.top().first == word) {
      const std::size_t at = heads_.top().second;
      heads_.pop();
      cursors_[at]->decode(postings);
      advance(at);
    }
    return true;
  }

 private:
  void advance(std::size_t at) {
    if (cursors_[at]->next()) heads_.emplace(cursors_[at]->word(), at);
  }

  using Head = std::pair<std::uint32_t, std::size_t>;
  std::vector<std::unique_ptr<Cursor>> cursors_;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads_;
};

// Merged segments may cover images in turns.
void sort_by_image(WordPostings& postings) {
  if (std::is_sorted(postings.images.begin(), postings.images.end())) return;
  std::vector<std::pair<ImageId, std::uint64_t>> pairs(postings.images.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = {postings.images[i], postings.signatures[i]};
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    std::tie(postings.images[i], postings.signatures[i]) = pairs[i];
  }
}

// Leaves out the postings of removed images, and notes which of those it met.
void drop_removed(WordPostings& postings, const std::unordered_set<ImageId>& removed,
                  std::unordered_set<ImageId>& met) {
  if (removed.empty()) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < postings.images.size(); ++i) {
    if (removed.contains(postings.images[i])) {
      met.insert(postings.images[i]);
      continue;
    }
    postings.images[kept] = postings.images[i];
    postings.signatures[kept++] = postings.signatures[i];
  }
  postings.images.resize(kept);
  postings.signatures.resize(kept);
}

}  // namespace

void SegmentBuilder::add(ImageId image, std::span<const IndexedFeature> features) {
  for (const IndexedFeature& feature : features) {
    entries_.push_back({feature.word, image, feature.signature});
  }
}

void SegmentBuilder::for_each_word(std::size_t word_count, const Visit& visit) const {
  std::vector<std::size_t> ends(word_count + 1, 0);  // a counting sort
  for (const Entry& entry : entries_) ++ends[entry.word + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<ImageId> images(entries_.size());
  std::vector<std::uint64_t> signatures(entries_.size());
  for (const Entry& entry : entries_) {
    const std::size_t at = ends[entry.word]++;
    images[at] = entry.image;
    signatures[at] = entry.signature;
  }
  std::size_t begin = 0;
  for (std::size_t word = 0; word < word_count; ++word) {
    const std::size_t count = ends[word] - begin;
    if (count == 0) continue;
    visit(static_cast<std::uint32_t>(word), std::span(images).subspan(begin, count),
          std::span(signatures).subspan(begin, count));
    begin = ends[word];
  }
}

Segments::Segments(Connection& connection)
    : connection_(connection),
      list_(connection, "SELECT id, posting_count FROM segments ORDER BY posting_count, id"),
      insert_segment_(connection, "INSERT INTO segments (posting_count) VALUES (0)"),
      set_count_(connection, "UPDATE segments SET posting_count = ? WHERE id = ?"),
      delete_segment_(connection, "DELETE FROM segments WHERE id = ?"),
      insert_postings_(connection, "INSERT INTO postings (id, data) VALUES (?, ?)"),
      delete_postings_(connection, "DELETE FROM postings WHERE id BETWEEN ? AND ?"),
      tombstones_(connection, "SELECT image FROM tombstones"),
      count_tombstones_(connection, "SELECT sum(posting_count) FROM tombstones"),
      delete_tombstone_(connection, "DELETE FROM tombstones WHERE image = ?") {}

std::vector<Segments::Segment> Segments::list() {
  std::vector<Segment> segments;
  Rows rows = list_.rows();
  while (rows.next()) {
    segments.push_back({rows.integer(0), static_cast<std::uint64_t>(rows.integer(1))});
  }
  return segments;
}

std::int64_t Segments::new_segment() {
  insert_segment_.run();
  return connection_.last_insert_id();
}

void Segments::write(const SegmentBuilder& builder, std::size_t word_count) {
  if (builder.size() == 0) return;
  const std::int64_t id = new_segment();
  builder.for_each_word(word_count, [&](std::uint32_t word, std::span<const ImageId> images,
                                        std::span<const std::uint64_t> signatures) {
    insert_postings_.run(postings_id(id, word), ByteView(encode_postings(images, signatures)));
  });
  set_count_.run(builder.size(), id);
}

bool Segments::many_removed(const std::vector<Segment>& segments) {
  std::uint64_t postings = 0;
  for (const Segment& segment : segments) postings += segment.postings;
  Rows rows = count_tombstones_.rows();
  rows.next();
  const auto removed = static_cast<std::uint64_t>(rows.integer(0));
  return removed > 0 && removed * kRemovedShare >= postings;
}

std::size_t Segments::count_to_merge(const std::vector<Segment>& segments,
                                     std::size_t max_segments) {
  if (segments.size() <= max_segments) return 0;
  const std::size_t most = std::min(segments.size(), kMostMergedAtOnce);
  std::size_t count = std::min(segments.size() - max_segments + 1, most);
  std::uint64_t together = 0;
  for (std::size_t i = 0; i < count; ++i) together += segments[i].postings;
  for (; count < most && segments[count].postings <= together; ++count) {
    together += segments[count].postings;
  }
  return count;
}

void Segments::merge(std::size_t max_segments) {
  require(max_segments >= 1, "merge_segments: max_segments is 0");
  if (many_removed(list())) merge_everything();
  while (true) {
    const std::vector<Segment> segments = list();
    const std::size_t count = count_to_merge(segments, max_segments);
    if (count == 0) return;
    merge_these(std::span(segments).first(count));
  }
}

void Segments::merge_everything() {
  std::size_t left = 0;  // segments after which all have been merged
  do {
    const std::vector<Segment> segments = list();
    left = segments.size();
    if (left > 0) merge_these(std::span(segments).first(std::min(left, kMostMergedAtOnce)));
  } while (left > kMostMergedAtOnce);
}

void Segments::merge_these(std::span<const Segment> segments) {
  std::unordered_set<ImageId> removed;
  for (Rows rows = tombstones_.rows(); rows.next();) {
    removed.insert(static_cast<ImageId>(rows.integer(0)));
  }
  std::unordered_set<ImageId> met;
  const std::int64_t id = new_segment();
  std::uint64_t total = 0;
  {
    MergedCursor cursor;
    for (const Segment& segment : segments) cursor.add(connection_, segment.id);
    std::uint32_t word = 0;
    for (WordPostings postings; cursor.next(word, postings);) {
      drop_removed(postings, removed, met);
      if (postings.images.empty()) continue;
      sort_by_image(postings);
      insert_postings_.run(postings_id(id, word),
                           ByteView(encode_postings(postings.images, postings.signatures)));
      total += postings.images.size();
    }
  }
  for (const Segment& segment : segments) {
    delete_postings_.run(postings_id(segment.id, 0), postings_id(segment.id, kLastWord));
    delete_segment_.run(segment.id);
  }
  if (total == 0) delete_segment_.run(id);
  set_count_.run(total, id);
  // All postings of an image are in one segment, so one that was met has none left.
  for (const ImageId image : met) delete_tombstone_.run(image);
}

}  // namespace lookalike
