// Artefact files: the first byte says which kind of record, the rest is tried as a whole file and
// as the payload of a record, whose checksum random bytes never have. It is refused with
// Error(kInput), or is the very bytes that the record is written as.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "pipeline/error.h"
#include "storage/artefact_codecs.h"
#include "storage/artefact_files.h"
#include "tests/fuzz/fuzz_target.h"

namespace lookalike {
namespace {

template <typename Record>
void read_payload(ByteView payload) {
  try {
    ByteReader in(payload, ErrorKind::kInput);
    Record record;
    decode(in, record);
    ByteWriter out;
    encode(record, out);
    promise(std::ranges::equal(out.view(), payload.first(out.view().size())));
  } catch (const Error& error) {
    // Matrices that do not fit each other are the writer's fault.
    promise(error.kind() == ErrorKind::kInput || error.kind() == ErrorKind::kInternal);
  }
}

template <typename Record>
void read_file(const std::filesystem::path& file) {
  try {
    ArtefactReader<Record> reader(file);
    while (reader.next()) {
    }
  } catch (const Error& error) {
    promise(error.kind() == ErrorKind::kInput);
  }
}

template <typename Record>
void read(ByteView bytes, const std::filesystem::path& file) {
  read_payload<Record>(bytes);
  read_file<Record>(file);
}

std::filesystem::path written(ByteView bytes) {
  static const std::filesystem::path kFile =
      std::filesystem::temp_directory_path() / ("artefact-fuzz-" + std::to_string(::getpid()));
  std::ofstream(kFile, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return kFile;
}

}  // namespace
}  // namespace lookalike

using namespace lookalike;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ByteView bytes(data + 1, size - 1);
  const std::filesystem::path file = written(bytes);
  switch (data[0] % 5) {
    case 0:
      read<ImageFeatures>(bytes, file);
      break;
    case 1:
      read<ImageStatistics>(bytes, file);
      break;
    case 2:
      read<ImageWords>(bytes, file);
      break;
    case 3:
      read<SkippedFile>(bytes, file);
      break;
    default:
      read_payload<Codebook>(bytes);
  }
  std::filesystem::remove(file);
  return 0;
}
