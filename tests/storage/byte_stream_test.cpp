#include "storage/byte_stream.h"

#include <limits>

#include <gtest/gtest.h>

#include "tests/storage/samples.h"

namespace lookalike {
namespace {

TEST(ByteStream, ValuesComeBackAndAreLittleEndian) {
  ByteWriter out;
  out.put<std::uint32_t>(0x01020304);
  out.put<float>(-1.5F);
  out.put_text("name");
  EXPECT_EQ(out.view()[0], 4);
  ByteReader in(out.view(), ErrorKind::kInput);
  EXPECT_EQ(in.get<std::uint32_t>(), 0x01020304U);
  EXPECT_EQ(in.get<float>(), -1.5F);
  EXPECT_EQ(in.get_text(), "name");
  EXPECT_NO_THROW(in.require_end());
}

TEST(ByteStream, VarintsComeBackAtEverySize) {
  ByteWriter out;
  for (unsigned bit = 0; bit < 64; ++bit) {
    out.put_varint((std::uint64_t{1} << bit) - 1);
    out.put_varint(std::uint64_t{1} << bit);
  }
  out.put_varint(std::numeric_limits<std::uint64_t>::max());
  ByteReader in(out.view(), ErrorKind::kInput);
  for (unsigned bit = 0; bit < 64; ++bit) {
    EXPECT_EQ(in.get_varint(), (std::uint64_t{1} << bit) - 1);
    EXPECT_EQ(in.get_varint(), std::uint64_t{1} << bit);
  }
  EXPECT_EQ(in.get_varint(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_NO_THROW(in.require_end());
}

TEST(ByteStream, VarintThatNeverEndsIsRefused) {
  const Bytes endless(11, 0x80);
  ByteReader in(endless, ErrorKind::kInput);
  EXPECT_THROW(in.get_varint(), Error);
}

TEST(ByteStream, ReadingPastTheEndThrowsTheGivenKind) {
  const Bytes three(3, 0);
  for (const ErrorKind kind : {ErrorKind::kInput, ErrorKind::kStorage}) {
    EXPECT_EQ(error_of([&] { ByteReader(three, kind).get<std::uint32_t>(); }).kind(), kind);
  }
  EXPECT_THROW(ByteReader(Bytes(3, 0x80), ErrorKind::kInput).get_varint(), Error);
}

TEST(ByteStream, CountsThatTheBytesCannotHoldAllocateNothing) {
  const Bytes few(8, 0xFF);
  ByteReader in(few, ErrorKind::kInput);
  EXPECT_THROW(in.get_vector<float>(std::size_t{1} << 62U), Error);
  EXPECT_THROW(in.get_text(), Error);
}

TEST(ByteStream, LeftBytesAreNoticed) {
  const Bytes two(2, 0);
  ByteReader in(two, ErrorKind::kInput);
  in.get<std::uint8_t>();
  EXPECT_THROW(in.require_end(), Error);
}

}  // namespace
}  // namespace lookalike
