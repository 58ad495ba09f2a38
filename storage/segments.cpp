#include "storage/segments.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "storage/blobs.h"
#include "storage/schema.h"

namespace lookalike {
namespace {

// Each segment being merged keeps a statement and a few pages open.
constexpr std::size_t kMaxMergedAtOnce = 256;
// Everything is merged once one posting in this many belongs to a removed image.
constexpr std::uint64_t kRemovedShare = 4;
// merge_small_segments() leaves segments larger than this many times all smaller ones together.
constexpr std::uint64_t kLeastGrowth = 4;
// Transactions of a merge, fewer or more to keep them between kLeastStepBytes and kMergeStepBytes.
constexpr std::uint64_t kMergeSteps = 32;
constexpr std::size_t kLeastStepBytes = std::size_t{1} << 20;
constexpr std::uint64_t kPostingBytes = 9;  // about
// Bytes of posting lists merged in one parallel step.
constexpr std::size_t kMergedBytes = std::size_t{4} << 20;
constexpr std::uint32_t kLastWord = 0xFFFFFFFF;

struct Segment {
  std::int64_t id = 0;
  std::uint64_t postings = 0;
};

std::vector<Segment> list_segments(Connection& connection) {  // smallest first
  return read_all(
      connection.rows("SELECT id, posting_count FROM segments ORDER BY posting_count, id"),
      &Segment::id, &Segment::postings);
}

std::int64_t add_segment(Connection& connection) {
  connection.run("INSERT INTO segments (posting_count) VALUES (0)");
  const std::int64_t id = connection.last_insert_id();
  seal_rows(connection, "segments", "id = ?", id);
  return id;
}

// Adds to the count of a segment's postings.
void add_postings(Connection& connection, std::int64_t segment, std::int64_t postings) {
  require_intact_rows(connection, "segments", "id = ?", segment);
  connection.run("UPDATE segments SET posting_count = posting_count + ? WHERE id = ?", postings,
                 segment);
  seal_rows(connection, "segments", "id = ?", segment);
}

// Reads the posting lists of a segment in the order of their words, from a word on.
class Cursor {
 public:
  Cursor(const Connection& connection, std::int64_t segment, std::uint32_t from)
      : statement_(connection,
                   "SELECT id, data FROM postings WHERE id BETWEEN ? AND ? ORDER BY id"),
        rows_(statement_.rows(postings_id(segment, from), postings_id(segment, kLastWord))) {}

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

// The posting lists of a word in several segments, and the merged list.
struct MergedWord {
  struct Part {
    std::size_t segment = 0;  // place among the segments being merged
    Bytes blob;
    std::size_t count = 0;  // postings
  };
  std::uint32_t word = 0;
  std::vector<Part> parts{};  // in the order of the segments
  Bytes merged{};
  std::size_t count = 0;           // merged postings
  std::vector<ImageId> dropped{};  // an entry for each posting
};

// Reads the words of several segments in order.
class MergedCursor {
 public:
  MergedCursor(const Connection& connection, std::span<const std::int64_t> segments,
               std::uint32_t from) {
    for (const std::int64_t segment : segments) {
      cursors_.push_back(std::make_unique<Cursor>(connection, segment, from));
      advance(cursors_.size() - 1);
    }
  }

  // Returns the next words with their blobs, about max_bytes in total; empty at the end.
  std::vector<MergedWord> next(std::size_t max_bytes) {
    std::vector<MergedWord> words;
    for (std::size_t bytes = 0; !heads_.empty() && bytes < max_bytes;) {
      MergedWord& word = words.emplace_back();
      word.word = heads_.top().first;
      while (!heads_.empty() && heads_.top().first == word.word) {
        const std::size_t at = heads_.top().second;
        heads_.pop();
        const ByteView blob = cursors_[at]->blob();
        word.parts.push_back({at, Bytes(blob.begin(), blob.end())});
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

// Drops the postings of removed images; appends their image ids to `dropped`.
void drop_removed(const std::unordered_set<ImageId>& removed, WordPostings& postings,
                  std::vector<ImageId>& dropped) {
  auto& [images, signatures] = postings;
  std::size_t left = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (removed.contains(images[i])) {
      dropped.push_back(images[i]);
    } else {
      images[left] = images[i];
      signatures[left++] = signatures[i];
    }
  }
  images.resize(left);
  signatures.resize(left);
}

// Merges the parts of a word, from `segments`, for the segment `into`.
void merge_word(const Connection& connection, std::span<const std::int64_t> segments,
                std::int64_t into, const std::unordered_set<ImageId>& removed, MergedWord& word) {
  WordPostings postings;
  for (MergedWord::Part& part : word.parts) {
    const std::size_t before = postings.images.size();
    decode_named(connection, "postings of word", word.word, [&] {
      decode_postings(part.blob, postings, postings_id(segments[part.segment], word.word));
    });
    part.count = postings.images.size() - before;
  }
  if (!removed.empty()) drop_removed(removed, postings, word.dropped);
  word.count = postings.images.size();
  if (word.count == 0) return;
  sort_by_image(postings);
  word.merged = encode_postings(postings.images, postings.signatures, postings_id(into, word.word));
}

// Moves the postings of some words, from `from` on, from the segments into the segment `into`.
// Returns the next word, or nothing at the end.
std::optional<std::uint32_t> merge_step(Connection& connection,
                                        std::span<const std::int64_t> segments, std::int64_t into,
                                        std::uint32_t from, std::size_t step_bytes) {
  std::unordered_set<ImageId> removed;
  Rows tombstones = connection.rows("SELECT image FROM tombstones");
  while (tombstones.next()) removed.insert(static_cast<ImageId>(tombstones.integer(0)));
  Statement& insert = connection.prepared("INSERT INTO postings (id, data) VALUES (?, ?)");
  std::vector<std::uint64_t> taken(segments.size());
  std::unordered_map<ImageId, std::uint64_t> dropped;
  std::uint64_t merged = 0;
  std::uint32_t last = kLastWord;
  bool is_done = false;
  {
    MergedCursor cursor(connection, segments, from);
    for (std::size_t bytes = 0; !is_done && bytes < step_bytes;) {
      std::vector<MergedWord> words = cursor.next(std::min(kMergedBytes, step_bytes));
      parallel_ranges(words.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          merge_word(connection, segments, into, removed, words[i]);
        }
      });
      for (const MergedWord& word : words) {
        for (const MergedWord::Part& part : word.parts) {
          taken[part.segment] += part.count;
          bytes += part.blob.size();
        }
        for (const ImageId image : word.dropped) ++dropped[image];
        if (word.count > 0) insert.run(postings_id(into, word.word), word.merged);
        merged += word.count;
      }
      is_done = words.empty();
      if (!is_done) last = words.back().word;
    }
  }
  if (is_done) last = kLastWord;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::int64_t id = segments[i];
    connection.run("DELETE FROM postings WHERE id BETWEEN ? AND ?", postings_id(id, from),
                   postings_id(id, last));
    add_postings(connection, id, -static_cast<std::int64_t>(taken[i]));
    if (is_done) connection.run("DELETE FROM segments WHERE id = ?", id);
  }
  add_postings(connection, into, static_cast<std::int64_t>(merged));
  for (const auto& [image, count] : dropped) {
    require_intact_rows(connection, "tombstones", "image = ?", image);
    connection.run("UPDATE tombstones SET posting_count = posting_count - ? WHERE image = ?", count,
                   image);
    seal_rows(connection, "tombstones", "image = ?", image);
  }
  connection.execute("DELETE FROM tombstones WHERE posting_count = 0");
  connection.run("DELETE FROM segments WHERE id = ? AND posting_count = 0", is_done ? into : 0);
  return is_done ? std::nullopt : std::optional(last + 1);
}

// Leaves the connection's commits unsynced while it exists. A power cut may lose the latest ones;
// the next synced commit makes all of them durable.
class UnsyncedCommits {
 public:
  explicit UnsyncedCommits(Connection& connection) : connection_(connection) {
    connection_.execute("PRAGMA synchronous = NORMAL");
  }
  ~UnsyncedCommits() {
    try {
      connection_.execute("PRAGMA synchronous = FULL");
    } catch (const Error&) {
      // The connection has failed, and commits nothing more.
    }
  }
  UnsyncedCommits(const UnsyncedCommits&) = delete;
  UnsyncedCommits& operator=(const UnsyncedCommits&) = delete;

 private:
  Connection& connection_;
};

// Returns the merge of the first `count` segments, whose transactions take about step_bytes at
// most.
SegmentMerge merge_of(Connection& connection, std::span<const Segment> segments, std::size_t count,
                      std::size_t step_bytes = kMergeStepBytes) {
  std::vector<std::int64_t> ids;
  std::uint64_t postings = 0;
  for (const Segment& segment : segments.first(count)) {
    ids.push_back(segment.id);
    postings += segment.postings;
  }
  const std::uint64_t share = postings * kPostingBytes / kMergeSteps;
  return {connection, std::move(ids),
          std::min(step_bytes, std::max<std::size_t>(share, kLeastStepBytes))};
}

void complete(SegmentMerge merge) {
  while (!merge.is_done()) merge.step();
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

// Number of segments, smallest first, to merge until each outgrows all smaller ones.
// Those have at most `most_postings` together.
std::size_t count_to_outgrow(const std::vector<Segment>& segments, std::uint64_t most_postings) {
  std::size_t count = 0;
  std::uint64_t together = 0;
  for (std::size_t i = 0; i < std::min(segments.size(), kMaxMergedAtOnce); ++i) {
    const std::uint64_t before = std::exchange(together, together + segments[i].postings);
    if (together > most_postings) break;
    if (i > 0 && segments[i].postings <= kLeastGrowth * before) count = i + 1;
  }
  return count;
}

// Postings by word, those of a word in their old order.
struct PostingsByWord {
  PostingsByWord(std::span<const ImagePostings> postings, std::size_t word_count);

  std::vector<std::size_t> begins;  // [words + 1]
  std::vector<ImageId> images;
  std::vector<std::uint64_t> signatures;
};

// Sorts by counting, on all cores: each counts, and later places, the words of some images.
PostingsByWord::PostingsByWord(std::span<const ImagePostings> postings, std::size_t word_count)
    : begins(word_count + 1) {
  std::size_t total = 0;
  for (const ImagePostings& image : postings) total += image.words.size();
  images.resize(total);
  signatures.resize(total);
  const std::size_t parts =
      std::clamp<std::size_t>(total / std::max<std::size_t>(word_count, 1), 1, core_count());
  const auto part = [&](std::size_t i) {
    const std::size_t first = postings.size() * i / parts;
    return postings.subspan(first, postings.size() * (i + 1) / parts - first);
  };
  std::vector<std::vector<std::size_t>> places(parts, std::vector<std::size_t>(word_count));
  parallel_for(parts, parts, [&](std::size_t i) {
    for (const ImagePostings& image : part(i)) {
      for (const std::uint32_t word : image.words) ++places[i][word];
    }
  });
  std::size_t next = 0;
  for (std::size_t word = 0; word < word_count; ++word) {
    begins[word] = next;
    for (auto& of_part : places) next += std::exchange(of_part[word], next);
  }
  begins[word_count] = next;
  parallel_for(parts, parts, [&](std::size_t i) {
    for (const ImagePostings& image : part(i)) {
      for (std::size_t feature = 0; feature < image.words.size(); ++feature) {
        const std::size_t at = places[i][image.words[feature]]++;
        images[at] = image.image;
        signatures[at] = image.signatures[feature];
      }
    }
  });
}

}  // namespace

void sort_by_image(WordPostings& postings) {
  if (std::ranges::is_sorted(postings.images)) return;
  std::vector<std::pair<ImageId, std::uint64_t>> pairs(postings.images.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = {postings.images[i], postings.signatures[i]};
  }
  std::ranges::stable_sort(pairs, {}, [](const auto& pair) { return pair.first; });
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    std::tie(postings.images[i], postings.signatures[i]) = pairs[i];
  }
}

void write_segment(Connection& connection, std::span<const ImagePostings> images,
                   std::size_t word_count) {
  const PostingsByWord sorted(images, word_count);
  if (sorted.images.empty()) return;
  const std::int64_t segment = add_segment(connection);
  std::vector<Bytes> encoded(word_count);
  parallel_ranges(word_count, [&](std::size_t first, std::size_t last) {
    for (std::size_t word = first; word < last; ++word) {
      const std::size_t begin = sorted.begins[word];
      const std::size_t count = sorted.begins[word + 1] - begin;
      if (count == 0) continue;
      encoded[word] = encode_postings(std::span(sorted.images).subspan(begin, count),
                                      std::span(sorted.signatures).subspan(begin, count),
                                      postings_id(segment, static_cast<std::uint32_t>(word)));
    }
  });
  Statement& insert = connection.prepared("INSERT INTO postings (id, data) VALUES (?, ?)");
  for (std::size_t word = 0; word < word_count; ++word) {
    if (encoded[word].empty()) continue;
    insert.run(postings_id(segment, static_cast<std::uint32_t>(word)), encoded[word]);
  }
  add_postings(connection, segment, static_cast<std::int64_t>(sorted.images.size()));
}

void SegmentMerge::step() {
  const UnsyncedCommits unsynced(connection_);
  Transaction transaction(connection_);
  if (!into_) into_ = add_segment(connection_);
  from_ = merge_step(connection_, segments_, *into_, from_.value(), step_bytes_);
  transaction.commit();
}

std::optional<SegmentMerge> next_merge(Connection& connection, std::size_t max_segments) {
  const std::vector<Segment> segments = list_segments(connection);
  const std::size_t count = count_to_merge(segments, max_segments);
  return count > 0 ? std::optional(merge_of(connection, segments, count)) : std::nullopt;
}

void merge_segments(Connection& connection, std::size_t max_segments, std::size_t step_bytes) {
  require(max_segments >= 1, "merge_segments: max_segments is 0");
  if (many_removed(connection)) merge_all_segments(connection);
  while (true) {
    const std::vector<Segment> segments = list_segments(connection);
    const std::size_t count = count_to_merge(segments, max_segments);
    if (count == 0) return;
    complete(merge_of(connection, segments, count, step_bytes));
  }
}

void merge_small_segments(Connection& connection, std::uint64_t most_postings) {
  while (true) {
    const std::vector<Segment> segments = list_segments(connection);
    const std::size_t count = count_to_outgrow(segments, most_postings);
    if (count == 0) return;
    for (std::size_t i = 0; i < count; ++i) most_postings -= segments[i].postings;
    complete(merge_of(connection, segments, count));
  }
}

void merge_all_segments(Connection& connection) {
  std::size_t left = 0;  // segments before the last merge
  do {
    const std::vector<Segment> segments = list_segments(connection);
    left = segments.size();
    if (left > 0) complete(merge_of(connection, segments, std::min(left, kMaxMergedAtOnce)));
  } while (left > kMaxMergedAtOnce);
}

}  // namespace lookalike
