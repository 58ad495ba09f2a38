#include "storage/index_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <system_error>
#include <unordered_map>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "storage/artefact_files.h"
#include "storage/blobs.h"
#include "storage/index_reader.h"
#include "storage/schema.h"
#include "storage/segments.h"

namespace lookalike {
namespace {

// The features of an image, from the forward record or the postings: a sum that does not depend on
// their order.
struct Features {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  bool operator==(const Features&) const = default;

  void add(std::uint32_t word, std::uint64_t signature) {
    std::array<std::uint8_t, sizeof signature> bytes{};
    std::memcpy(bytes.data(), &signature, sizeof signature);
    sum += checksum(bytes, word);
    ++count;
  }
};

struct Posted : Features {
  std::int64_t segment = 0;
};

class IndexCheck {
 public:
  explicit IndexCheck(const std::filesystem::path& database)
      : connection_(open_for_reading(database)) {
    connection_.execute("PRAGMA cache_size = -65536; BEGIN");
  }

  std::vector<std::string> run() {
    attempt([&] { check_database(); });
    attempt([&] { check_codebook(); });
    attempt([&] { check_images(); });
    attempt([&] { check_pages(); });
    attempt([&] { check_paths(); });
    attempt([&] { check_postings(); });
    attempt([&] { compare_postings(); });
    return std::move(problems_);
  }

 private:
  template <typename... Values>
  void report(fmt::format_string<const Values&...> what, const Values&... values) {
    problems_.push_back(fmt::format(what, values...));
  }
  template <typename... Values>
  void expect(bool right, fmt::format_string<const Values&...> what, const Values&... values) {
    if (!right) problems_.push_back(fmt::format(what, values...));
  }
  // An error in one part, such as a damaged page, must not stop the check of the others.
  template <typename Work>
  void attempt(const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      problems_.emplace_back(error.what());
    }
  }

  void check_database() {
    Rows integrity = connection_.rows("PRAGMA integrity_check");
    while (integrity.next()) {
      if (integrity.text(0) != "ok") report("database: {}", integrity.text(0));
    }
    Rows keys = connection_.rows("PRAGMA foreign_key_check");
    while (keys.next()) {
      report("table {}: row {} refers to a missing row of {}", keys.text(0), keys.integer(1),
             keys.text(2));
    }
  }

  void check_codebook() {
    const std::optional<Codebook> codebook = read_stored_codebook(connection_);
    if (!codebook) return;
    Rows rows = connection_.rows("SELECT word_count, hash FROM codebook");
    rows.next();
    rows.read(word_count_);
    const std::string stored_hash = to_hex(rows.blob(1));
    const std::size_t d = codebook->descriptor_size;
    if (d == 0 || codebook->words.size() != word_count_ * d ||
        codebook->projection.size() != kSignatureBits * d ||
        codebook->thresholds.size() != word_count_ * kSignatureBits) {
      report("codebook: its parts do not fit each other");
    } else if (to_hex(codebook_hash(*codebook)) != stored_hash) {
      report("codebook: its content is not its hash's");
    }
    const Settings settings = read_settings(connection_);
    const auto named = settings.find("codebook.hash");
    expect(named == settings.end() || named->second == stored_hash,
           "settings: codebook.hash is not the codebook's");
  }

  void check_images() {
    Rows rows = connection_.rows(
        "SELECT id, blank, feature_count, norm, length(content), histograms.data, "
        "forward.data, statistics.image IS NOT NULL, "
        "EXISTS (SELECT 1 FROM files WHERE files.image = coalesce(first, id)) "
        "FROM images LEFT JOIN histograms ON histograms.image = id "
        "LEFT JOIN forward ON forward.image = id "
        "LEFT JOIN statistics ON statistics.image = id ORDER BY id");
    while (rows.next()) attempt([&] { check_image(rows); });
  }

  void check_image(const Rows& rows) {
    const std::int64_t id = rows.integer(0);
    Features& features = images_[static_cast<ImageId>(id)];
    expect(rows.integer(4) == static_cast<std::int64_t>(sizeof(ContentHash)),
           "image {}: its content is no hash", id);
    expect(rows.integer(7) == 1, "image {}: has no statistics", id);
    expect(rows.integer(8) == 1, "image {}: no file has it", id);
    std::map<std::uint32_t, std::uint32_t> counts;
    if (rows.integer(1) == 0) {
      const auto forward = decode_named(connection_, "forward record of image", id,
                                        [&] { return decode_features(rows.blob(6)); });
      for (const IndexedFeature& feature : forward) {
        features.add(feature.word, feature.signature);
        ++counts[feature.word];
      }
      const SparseHistogram histogram = decode_named(
          connection_, "histogram of image", id, [&] { return decode_histogram(rows.blob(5)); });
      const bool equal = std::ranges::equal(histogram, counts, [](const auto& a, const auto& b) {
        return a.word == b.first && a.count == b.second;
      });
      expect(equal, "image {}: histogram and forward record differ", id);
    }
    double squares = 0;
    for (const auto& [word, count] : counts) squares += std::pow(count, 2);
    expect(features.count == static_cast<std::uint64_t>(rows.integer(2)),
           "image {}: has {} features, and says {}", id, features.count, rows.integer(2));
    expect(std::abs(std::sqrt(squares) - rows.real(3)) <= 1e-9 * squares,
           "image {}: its norm is not the histogram's", id);
    expect(counts.empty() || counts.rbegin()->first < word_count_,
           "image {}: has words beyond the codebook", id);
  }

  void check_pages() {
    Rows rows = connection_.rows(
        "SELECT pages.id FROM images AS pages LEFT JOIN images AS firsts ON firsts.id = "
        "pages.first "
        "WHERE (pages.page > 1) <> (pages.first IS NOT NULL) OR firsts.page > 1");
    while (rows.next()) report("image {}: is a page without a first one", rows.integer(0));
  }

  void check_paths() {
    Rows rows = connection_.rows("SELECT path FROM files INTERSECT SELECT path FROM quarantine");
    while (rows.next()) report("{}: is both indexed and in quarantine", rows.text(0));
  }

  void check_postings() {
    std::map<std::int64_t, std::uint64_t> expected;
    Rows segments = connection_.rows("SELECT id, posting_count FROM segments");
    while (segments.next()) {
      expected[segments.integer(0)] = static_cast<std::uint64_t>(segments.integer(1));
    }
    std::map<std::int64_t, std::uint64_t> found;
    Rows postings = connection_.rows("SELECT id, data FROM postings ORDER BY id");
    while (postings.next()) {
      const std::int64_t segment = postings.integer(0) >> 32;
      const auto word = static_cast<std::uint32_t>(postings.integer(0));
      attempt([&] { found[segment] += add_postings(segment, word, postings.blob(1)); });
    }
    for (const auto& [segment, count] : expected) {
      expect(found[segment] == count, "segment {}: has {} postings, and says {}", segment,
             found[segment], count);
    }
    for (const auto& [segment, count] : found) {
      expect(expected.contains(segment), "segment {}: is not listed", segment);
    }
  }

  std::uint64_t add_postings(std::int64_t segment, std::uint32_t word, ByteView blob) {
    WordPostings postings;
    decode_named(connection_, "postings of word", word, [&] { decode_postings(blob, postings); });
    expect(word < word_count_, "postings: word {} is beyond the codebook", word);
    for (std::size_t i = 0; i < postings.images.size(); ++i) {
      Posted& posted = posted_[postings.images[i]];
      expect(posted.count == 0 || posted.segment == segment,
             "image {}: has postings in segments {} and {}", postings.images[i], posted.segment,
             segment);
      posted.segment = segment;
      posted.add(word, postings.signatures[i]);
    }
    return postings.images.size();
  }

  // Each posted image must be live with these very features, or removed with as many.
  void compare_postings() {
    Rows tombstones = connection_.rows("SELECT image, posting_count FROM tombstones");
    while (tombstones.next()) {
      const auto image = static_cast<ImageId>(tombstones.integer(0));
      expect(!images_.contains(image), "image {}: is live and removed", image);
      expect(posted_[image].count == static_cast<std::uint64_t>(tombstones.integer(1)),
             "removed image {}: has {} postings, and says {}", image, posted_[image].count,
             tombstones.integer(1));
      posted_.erase(image);
    }
    for (const auto& [image, features] : images_) {
      expect(static_cast<const Features&>(posted_[image]) == features,
             "image {}: postings and forward record differ", image);
      posted_.erase(image);
    }
    for (const auto& [image, posted] : posted_) {
      report("image {}: has {} postings, and is not known", image, posted.count);
    }
  }

  Connection connection_;
  std::vector<std::string> problems_;
  std::size_t word_count_ = 0;
  std::unordered_map<ImageId, Features> images_;  // of forward records
  std::unordered_map<ImageId, Posted> posted_;
};

bool is_file(const std::filesystem::path& database) {
  std::error_code error;
  return std::filesystem::is_regular_file(database, error);
}

}  // namespace

std::vector<std::string> check_index(const std::filesystem::path& database) {
  try {
    return IndexCheck(database).run();
  } catch (const EmptyIndex&) {
    return {};
  } catch (const Error& error) {
    // A damaged start looks like a file that never was an index.
    if (!is_file(database)) throw;
    return {error.what()};
  }
}

bool is_empty_index(const std::filesystem::path& database) {
  try {
    open_for_reading(database);
    return false;
  } catch (const EmptyIndex&) {
    return true;
  } catch (const Error&) {
    if (!is_file(database)) throw;
    return false;
  }
}

}  // namespace lookalike
