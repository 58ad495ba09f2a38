#include "storage/index_check.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/parallel.h"
#include "base/text.h"
#include "storage/artefact_files.h"
#include "storage/blobs.h"
#include "storage/index_reader.h"
#include "storage/schema.h"
#include "storage/segments.h"

namespace lookalike {
namespace {

// Digest of the words of an image, from its record or the postings; independent of order.
struct Features {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  bool operator==(const Features&) const = default;

  void add(std::uint32_t word) {
    sum += checksum({}, word);
    ++count;
  }
};

using FeaturesByImage = std::unordered_map<ImageId, Features>;

// Bytes of rows checked in one parallel step.
constexpr std::size_t kBytesAtOnce = std::size_t{4} << 20;

// Problems found by parts of a check, in order.
class Problems {
 public:
  template <typename... Values>
  void report(fmt::format_string<const Values&...> what, const Values&... values) {
    const fmt::string_view kind = what;
    all_.push_back({std::string(kind.data(), kind.size()), fmt::format(what, values...)});
  }
  template <typename... Values>
  void expect(bool right, fmt::format_string<const Values&...> what, const Values&... values) {
    if (!right) report(what, values...);
  }
  // Reports an error, such as a damaged page, which must not stop the other parts of the check.
  template <typename Work>
  void attempt(const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      all_.push_back({{}, error.what()});
    }
  }
  void add(Problems more) { std::ranges::move(more.all_, std::back_inserter(all_)); }

  // Returns the problems in order; of many that differ in a number alone the first ones, and then
  // how many there are: a damaged codebook makes every word wrong.
  std::vector<std::string> take() {
    std::map<std::string, std::size_t> counts;
    std::vector<std::string> texts;
    for (Problem& problem : all_) {
      const std::size_t count = problem.kind.empty() ? 0 : ++counts[problem.kind];
      if (count <= kMostOfAKind) texts.push_back(std::move(problem.text));
    }
    for (const auto& [kind, count] : counts) {
      if (count <= kMostOfAKind) continue;
      texts.push_back(fmt::format("{} more of the kind \"{}\"", count - kMostOfAKind, kind));
    }
    all_.clear();
    return texts;
  }

 private:
  static constexpr std::size_t kMostOfAKind = 10;
  struct Problem {
    std::string kind;  // its sentence without values; empty for an error
    std::string text;
  };
  std::vector<Problem> all_;
};

// A row of an image with copies of its blobs, and the results of its check.
struct ImageRow {
  std::int64_t id = 0;
  bool blank = false;
  std::int64_t feature_count = 0;
  double norm = 0;
  std::int64_t content_bytes = 0;
  Bytes histogram{};
  bool has_file = false;

  Features features{};
  Problems problems{};
};

// A row of postings, and the results of its check.
struct ListRow {
  std::int64_t id = 0;
  Bytes data{};

  std::vector<ImageId> images{};  // one for each posting
  Problems problems{};

  std::uint32_t word() const { return static_cast<std::uint32_t>(id); }
  std::int64_t segment() const { return id >> 32; }
};

Bytes copied(ByteView blob) {
  return {blob.begin(), blob.end()};
}

// Checks SQLite's own structures over a separate connection.
Problems problems_of_database(const std::string& database, IndexOpener open) {
  Problems problems;
  problems.attempt([&] {
    Connection connection = open(database);
    connection.execute("PRAGMA cache_size = -65536; PRAGMA cell_size_check = ON");
    Rows integrity = connection.rows("PRAGMA integrity_check");
    while (integrity.next()) {
      if (integrity.text(0) != "ok") problems.report("database: {}", integrity.text(0));
    }
    Rows keys = connection.rows("PRAGMA foreign_key_check");
    while (keys.next()) {
      problems.report("table {}: row {} refers to a missing row of {}", keys.text(0),
                      keys.integer(1), keys.text(2));
    }
  });
  return problems;
}

class IndexCheck {
 public:
  IndexCheck(const std::filesystem::path& database, Progress::Style style, IndexOpener open)
      : open_(open), connection_(open(database)), style_(style), posted_(core_count()) {
    connection_.execute("PRAGMA cache_size = -65536; PRAGMA cell_size_check = ON; BEGIN");
  }

  std::vector<std::string> run() {
    Problems all;
    {
      const std::jthread beside([&] { all = problems_of_database(connection_.path(), open_); });
      problems_.attempt([&] { check_rows(); });
      problems_.attempt([&] { check_totals(); });
      problems_.attempt([&] { check_numbers(); });
      problems_.attempt([&] { check_codebook(); });
      problems_.attempt([&] { check_images(); });
      problems_.attempt([&] { check_pages(); });
      problems_.attempt([&] { check_paths(); });
      problems_.attempt([&] { check_postings(); });
      problems_.attempt([&] { compare_postings(); });
    }
    all.add(std::move(problems_));
    return all.take();
  }

 private:
  void check_rows() {
    for (const std::string& table : tables_with_checksums()) {
      const std::string key = connection_
                                  .first<std::string>(
                                      "SELECT name FROM pragma_table_info(?) "
                                      "WHERE pk = 1",
                                      table)
                                  .value();
      Rows damaged = connection_.rows(
          fmt::format("SELECT {} FROM {} WHERE NOT {}", key, table, is_row_intact(table)));
      while (damaged.next()) {
        problems_.report("table {}: row {} does not match its checksum", table,
                         printable(damaged.text(0)));
      }
    }
  }

  void check_totals() {
    for (const std::string& table : tables_with_totals()) {
      const auto total_of = [&](const std::string& select) {
        Rows rows = connection_.rows(select);
        std::pair<std::int64_t, std::int64_t> total;  // of rows and of their checksums
        if (rows.next()) rows.read(total.first, total.second);
        return total;
      };
      const auto found = total_of("SELECT count(*), coalesce(sum(checksum), 0) FROM " + table);
      const auto written =
          total_of("SELECT row_count, checksums FROM totals WHERE name = '" + table + "'");
      problems_.expect(found == written, "table {}: its {} rows are not the {} that were written",
                       table, found.first, written.first);
    }
  }

  void check_numbers() {
    check_image_numbers(connection_);
    // SQLite numbers the next row from here; a removed image's number must not come back.
    const auto largest = count(
        "SELECT max(coalesce((SELECT max(id) FROM images), 0), "
        "coalesce((SELECT max(image) FROM tombstones), 0))");
    const auto last = count("SELECT seq FROM sqlite_sequence WHERE name = 'images'");
    problems_.expect(last >= largest && last <= std::numeric_limits<ImageId>::max(),
                     "images: the last number given is {}, and image {} has a number", last,
                     largest);
  }

  // Leaves word_count_ empty if the codebook is damaged: one problem, not one for each image.
  void check_codebook() {
    const std::optional<Codebook> codebook = read_stored_codebook(connection_);
    word_count_ = codebook ? codebook->size() : 0;
    if (!codebook) return;
    Rows rows = connection_.rows("SELECT hash FROM codebook");
    rows.next();
    const std::string stored_hash = to_hex(rows.blob(0));
    problems_.expect(to_hex(codebook_hash(*codebook)) == stored_hash,
                     "codebook: its content does not match its hash");
    const Settings settings = read_settings(connection_);
    const auto named = settings.find("codebook.hash");
    problems_.expect(named == settings.end() || named->second == stored_hash,
                     "settings: codebook.hash does not match the codebook");
  }

  // Reads rows from next(bytes), which adds the size of each to `bytes`; runs check(row) on all
  // cores for kBytesAtOnce of them at a time, then take(rows).
  template <typename Row, typename Next, typename Check, typename Take>
  static void in_parallel(const Next& next, const Check& check, const Take& take) {
    for (bool is_done = false; !is_done;) {
      std::vector<Row> rows;
      for (std::size_t bytes = 0; !is_done && bytes < kBytesAtOnce;) {
        std::optional<Row> row = next(bytes);
        is_done = !row;
        if (row) rows.push_back(*std::move(row));
      }
      parallel_ranges(rows.size(), [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) check(rows[i]);
      });
      take(rows);
    }
  }

  void check_images() {
    Rows rows = connection_.rows(
        "SELECT id, blank, feature_count, norm, length(content), data, "
        "EXISTS (SELECT 1 FROM files WHERE files.image = coalesce(first, id)) "
        "FROM images LEFT JOIN histograms ON image = id ORDER BY id");
    const auto next = [&](std::size_t& bytes) -> std::optional<ImageRow> {
      if (!rows.next()) return std::nullopt;
      bytes += sizeof(ImageRow) + rows.blob(5).size();
      return ImageRow{.id = rows.integer(0),
                      .blank = rows.integer(1) != 0,
                      .feature_count = rows.integer(2),
                      .norm = rows.real(3),
                      .content_bytes = rows.integer(4),
                      .histogram = copied(rows.blob(5)),
                      .has_file = rows.integer(6) != 0};
    };
    Progress progress("check", "images", count("SELECT count(*) FROM images"), style_);
    in_parallel<ImageRow>(
        next, [&](ImageRow& row) { row.problems.attempt([&] { check_image(row); }); },
        [&](std::vector<ImageRow>& checked) {
          for (ImageRow& row : checked) {
            images_[static_cast<ImageId>(row.id)] = row.features;
            problems_.add(std::move(row.problems));
          }
          progress.update(images_.size());
        });
  }

  void check_image(ImageRow& row) const {
    Problems& problems = row.problems;
    const std::int64_t id = row.id;
    problems.expect(row.content_bytes == static_cast<std::int64_t>(sizeof(ContentHash)),
                    "image {}: its content hash has the wrong length", id);
    problems.expect(row.has_file, "image {}: has no file", id);
    std::map<std::uint32_t, std::uint32_t> counts;
    if (!row.blank) {
      const StoredFeatures features = decode_named(connection_, "histogram of image", id, [&] {
        return decode_histogram(row.histogram, id);
      });
      for (const std::uint32_t word : features.words) {
        row.features.add(word);
        ++counts[word];
      }
    }
    double squares = 0;
    for (const auto& [word, count] : counts) squares += std::pow(count, 2);
    problems.expect(row.features.count == static_cast<std::uint64_t>(row.feature_count),
                    "image {}: has {} features instead of {}", id, row.features.count,
                    row.feature_count);
    problems.expect(std::abs(std::sqrt(squares) - row.norm) <= 1e-9 * squares,
                    "image {}: its norm does not match its histogram", id);
    problems.expect(counts.empty() || is_word(counts.rbegin()->first),
                    "image {}: has words beyond the codebook", id);
  }

  void check_pages() {
    Rows rows = connection_.rows(
        "SELECT pages.id FROM images AS pages LEFT JOIN images AS firsts ON firsts.id = "
        "pages.first "
        "WHERE (pages.page > 1) <> (pages.first IS NOT NULL) OR firsts.page > 1");
    while (rows.next())
      problems_.report("image {}: is a further page without a first page", rows.integer(0));
  }

  void check_paths() {
    Rows rows = connection_.rows("SELECT path FROM files INTERSECT SELECT path FROM quarantine");
    while (rows.next()) problems_.report("{}: is both indexed and in quarantine", rows.text(0));
  }

  void check_postings() {
    std::map<std::int64_t, std::uint64_t> expected;
    std::size_t total = 0;
    Rows segments = connection_.rows("SELECT id, posting_count FROM segments");
    while (segments.next()) {
      expected[segments.integer(0)] = static_cast<std::uint64_t>(segments.integer(1));
      total += static_cast<std::size_t>(segments.integer(1));
    }
    std::map<std::int64_t, std::uint64_t> found;
    Rows lists = connection_.rows("SELECT id, data FROM postings ORDER BY id");
    const auto next = [&](std::size_t& bytes) -> std::optional<ListRow> {
      if (!lists.next()) return std::nullopt;
      bytes += sizeof(ListRow) + lists.blob(1).size();
      return ListRow{.id = lists.integer(0), .data = copied(lists.blob(1))};
    };
    Progress progress("check", "postings", total, style_);
    std::size_t done = 0;
    in_parallel<ListRow>(
        next, [&](ListRow& row) { row.problems.attempt([&] { check_list(row); }); },
        [&](std::vector<ListRow>& checked) {
          add_postings(checked);
          for (ListRow& row : checked) {
            found[row.segment()] += row.images.size();
            done += row.images.size();
            problems_.add(std::move(row.problems));
          }
          progress.update(done);
        });
    for (const auto& [segment, count] : expected) {
      problems_.expect(found[segment] == count, "segment {}: has {} postings instead of {}",
                       segment, found[segment], count);
    }
    for (const auto& [segment, count] : found) {
      problems_.expect(expected.contains(segment), "segment {}: is not listed", segment);
    }
  }

  void check_list(ListRow& row) const {
    const std::uint32_t word = row.word();
    WordPostings postings;
    decode_named(connection_, "postings of word", word,
                 [&] { decode_postings(row.data, postings, row.id); });
    row.problems.expect(is_word(word), "postings: word {} is beyond the codebook", word);
    row.images = std::move(postings.images);
  }

  FeaturesByImage& posted_of(ImageId image) { return posted_[image % posted_.size()]; }

  // Each thread adds the postings of its share of the images.
  void add_postings(const std::vector<ListRow>& lists) {
    parallel_for(posted_.size(), posted_.size(), [&](std::size_t own) {
      for (const ListRow& row : lists) {
        for (const ImageId image : row.images) {
          if (image % posted_.size() == own) posted_[own][image].add(row.word());
        }
      }
    });
  }

  // Each posted image must be live with the same features, or removed with as many.
  void compare_postings() {
    Rows tombstones = connection_.rows("SELECT image, posting_count FROM tombstones");
    while (tombstones.next()) {
      const auto image = static_cast<ImageId>(tombstones.integer(0));
      problems_.expect(!images_.contains(image), "image {}: is both live and removed", image);
      const Features posted = take_posted(image);
      problems_.expect(posted.count == static_cast<std::uint64_t>(tombstones.integer(1)),
                       "removed image {}: has {} postings instead of {}", image, posted.count,
                       tombstones.integer(1));
    }
    for (const auto& [image, features] : images_) {
      problems_.expect(take_posted(image) == features, "image {}: postings and histogram differ",
                       image);
    }
    for (const FeaturesByImage& unknown : posted_) {
      for (const auto& [image, posted] : unknown) {
        problems_.report("image {}: has {} postings, but is unknown", image, posted.count);
      }
    }
  }

  Features take_posted(ImageId image) {
    const auto posted = posted_of(image).extract(image);
    return posted ? posted.mapped() : Features{};
  }

  bool is_word(std::uint32_t word) const { return !word_count_ || word < *word_count_; }

  std::size_t count(const char* sql) { return connection_.first<std::size_t>(sql).value_or(0); }

  IndexOpener open_;
  Connection connection_;
  const Progress::Style style_;
  Problems problems_;
  std::optional<std::size_t> word_count_;
  FeaturesByImage images_;               // in records
  std::vector<FeaturesByImage> posted_;  // in postings; a share of the images each
};

bool is_file(const std::filesystem::path& database) {
  std::error_code error;
  return std::filesystem::is_regular_file(database, error);
}

}  // namespace

std::vector<std::string> check_index(const std::filesystem::path& database,
                                     Progress::Style progress, IndexOpener open) {
  try {
    return IndexCheck(database, progress, open).run();
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
