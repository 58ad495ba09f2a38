#pragma once

#include <optional>
#include <string>
#include <vector>

#include "storage/index_types.h"
#include "storage/sqlite.h"

// What reader and writer of an index both read.
namespace lookalike {

Settings read_settings(const Connection& connection);
// Nothing when none has been stored yet.
std::optional<Codebook> read_stored_codebook(const Connection& connection);
// By path.
std::vector<SkippedFile> read_quarantine(const Connection& connection);

// A path as it is bound to a statement: bytes, since a file system promises no encoding.
ByteView bytes_of(const std::string& text);

// Adds what was being decoded, and of which index, to the error of a blob that is damaged.
template <typename Decode>
auto decode_named(const Connection& connection, const char* what, std::int64_t number,
                  const Decode& decode) {
  try {
    return decode();
  } catch (const Error& error) {
    throw Error(error.kind(), connection.path() + ": " + what + " " + std::to_string(number) + " " +
                                  error.what());
  }
}

}  // namespace lookalike
