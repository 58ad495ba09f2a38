#include "pipeline/index/given_codebook.h"

#include <fstream>
#include <ios>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/text.h"
#include "pipeline/index_settings.h"
#include "storage/artefact_files.h"
#include "storage/index_reader.h"
#include "storage/schema.h"

namespace lookalike {
namespace {

bool is_index(const std::filesystem::path& file) {
  Bytes start(kBytesToTellAnIndex);
  std::ifstream(file, std::ios::binary)
      .read(reinterpret_cast<char*>(start.data()), static_cast<std::streamsize>(start.size()));
  return begins_an_index(start);
}

}  // namespace

Codebook given_codebook(const std::filesystem::path& file, const ExtractOptions& extract) {
  Codebook codebook;
  std::vector<std::string> differing;
  if (is_index(file)) {
    const IndexReader index(file);
    codebook = index.codebook();
    differing = differing_settings(index.settings(), settings_of(extract, codebook));
  } else {
    codebook = read_codebook(file);
    if (codebook.descriptor_size != extract.descriptor_size) {
      differing = {"extract.descriptor_size"};
    }
  }
  if (!differing.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("codebook.reuse: {} was made under other settings: {}",
                            printable(file.native()), fmt::join(differing, ", ")));
  }
  return codebook;
}

Settings settings_of_given(const std::filesystem::path& file) {
  return is_index(file) ? IndexReader(file).settings() : Settings{};
}

std::string given_codebook_hash(const std::filesystem::path& file) {
  if (!is_index(file)) return to_hex(codebook_hash(read_codebook(file)));
  return codebook_hash_in(settings_of_given(file));
}

std::string codebook_hash_in(const Settings& settings) {
  const auto hash = settings.find("codebook.hash");
  return hash == settings.end() ? "" : hash->second;
}

}  // namespace lookalike
