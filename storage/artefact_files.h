#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/artefacts.h"
#include "storage/output_file.h"

// The artefact files that stage executables pass on; storage/FORMATS.md has every byte. A file
// appears whole on finish(), as an OutputFile; a writer destroyed before that leaves nothing.
// Readers check magic, version and the checksum of each record. All throw Error(kInput) for a file
// that is missing, of another kind, truncated or damaged, Error(kStorage) when writing fails, and
// Error(kInternal) for a record whose parts do not fit each other.
namespace lookalike {

// A file of any number of records of one type: ImageFeatures, ImageStatistics, ImageWords,
// SkippedFile, or, in a manifest, SourceFile.
template <typename Record>
class ArtefactWriter {
 public:
  explicit ArtefactWriter(OutputFile file);
  void write(const Record& record);
  void finish();

 private:
  void write_frame(std::uint64_t length, ByteView payload);

  OutputFile file_;
  std::uint64_t records_ = 0;
};

class RecordFile;

template <typename Record>
class ArtefactReader {
 public:
  explicit ArtefactReader(const std::filesystem::path& file);
  ~ArtefactReader();
  // The next record, or nothing at the end, where the count is checked.
  std::optional<Record> next();

 private:
  std::unique_ptr<RecordFile> file_;
};

// The files of this type of record, or of Codebook, of any version.
template <typename Record>
OutputKind artefact_kind();

void write_codebook(OutputFile file, const Codebook& codebook);
Codebook read_codebook(const std::filesystem::path& file);

// XXH3-128 over everything in the codebook: identifies it in an index's settings.
ContentHash codebook_hash(const Codebook& codebook);

// The payload of one record of any of the six types, without loss.
template <typename Record>
Bytes encode_record(const Record& record);
// Throws Error(kInput) when the payload ends early or is too long, and never allocates more than it
// could fill.
template <typename Record>
Record decode_record(ByteView payload);

}  // namespace lookalike
