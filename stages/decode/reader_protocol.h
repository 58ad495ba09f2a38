#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

// What a program and its reader process (reader_process.h) send each other over a Unix socket of
// sequenced packets.
namespace lookalike {

// The reader's end of the socket.
inline constexpr int kReaderSocket = 3;

enum class ReaderTask : std::uint32_t { kHeader, kPixels, kMetadata };

// Comes with a descriptor of the file's bytes.
struct ReaderRequest {
  ReaderTask task = ReaderTask::kHeader;
  std::uint32_t mode = 0;  // PixelMode
  std::int32_t divisor = 1;
};

enum class ReaderResult : std::uint32_t { kReady, kDone, kProblem, kNoMemory };

// kReady comes once, before any request. Pixels come with a descriptor of their rows, without gaps;
// metadata with one of their entries, one behind the other: field, number of bytes, bytes.
struct ReaderAnswer {
  ReaderResult result = ReaderResult::kReady;
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  std::int32_t type = 0;  // CV_8UC3 and so on
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  std::uint32_t has_alpha = 0;
  std::uint32_t premultiplied = 0;
  std::uint64_t metadata_bytes = 0;
  std::array<char, 256> problem{};  // with a zero at its end; also of what was read
};

// Size of the entries of one file. More are not sent, with a problem.
inline constexpr std::size_t kMostMetadataBytes = std::size_t{1} << 20U;

}  // namespace lookalike
