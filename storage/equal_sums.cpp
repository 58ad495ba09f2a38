#include "storage/equal_sums.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/content_hash.h"
#include "storage/schema.h"
#include "storage/sqlite.h"

namespace lookalike {

std::vector<ImageId> first_with_equal_sums(const std::filesystem::path& database) {
  Connection reading = open_for_reading(database);
  std::vector<std::pair<std::uint64_t, ImageId>> images;  // picture_key()
  Rows rows = reading.rows(
      "SELECT id, width, height, pixel_count, pixel_sum, pixel_sum_of_squares FROM images "
      "WHERE feature_count > 0");
  ImageId last = 0;
  while (rows.next()) {
    const auto image = static_cast<ImageId>(rows.integer(0));
    const auto side = [&](int column) { return static_cast<std::int32_t>(rows.integer(column)); };
    const auto sum = [&](int column) { return static_cast<std::uint64_t>(rows.integer(column)); };
    images.emplace_back(picture_key(side(1), side(2), {sum(3), sum(4), sum(5)}), image);
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
