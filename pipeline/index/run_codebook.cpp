#include "pipeline/index/run_codebook.h"

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/files.h"
#include "base/program.h"
#include "base/text.h"
#include "pipeline/index_settings.h"
#include "storage/artefact_files.h"
#include "storage/index_reader.h"
#include "storage/schema.h"

namespace lookalike {
namespace {

bool is_index(const std::filesystem::path& file) {
  const std::optional<std::string> start = read_start(file, kBytesToTellAnIndex);
  return start && begins_an_index(bytes_of(*start));
}

// Returns config.extract; if `keep` is set, with the index's values in place of defaults.
ExtractOptions extract_options(const RunConfig& config, const Settings& settings,
                               const std::string& index, bool keep) {
  ExtractOptions extract = config.extract;
  if (!keep) return extract;
  for (const std::string& name : keep_settings(extract, settings)) {
    logger()->info("{} is {}, as {} was made; `lookalike retrain` without it applies the default",
                   name, settings.at(name), printable(index));
  }
  return extract;
}

// Returns a warning for the first key of [codebook] that has no effect; empty if there is none.
// `why` is the reason, with the number of words as its argument. The number of cells may be lower
// than requested: training drops empty ones.
std::string warning_of(const Codebook& codebook, const CodebookOptions& wanted,
                       fmt::format_string<std::size_t> why) {
  const auto warning = [&](const char* key, std::size_t value) {
    return fmt::format("codebook.{} = {} has no effect: {}", key, value,
                       fmt::format(why, codebook.size()));
  };
  if (wanted.words != 0 && wanted.words != codebook.size()) return warning("words", wanted.words);
  if (wanted.cells != 0 && (wanted.cells > 1) == codebook.cells.empty()) {
    return warning("cells", wanted.cells);
  }
  return {};
}

// Empty for a file that cannot be read: a run over an index with a codebook does not depend on it.
std::string hash_or_nothing(const std::string& file) {
  try {
    return hash_of_codebook_file(file);
  } catch (const Error&) {
    return "";
  }
}

RunCodebook codebook_of_index(IndexWriter& index, Codebook codebook, const RunConfig& config,
                              bool keep) {
  const ExtractOptions extract =
      extract_options(config, index.settings(), config.store.database, keep);
  const Settings settings = settings_of(extract, codebook);
  index.set_codebook(codebook, settings);
  const std::string& reuse = config.codebook.reuse;
  std::string warning;
  if (!reuse.empty() && codebook_hash_in(settings) != hash_or_nothing(reuse)) {
    warning = fmt::format(
        "codebook.reuse = {} has no effect: the index has other words; `lookalike retrain` moves "
        "it to these",
        printable(reuse));
  } else {
    warning = warning_of(codebook, config.codebook,
                         "the index has {} words; `lookalike retrain` trains new ones");
  }
  return {std::move(codebook), extract, std::move(warning)};
}

RunCodebook reused_codebook(IndexWriter& index, const RunConfig& config, bool keep) {
  const std::string& file = config.codebook.reuse;
  Codebook codebook;
  ExtractOptions extract = config.extract;
  std::vector<std::string> differing;
  if (is_index(file)) {
    const IndexReader other{std::filesystem::path(file)};
    const Settings settings = other.settings();
    extract = extract_options(config, settings, file, keep);
    codebook = other.codebook();
    differing = differing_settings(settings, settings_of(extract, codebook));
  } else {
    codebook = read_codebook(file);
    if (codebook.descriptor_size != extract.descriptor_size) {
      differing = {"extract.descriptor_size"};
    }
  }
  if (!differing.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("codebook.reuse: {} was made under other settings: {}", printable(file),
                            fmt::join(differing, ", ")));
  }
  index.set_codebook(codebook, settings_of(extract, codebook));
  logger()->info("codebook: the {} words of {}", codebook.size(), printable(file));
  std::string warning = warning_of(codebook, config.codebook, "codebook.reuse has {} words");
  return {std::move(codebook), extract, std::move(warning)};
}

}  // namespace

RunCodebook choose_codebook(IndexWriter& index, const RunConfig& config, bool keep) {
  if (std::optional<Codebook> own = index.stored_codebook()) {
    return codebook_of_index(index, *std::move(own), config, keep);
  }
  if (!config.codebook.reuse.empty()) return reused_codebook(index, config, keep);
  return {.extract = config.extract};
}

std::string hash_of_codebook_file(const std::filesystem::path& file) {
  if (!is_index(file)) return to_hex(codebook_hash(read_codebook(file)));
  return codebook_hash_in(IndexReader(file).settings());
}

std::string codebook_hash_in(const Settings& settings) {
  const auto hash = settings.find("codebook.hash");
  return hash == settings.end() ? "" : hash->second;
}

}  // namespace lookalike
