// Artefact files: the first byte says which kind of record, the rest is tried as a whole file and
// as the payload of a record, whose checksum random bytes never have. It is refused with
// Error(kInput), or is the very bytes that its records are written as.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

#include "base/error.h"
#include "storage/artefact_files.h"
#include "tests/fuzz/fuzz_target.h"

namespace lookalike {
namespace {

template <typename Record>
void read_payload(ByteView payload) {
  try {
    promise(std::ranges::equal(encode_record(decode_record<Record>(payload)), payload));
  } catch (const Error& error) {
    promise(error.kind() == ErrorKind::kInput);
  }
}

std::filesystem::path file_named(const char* name) {
  return std::filesystem::temp_directory_path() /
         ("artefact-fuzz-" + std::to_string(::getpid()) + name);
}

void write_file(const std::filesystem::path& file, ByteView bytes) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

std::string content(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

template <typename Record>
void copy(const std::filesystem::path& from, const std::filesystem::path& to) {
  ArtefactReader<Record> reader(from);
  ArtefactWriter<Record> writer(OutputFile::unguarded(to));
  while (const auto record = reader.next()) writer.write(*record);
  writer.finish();
}

template <>
void copy<Codebook>(const std::filesystem::path& from, const std::filesystem::path& to) {
  write_codebook(OutputFile::unguarded(to), read_codebook(from));
}

template <typename Record>
void read_file(ByteView bytes) {
  const std::filesystem::path file = file_named("");
  const std::filesystem::path again = file_named("-again");
  write_file(file, bytes);
  try {
    copy<Record>(file, again);
    promise(content(again) == content(file));
    std::filesystem::remove(again);
  } catch (const Error& error) {
    promise(error.kind() == ErrorKind::kInput);
    promise(!std::filesystem::exists(again));
  }
  std::filesystem::remove(file);
}

template <typename Record>
void read(ByteView bytes) {
  read_payload<Record>(bytes);
  read_file<Record>(bytes);
}

}  // namespace
}  // namespace lookalike

using namespace lookalike;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ByteView bytes(data + 1, size - 1);
  switch (data[0] % 6) {
    case 0:
      read<ImageFeatures>(bytes);
      break;
    case 1:
      read<ImageStatistics>(bytes);
      break;
    case 2:
      read<ImageWords>(bytes);
      break;
    case 3:
      read<SkippedFile>(bytes);
      break;
    case 4:
      read<Codebook>(bytes);
      break;
    default:
      read<SourceFile>(bytes);
  }
  return 0;
}
