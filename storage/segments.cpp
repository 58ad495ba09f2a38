#include "storage/segments.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <queue>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "storage/blobs.h"

namespace lookalike {
namespace {

// Each merged segment keeps a statement and a few pages open.
constexpr std::size_t kMaxMergedAtOnce = 256;
// Everything is merged once one posting in this many is of a removed image.
constexpr std::uint64_t kRemovedShare = 4;
// What merge_small_segments leaves is larger than this many times all that is smaller.
constexpr std::uint64_t kLeastGrowth = 4;
// Bytes of posting lists that are merged in one parallel step.
constexpr std::size_t kMergedBytes = std::size_t{4} << 20;
constexpr std::uint32_t kLastWord = 0xFFFFFFFF;

struct Segment {
  std::int64_t id = 0;
  std::uint64_t postings = 0;
};

std::vector<Segment> list_segments(Connection& connection) {  // smallest first
  Rows rows = connection.rows("SELECT id, posting_count FROM segments ORDER BY posting_count, id");
  std::vector<Segment> segments;
  while (rows.next()) {
    Segment& segment = segments.emplace_back();
    rows.read(segment.id, segment.postings);
  }
  return segments;
}

// A segment that is being written.
class NewSegment {
 public:
  explicit NewSegment(Connection& connection)
      : connection_(connection),
        insert_(connection.prepared("INSERT INTO postings (id, data) VALUES (?, ?)")) {
    connection.run("INSERT INTO segments (posting_count) VALUES (0)");
    id_ = connection.last_insert_id();
  }
  void add(std::uint32_t word, std::size_t count, ByteView postings) {
    insert_.run(postings_id(id_, word), postings);
    count_ += count;
  }
  void finish() {
    if (count_ == 0) return connection_.run("DELETE FROM segments WHERE id = ?", id_);
    connection_.run("UPDATE segments SET posting_count = ? WHERE id = ?", count_, id_);
  }

 private:
  Connection& connection_;
  Statement& insert_;
  std::int64_t id_ = 0;
  std::uint64_t count_ = 0;
};

// A segment's postings, word after word.
class Cursor {
 public:
  Cursor(const Connection& connection, std::int64_t segment)
      : statement_(connection,
                   "SELECT id, data FROM postings WHERE id BETWEEN ? AND ? ORDER BY id"),
        rows_(statement_.rows(postings_id(segment, 0), postings_id(segment, kLastWord))) {}

  bool next() {
    if (!rows_.next()) return false;
    word_ = static_cast<std::uint32_t>(rows_.integer(0));
    return true;
  }
  std::uint32_t word() const { return word_; }
  ByteView blob() const { return rows_.blob(1); }

 private:
  Statement statement_;
  Rows rows_;
  std::uint32_t word_ = 0;
};

// The posting lists of a word in several segments, and the list that they merge to.
struct MergedWord {
  std::uint32_t word = 0;
  std::vector<Bytes> blobs{};  // in the order of the segments
  Bytes merged{};
  std::size_t count = 0;  // of postings
  std::vector<ImageId> dropped{};
};

// The words of several segments, in order.
class MergedCursor {
 public:
  void add(const Connection& connection, std::int64_t segment) {
    cursors_.push_back(std::make_unique<Cursor>(connection, segment));
    advance(cursors_.size() - 1);
  }

  // The next words and their blobs, a few megabytes of them; none after the last.
  std::vector<MergedWord> next() {
    std::vector<MergedWord> words;
    for (std::size_t bytes = 0; !heads_.empty() && bytes < kMergedBytes;) {
      MergedWord& word = words.emplace_back();
      word.word = heads_.top().first;
      while (!heads_.empty() && heads_.top().first == word.word) {
        const std::size_t at = heads_.top().second;
        heads_.pop();
        const ByteView blob = cursors_[at]->blob();
        word.blobs.emplace_back(blob.begin(), blob.end());
        bytes += blob.size();
        advance(at);
      }
    }
    return words;
  }

 private:
  void advance(std::size_t at) {
    if (cursors_[at]->next()) heads_.emplace(cursors_[at]->word(), at);
  }

  using Head = std::pair<std::uint32_t, std::size_t>;
  std::vector<std::unique_ptr<Cursor>> cursors_;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads_;
};

// The images of merged segments may interleave.
void sort_by_image(WordPostings& postings) {
  if (std::ranges::is_sorted(postings.images)) return;
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

void merge_word(const Connection& connection, const std::unordered_set<ImageId>& removed,
                MergedWord& word) {
  WordPostings postings;
  for (const Bytes& blob : word.blobs) {
    decode_named(connection, "postings of word", word.word,
                 [&] { decode_postings(blob, postings); });
  }
  if (!removed.empty()) {
    drop_postings(postings, [&](ImageId image) {
      const bool drop = removed.contains(image);
      if (drop) word.dropped.push_back(image);
      return drop;
    });
  }
  word.count = postings.images.size();
  if (word.count == 0) return;
  sort_by_image(postings);
  word.merged = encode_postings(postings.images, postings.signatures);
}

void merge(Connection& connection, std::span<const Segment> segments) {
  std::unordered_set<ImageId> removed;
  Rows tombstones = connection.rows("SELECT image FROM tombstones");
  while (tombstones.next()) removed.insert(static_cast<ImageId>(tombstones.integer(0)));
  std::unordered_set<ImageId> dropped;
  NewSegment merged(connection);
  {
    MergedCursor cursor;
    for (const Segment& segment : segments) cursor.add(connection, segment.id);
    for (auto words = cursor.next(); !words.empty(); words = cursor.next()) {
      parallel_ranges(words.size(), [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) merge_word(connection, removed, words[i]);
      });
      for (const MergedWord& word : words) {
        dropped.insert(word.dropped.begin(), word.dropped.end());
        if (word.count > 0) merged.add(word.word, word.count, word.merged);
      }
    }
  }
  for (const Segment& segment : segments) {
    connection.run("DELETE FROM postings WHERE id BETWEEN ? AND ?", postings_id(segment.id, 0),
                   postings_id(segment.id, kLastWord));
    connection.run("DELETE FROM segments WHERE id = ?", segment.id);
  }
  merged.finish();
  // All postings of an image are in one segment, so none of a dropped image are left.
  for (const ImageId image : dropped) {
    connection.run("DELETE FROM tombstones WHERE image = ?", image);
  }
}

bool many_removed(Connection& connection) {
  std::uint64_t postings = 0;
  for (const Segment& segment : list_segments(connection)) postings += segment.postings;
  const auto removed =
      connection.first<std::uint64_t>("SELECT sum(posting_count) FROM tombstones").value_or(0);
  return removed > 0 && removed * kRemovedShare >= postings;
}

std::size_t count_to_merge(const std::vector<Segment>& segments, std::size_t max_segments) {
  if (segments.size() <= max_segments) return 0;
  const std::size_t most = std::min(segments.size(), kMaxMergedAtOnce);
  std::size_t count = std::min(segments.size() - max_segments + 1, most);
  std::uint64_t together = 0;
  for (std::size_t i = 0; i < count; ++i) together += segments[i].postings;
  for (; count < most && segments[count].postings <= together; ++count) {
    together += segments[count].postings;
  }
  return count;
}

// Of segments, smallest first: how many to merge until each outgrows those before it.
std::size_t count_to_outgrow(const std::vector<Segment>& segments) {
  std::size_t count = 0;
  std::uint64_t together = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (i > 0 && segments[i].postings <= kLeastGrowth * together) count = i + 1;
    together += segments[i].postings;
  }
  return std::min(count, kMaxMergedAtOnce);
}

}  // namespace

void write_segment(Connection& connection, std::span<const Posting> postings,
                   std::size_t word_count) {
  if (postings.empty()) return;
  std::vector<std::size_t> ends(word_count + 1, 0);  // a counting sort by word
  for (const Posting& posting : postings) ++ends[posting.word + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<ImageId> images(postings.size());
  std::vector<std::uint64_t> signatures(postings.size());
  for (const Posting& posting : postings) {
    const std::size_t at = ends[posting.word]++;
    images[at] = posting.image;
    signatures[at] = posting.signature;
  }
  const auto begin_of = [&](std::size_t word) { return word == 0 ? 0 : ends[word - 1]; };
  std::vector<Bytes> encoded(word_count);
  parallel_ranges(word_count, [&](std::size_t first, std::size_t last) {
    for (std::size_t word = first; word < last; ++word) {
      const std::size_t begin = begin_of(word);
      const std::size_t count = ends[word] - begin;
      if (count == 0) continue;
      encoded[word] = encode_postings(std::span(images).subspan(begin, count),
                                      std::span(signatures).subspan(begin, count));
    }
  });
  NewSegment segment(connection);
  for (std::size_t word = 0; word < word_count; ++word) {
    if (encoded[word].empty()) continue;
    segment.add(static_cast<std::uint32_t>(word), ends[word] - begin_of(word), encoded[word]);
  }
  segment.finish();
}

void merge_segments(Connection& connection, std::size_t max_segments) {
  require(max_segments >= 1, "merge_segments: max_segments is 0");
  if (many_removed(connection)) merge_all_segments(connection);
  while (true) {
    const std::vector<Segment> segments = list_segments(connection);
    const std::size_t count = count_to_merge(segments, max_segments);
    if (count == 0) return;
    merge(connection, std::span(segments).first(count));
  }
}

void merge_small_segments(Connection& connection) {
  while (true) {
    const std::vector<Segment> segments = list_segments(connection);
    const std::size_t count = count_to_outgrow(segments);
    if (count == 0) return;
    merge(connection, std::span(segments).first(count));
  }
}

void merge_all_segments(Connection& connection) {
  std::size_t left = 0;  // segments before the last merge
  do {
    const std::vector<Segment> segments = list_segments(connection);
    left = segments.size();
    if (left > 0) merge(connection, std::span(segments).first(std::min(left, kMaxMergedAtOnce)));
  } while (left > kMaxMergedAtOnce);
}

}  // namespace lookalike
