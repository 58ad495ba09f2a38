#include "storage/fingerprint.h"

#include <string>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "storage/artefact_files.h"
#include "storage/codecs.h"
#include "storage/digest.h"
#include "storage/index_tables.h"
#include "storage/other_settings.h"

namespace lookalike {
namespace {

std::string quoted(const Settings& settings, const std::string& name) {
  const auto found = settings.find(name);
  return found == settings.end() ? "not set" : "\"" + found->second + "\"";
}

// "extract.octaves is "4" in the index and "5" now", one for each that differs.
std::string differences(const Settings& stored, const Settings& given) {
  Settings names = stored;
  names.insert(given.begin(), given.end());
  std::string text;
  for (const auto& [name, value] : names) {
    const std::string there = quoted(stored, name);
    const std::string here = quoted(given, name);
    if (there == here) continue;
    text += fmt::format("{}{} is {} in the index and {} now", text.empty() ? "" : "; ", name, there,
                        here);
  }
  return text;
}

}  // namespace

void store_fingerprint(Connection& connection, const Codebook& codebook, const Settings& settings) {
  const ContentHash hash = codebook_hash(codebook);
  Statement select(connection, "SELECT hash FROM codebook");
  if (Rows rows = select.rows(); rows.next()) {
    Settings stored = read_settings(connection);
    Settings given = settings;
    stored["the codebook"] = to_hex(rows.blob(0));
    given["the codebook"] = to_hex(hash);
    if (stored == given) return;
    throw OtherSettings(fmt::format("{}: was made under other settings: {}", connection.path(),
                                    differences(stored, given)));
  }
  Statement(connection, "INSERT INTO codebook VALUES (1, ?, ?, ?, ?, ?, ?)")
      .run(ByteView(hash), codebook.descriptor_size, codebook.size(),
           ByteView(encode_floats(codebook.words)), ByteView(encode_floats(codebook.projection)),
           ByteView(encode_floats(codebook.thresholds)));
  Statement insert(connection, "INSERT INTO settings VALUES (?, ?)");
  for (const auto& [name, value] : settings) {
    insert.run(std::string_view(name), std::string_view(value));
  }
}

}  // namespace lookalike
