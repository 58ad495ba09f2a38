#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"

// Little-endian values in a sequence of bytes.
namespace lookalike {

static_assert(std::endian::native == std::endian::little,
              "values are copied to and from files as they are in memory");

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

class ByteWriter {
 public:
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }

  template <typename T>
  requires std::is_arithmetic_v<T>
  void put(std::type_identity_t<T> value) { append(&value, sizeof value); }

  template <typename T>
  requires std::is_arithmetic_v<T>
  void put_array(const T* values, std::size_t count) { append(values, count * sizeof(T)); }

  // Writes the lowest `count` bytes of a value.
  void put_low_bytes(std::uint64_t value, std::size_t count) { append(&value, count); }

  // Seven bits a byte, lowest first; a set top bit means that more follow.
  void put_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_.push_back(static_cast<std::uint8_t>(value | 0x80U));
    bytes_.push_back(static_cast<std::uint8_t>(value));
  }

  // u32 length, then the bytes. Throws Error(kStorage) for 4 GiB and more.
  void put_text(std::string_view text) {
    put_count(text.size());
    append(text.data(), text.size());
  }

  // Writes a u32; throws Error(kStorage) for larger counts.
  void put_count(std::size_t count) {
    if (count > std::numeric_limits<std::uint32_t>::max()) {
      throw Error(ErrorKind::kStorage, "too many entries for a record: " + std::to_string(count));
    }
    put<std::uint32_t>(static_cast<std::uint32_t>(count));
  }

  ByteView view() const { return bytes_; }
  Bytes take() { return std::move(bytes_); }

 private:
  void append(const void* data, std::size_t size) {
    if (size == 0) return;
    const std::size_t before = bytes_.size();
    bytes_.resize(before + size);
    std::memcpy(bytes_.data() + before, data, size);
  }

  Bytes bytes_;
};

// Reads what ByteWriter wrote. Throws Error(kind) if the bytes end before the value does, without
// allocating for values that the bytes cannot hold.
class ByteReader {
 public:
  ByteReader(ByteView bytes, ErrorKind kind) : rest_(bytes), kind_(kind) {}

  template <typename T>
  requires std::is_arithmetic_v<T> T get() {
    T value{};
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }

  template <typename T>
  requires std::is_arithmetic_v<T>
  void get_array(T* values, std::size_t count) {
    require_entries(count, sizeof(T));
    if (count != 0) std::memcpy(values, take(count * sizeof(T)), count * sizeof(T));
  }

  template <typename T>
  requires std::is_arithmetic_v<T> std::vector<T> get_vector(std::size_t count) {
    require_entries(count, sizeof(T));
    std::vector<T> values(count);
    get_array(values.data(), count);
    return values;
  }

  std::uint64_t get_varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = *take(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80U) return value;
    }
    fail("has a number out of range");
  }

  std::string get_text() {
    const auto size = get<std::uint32_t>();
    return {reinterpret_cast<const char*>(take(size)), size};
  }

  // Throws unless the rest can hold `count` entries of at least min_entry_bytes each.
  void require_entries(std::uint64_t count, std::size_t min_entry_bytes) const {
    if (count > rest_.size() / min_entry_bytes) fail("ends early");
  }
  void require_end() const {
    if (!rest_.empty()) fail("has trailing bytes");
  }
  ByteView rest() const { return rest_; }
  [[noreturn]] void fail(const char* what) const { throw Error(kind_, what); }

 private:
  const std::uint8_t* take(std::size_t size) {
    if (size > rest_.size()) fail("ends early");
    const std::uint8_t* at = rest_.data();
    rest_ = rest_.subspan(size);
    return at;
  }

  ByteView rest_;
  ErrorKind kind_;
};

}  // namespace lookalike
