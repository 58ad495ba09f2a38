#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/artefacts.h"
#include "storage/output_file.h"

// Artefact files, which stage executables pass on; storage/FORMATS.md describes their bytes.
// Readers check the magic, the version and the checksum of each record. Throws Error(kInput) for a
// file that is missing, of another kind, truncated or damaged, Error(kStorage) when writing fails,
// and Error(kInternal) for a record whose parts do not fit each other.
namespace lookalike {

// Writes records of one type: ImageFeatures, ImageStatistics, ImageWords, SkippedFile or SourceFile
// (a manifest). The file appears whole on finish(), or not at all.
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
  // Returns nothing at the end, where the count is checked.
  std::optional<Record> next();

 private:
  std::unique_ptr<RecordFile> file_;
};

// Returns the kind of files with this type of record, Codebook included, in any version.
template <typename Record>
OutputKind artefact_kind();

void write_codebook(OutputFile file, const Codebook& codebook);
Codebook read_codebook(const std::filesystem::path& file);

// Returns the XXH3-128 of the codebook's record, which identifies it in the settings of an index.
ContentHash codebook_hash(const Codebook& codebook);

// Encodes a record of any of the six types without loss.
template <typename Record>
Bytes encode_record(const Record& record);
// Throws Error(kInput) when the payload ends early or is too long. Never allocates more than the
// payload could fill.
template <typename Record>
Record decode_record(ByteView payload);

}  // namespace lookalike
