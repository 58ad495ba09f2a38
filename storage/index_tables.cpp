#include "storage/index_tables.h"

#include "storage/codecs.h"

namespace lookalike {

Settings read_settings(const Connection& connection) {
  Statement select(connection, "SELECT name, value FROM settings");
  Settings settings;
  for (Rows rows = select.rows(); rows.next();) {
    settings.emplace(rows.text(0), rows.text(1));
  }
  return settings;
}

std::optional<Codebook> read_stored_codebook(const Connection& connection) {
  Statement select(connection,
                   "SELECT descriptor_size, words, projection, thresholds FROM codebook");
  Rows rows = select.rows();
  if (!rows.next()) return std::nullopt;
  return decode_named(connection, "codebook", 1, [&] {
    Codebook codebook;
    codebook.descriptor_size = static_cast<std::size_t>(rows.integer(0));
    codebook.words = decode_floats(rows.blob(1));
    codebook.projection = decode_floats(rows.blob(2));
    codebook.thresholds = decode_floats(rows.blob(3));
    return codebook;
  });
}

std::vector<SkippedFile> read_quarantine(const Connection& connection) {
  Statement select(
      connection,
      "SELECT path, size_bytes, modified_ns, reason, detail FROM quarantine ORDER BY path");
  std::vector<SkippedFile> files;
  for (Rows rows = select.rows(); rows.next();) {
    files.push_back(
        {{std::string(rows.text(0)), static_cast<std::uint64_t>(rows.integer(1)), rows.integer(2)},
         std::string(rows.text(3)),
         std::string(rows.text(4))});
  }
  return files;
}

ByteView bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace lookalike
