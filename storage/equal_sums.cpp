#include "storage/equal_sums.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/content_hash.h"
#include "storage/schema.h"
#include "storage/sqlite.h"

namespace lookalike {

std::vector<ImageId> first_with_equal_sums(const std::filesystem::path& database) {
  Connection reading = open_for_reading(database);
  std::vector<std::pair<std::uint64_t, ImageId>> images;  // hash of the sums
  Rows rows = reading.rows(
      "SELECT id, width, height, feature_count, pixel_count, pixel_sum, pixel_sum_of_squares "
      "FROM images WHERE feature_count > 0");
  ImageId last = 0;
  while (rows.next()) {
    constexpr int kSums = 6;
    std::array<std::int64_t, kSums> sums{};
    for (int i = 0; i < kSums; ++i) sums.at(static_cast<std::size_t>(i)) = rows.integer(i + 1);
    const auto image = static_cast<ImageId>(rows.integer(0));
    images.emplace_back(
        checksum({reinterpret_cast<const std::uint8_t*>(sums.data()), sizeof(sums)}), image);
    last = std::max(last, image);
  }
  std::ranges::sort(images);
  std::vector<ImageId> first(std::size_t{last} + 1);
  for (std::size_t i = 0; i < images.size(); ++i) {
    const bool is_first = i == 0 || images[i].first != images[i - 1].first;
    first[images[i].second] = is_first ? images[i].second : first[images[i - 1].second];
  }
  return first;
}

}  // namespace lookalike
