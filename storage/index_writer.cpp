#include "storage/index_writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/files.h"
#include "storage/artefact_files.h"
#include "storage/codecs.h"
#include "storage/segments.h"
#include "storage/sqlite.h"

namespace lookalike {
namespace {

// All tables but the runs; a table comes after those that it refers to.
constexpr std::array<const char*, 15> kTables = {
    "settings",   "codebook",   "images",  "files",    "quarantine",
    "statistics", "histograms", "forward", "segments", "postings",
    "tombstones", "derived",    "roots",   "devices",  "withheld"};

// Another index, under the schema name `other`.
class Attachment {
 public:
  Attachment(Connection& connection, const std::filesystem::path& other) : connection_(connection) {
    Statement(connection, "ATTACH ? AS other").run(resolved(other).native());
  }
  ~Attachment() {
    try {
      connection_.execute("DETACH other");
    } catch (const Error&) {
      // Closing the connection detaches it.
    }
  }
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

 private:
  Connection& connection_;
};

// "extract.octaves is "4" in the index and "5" now", one for each setting that differs.
std::string differences(const Settings& stored, const Settings& given) {
  const auto quoted = [](const Settings& settings, const std::string& name) {
    const auto found = settings.find(name);
    return found == settings.end() ? "not set" : "\"" + found->second + "\"";
  };
  Settings names = stored;
  names.insert(given.begin(), given.end());
  std::string text;
  for (const auto& [name, value] : names) {
    const std::string before = quoted(stored, name);
    const std::string now = quoted(given, name);
    if (before == now) continue;
    text += fmt::format("{}{} is {} in the index and {} now", text.empty() ? "" : "; ", name,
                        before, now);
  }
  return text;
}

double euclidean_norm(const SparseHistogram& histogram) {
  double sum = 0;
  for (const WordCount& entry : histogram) sum += std::pow(entry.count, 2);
  return std::sqrt(sum);
}

void check_features(const ImageToStore& image, std::size_t word_count) {
  const ImageWords& words = image.words;
  require(!image.blank || words.features.empty(), "publish: a blank image with features");
  for (const IndexedFeature& feature : words.features) {
    if (feature.word < word_count) continue;
    throw Error(ErrorKind::kInput, fmt::format("{}: has word {}, and the codebook has {} words",
                                               words.image.file.path, feature.word, word_count));
  }
}

}  // namespace

struct IndexWriter::Impl {
  Impl(const IndexReader& reader, Connection& database) : index(reader), connection(database) {}

  ImageId insert(const ImageToStore& image);
  void point(const SourceFile& file, ImageId image);
  void detach(const std::string& path);
  void remove_if_unnamed(ImageId image);

  const IndexReader& index;
  Connection& connection;
  Segments segments{connection};
  Statement select_word_count{connection, "SELECT word_count FROM codebook"};
  Statement insert_image{connection,
                         "INSERT INTO images (content, width, height, blank, feature_count, norm) "
                         "VALUES (?, ?, ?, ?, ?, ?)"};
  Statement insert_statistics{connection, "INSERT INTO statistics VALUES (?, ?, ?, ?)"};
  Statement insert_histogram{connection, "INSERT INTO histograms VALUES (?, ?)"};
  Statement insert_forward{connection, "INSERT INTO forward VALUES (?, ?)"};
  Statement replace_file{connection, "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)"};
  Statement delete_file{connection, "DELETE FROM files WHERE path = ?"};
  Statement replace_quarantined{connection,
                                "INSERT OR REPLACE INTO quarantine VALUES (?, ?, ?, ?, ?)"};
  Statement delete_quarantined{connection, "DELETE FROM quarantine WHERE path = ?"};
  Statement select_any_file{connection, "SELECT 1 FROM files WHERE image = ? LIMIT 1"};
  Statement insert_tombstone{connection,
                             "INSERT INTO tombstones SELECT id, feature_count FROM images "
                             "WHERE id = ? AND feature_count > 0"};
  Statement delete_image{connection, "DELETE FROM images WHERE id = ?"};
};

ImageId IndexWriter::Impl::insert(const ImageToStore& image) {
  const ImageRecord& record = image.words.image;
  insert_image.run(record.content, record.width, record.height, image.blank,
                   image.words.features.size(), euclidean_norm(image.words.histogram));
  const std::int64_t id = connection.last_insert_id();
  if (id > std::numeric_limits<ImageId>::max()) {
    throw Error(ErrorKind::kStorage, connection.path() + ": has run out of image numbers");
  }
  insert_statistics.run(id, image.sums.count, image.sums.sum, image.sums.sum_of_squares);
  if (!image.blank) {
    const auto longer_side = static_cast<std::uint32_t>(std::max(record.width, record.height));
    insert_histogram.run(id, encode_histogram(image.words.histogram));
    insert_forward.run(id, encode_features(image.words.features, longer_side));
  }
  return static_cast<ImageId>(id);
}

void IndexWriter::Impl::point(const SourceFile& file, ImageId image) {
  const std::optional<ImageId> before = index.find(file.path);
  replace_file.run(bytes_of(file.path), image, file.size_bytes, file.modified_ns);
  delete_quarantined.run(bytes_of(file.path));
  if (before && *before != image) remove_if_unnamed(*before);
}

void IndexWriter::Impl::detach(const std::string& path) {
  const std::optional<ImageId> image = index.find(path);
  if (!image) return;
  delete_file.run(bytes_of(path));
  remove_if_unnamed(*image);
}

void IndexWriter::Impl::remove_if_unnamed(ImageId image) {
  if (select_any_file.first<int>(image)) return;
  insert_tombstone.run(image);
  delete_image.run(image);
}

IndexWriter::IndexWriter(const std::filesystem::path& database)
    : IndexReader(database, ForWriting{}), impl_(std::make_unique<Impl>(*this, connection())) {}

IndexWriter::~IndexWriter() = default;

template <typename Work>
void IndexWriter::in_transaction(const Work& work) {
  Transaction transaction(connection());
  work();
  transaction.commit();
  refresh();
}

void IndexWriter::set_codebook(const Codebook& codebook, const Settings& settings) {
  in_transaction([&] {
    const ContentHash hash = codebook_hash(codebook);
    if (const auto stored_hash =
            Statement(connection(), "SELECT hash FROM codebook").first<ContentHash>()) {
      Settings stored = this->settings();
      Settings given = settings;
      stored["the codebook"] = to_hex(*stored_hash);
      given["the codebook"] = to_hex(hash);
      if (stored == given) return;
      throw OtherSettings(fmt::format("{}: was made under other settings: {}", connection().path(),
                                      differences(stored, given)));
    }
    Statement(connection(), "INSERT INTO codebook VALUES (1, ?, ?, ?, ?, ?, ?)")
        .run(hash, codebook.descriptor_size, codebook.size(), encode_floats(codebook.words),
             encode_floats(codebook.projection), encode_floats(codebook.thresholds));
    Statement insert(connection(), "INSERT INTO settings VALUES (?, ?)");
    for (const auto& [name, value] : settings) insert.run(name, value);
  });
}

void IndexWriter::publish(std::span<const ImageToStore> images) {
  in_transaction([&] {
    const auto word_count = impl_->select_word_count.first<std::size_t>();
    require(word_count.has_value(), "publish: the index has no codebook yet");
    SegmentBuilder builder;
    for (const ImageToStore& image : images) {
      check_features(image, *word_count);
      const ImageRecord& record = image.words.image;
      std::optional<ImageId> id = find(record.content);
      if (!id) {
        id = impl_->insert(image);
        builder.add(*id, image.words.features);
      }
      impl_->point(record.file, *id);
    }
    impl_->segments.write(builder, *word_count);
  });
}

void IndexWriter::put_in_quarantine(std::span<const SkippedFile> files) {
  in_transaction([&] {
    for (const SkippedFile& skipped : files) {
      impl_->detach(skipped.file.path);
      impl_->replace_quarantined.run(bytes_of(skipped.file.path), skipped.file.size_bytes,
                                     skipped.file.modified_ns, skipped.reason, skipped.detail);
    }
  });
}

void IndexWriter::remove_paths(std::span<const std::string> paths) {
  in_transaction([&] {
    for (const std::string& path : paths) {
      impl_->detach(path);
      impl_->delete_quarantined.run(bytes_of(path));
    }
  });
}

void IndexWriter::move_files(std::span<const MovedFile> files) {
  in_transaction([&] {
    for (const MovedFile& file : files) {
      const std::optional<ImageId> image = find(file.from);
      require(image.has_value(), "move_files: a file is not in the index");
      impl_->point(file.to, *image);
      if (file.to.path != file.from) impl_->detach(file.from);
    }
  });
}

void IndexWriter::put_roots(std::span<const IndexRoot> roots) {
  in_transaction([&] {
    Statement delete_root(connection(), "DELETE FROM roots WHERE path = ?");
    Statement insert_root(connection(), "INSERT INTO roots VALUES (?, ?)");
    // A folder may have been below another root before, and a root of its own now.
    Statement insert_device(connection(), "INSERT OR REPLACE INTO devices VALUES (?, ?, ?, ?)");
    Statement insert_withheld(connection(), "INSERT OR REPLACE INTO withheld VALUES (?, ?)");
    for (const IndexRoot& root : roots) {
      delete_root.run(bytes_of(root.path));
      insert_root.run(bytes_of(root.path), root.scanned_ns);
      for (const FolderDevice& folder : root.devices) {
        insert_device.run(bytes_of(folder.path), bytes_of(root.path), folder.device,
                          folder.file_system);
      }
      for (const std::string& file : root.withheld) {
        insert_withheld.run(bytes_of(file), bytes_of(root.path));
      }
    }
  });
}

void IndexWriter::forget_roots(std::span<const std::string> roots) {
  in_transaction([&] {
    Statement delete_root(connection(), "DELETE FROM roots WHERE path = ?");
    for (const std::string& root : roots) delete_root.run(bytes_of(root));
  });
}

void IndexWriter::merge_segments(std::size_t max_segments) {
  in_transaction([&] { impl_->segments.merge(max_segments); });
}

void IndexWriter::compact() {
  in_transaction([&] { impl_->segments.merge_everything(); });
  connection().execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
}

void IndexWriter::replace_content(const std::filesystem::path& other) {
  const Attachment attachment(connection(), other);
  in_transaction([&] {
    for (auto table = kTables.rbegin(); table != kTables.rend(); ++table) {
      connection().execute(fmt::format("DELETE FROM main.{}", *table).c_str());
    }
    for (const char* table : kTables) {
      connection().execute(
          fmt::format("INSERT INTO main.{} SELECT * FROM other.{}", table, table).c_str());
    }
  });
}

void IndexWriter::set_derived(std::string_view name, std::string_view value) {
  in_transaction([&] {
    Statement(connection(), "INSERT OR REPLACE INTO derived (name, value) VALUES (?, ?)")
        .run(name, value);
  });
}

std::int64_t IndexWriter::begin_run(std::string_view command, std::int64_t started_ns) {
  std::int64_t id = 0;
  in_transaction([&] {
    connection().execute("UPDATE runs SET outcome = 'killed' WHERE outcome = 'running'");
    Statement(connection(),
              "INSERT INTO runs (command, started_ns, elapsed_seconds, outcome, document) "
              "VALUES (?, ?, 0, 'running', '')")
        .run(command, started_ns);
    id = connection().last_insert_id();
  });
  return id;
}

void IndexWriter::end_run(const RunRecord& run) {
  in_transaction([&] {
    Statement(connection(),
              "UPDATE runs SET elapsed_seconds = ?, outcome = ?, document = ? WHERE id = ?")
        .run(run.elapsed_seconds, run.outcome, run.document, run.id);
  });
}

// Before the lock is released, so that nobody else can have begun to write what is deleted.
void IndexWriter::discard() {
  const std::filesystem::path database = connection().path();
  for (const char* ending : {"", "-wal", "-shm"}) {
    std::error_code ignored;
    std::filesystem::remove(database.string() + ending, ignored);
  }
}

}  // namespace lookalike
