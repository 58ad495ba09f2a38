#include "base/content_hash.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <xxhash.h>

#include <fmt/format.h>

namespace lookalike {

namespace {

ContentHash canonical(XXH128_hash_t hash) {
  XXH128_canonical_t form;
  XXH128_canonicalFromHash(&form, hash);
  ContentHash content{};
  std::copy(std::begin(form.digest), std::end(form.digest), content.begin());
  return content;
}

}  // namespace

ContentHash hash_content(std::span<const std::uint8_t> bytes) {
  return canonical(XXH3_128bits(bytes.data(), bytes.size()));
}

ContentHash hash_parts(const std::function<std::span<const std::uint8_t>()>& next_part) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  if (!state) throw std::bad_alloc();
  XXH3_128bits_reset(state.get());
  for (auto part = next_part(); !part.empty(); part = next_part()) {
    XXH3_128bits_update(state.get(), part.data(), part.size());
  }
  return canonical(XXH3_128bits_digest(state.get()));
}

std::uint64_t checksum(std::span<const std::uint8_t> bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::uint64_t picture_key(std::int32_t width, std::int32_t height, const PixelSums& sums) {
  const std::array<std::uint64_t, 5> values = {static_cast<std::uint64_t>(width),
                                               static_cast<std::uint64_t>(height), sums.count,
                                               sums.sum, sums.sum_of_squares};
  return checksum({reinterpret_cast<const std::uint8_t*>(values.data()), sizeof(values)});
}

std::uint64_t sample_rank(const ContentHash& content, std::uint64_t seed) {
  return checksum(content, seed);
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

std::optional<ContentHash> content_from(std::string_view hex) {
  ContentHash content{};
  if (hex.size() != 2 * content.size()) return std::nullopt;
  for (std::size_t i = 0; i < content.size(); ++i) {
    const std::string_view digits = hex.substr(2 * i, 2);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), content[i], 16);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  }
  return content;
}

std::size_t ContentHasher::operator()(const ContentHash& content) const {
  std::size_t value = 0;
  std::memcpy(&value, content.data(), sizeof value);
  return value;
}

}  // namespace lookalike
