#include "storage/index_content.h"

#include <algorithm>
#include <vector>

#include "storage/codecs.h"
#include "storage/digest.h"
#include "storage/index_tables.h"

namespace lookalike {
namespace {

// Length first, so that no two rows of fields read the same.
void put_blob(ByteWriter& out, ByteView blob) {
  out.put_count(blob.size());
  out.put_array(blob.data(), blob.size());
}

ContentHash digest_of(ByteView bytes) {
  Digest digest;
  digest.add(bytes);
  return digest.value();
}

// Columns: id, blank, histogram, features, then what is taken as it is.
ContentHash image_digest(const Connection& connection, const Rows& rows) {
  const bool blank = rows.integer(1) != 0;
  if (!blank) {
    decode_named(connection, "histogram of image", rows.integer(0),
                 [&] { check_blob(rows.blob(2)); });
    decode_named(connection, "forward record of image", rows.integer(0),
                 [&] { check_blob(rows.blob(3)); });
  }
  ByteWriter out;
  out.put<std::uint8_t>(blank ? 1 : 0);
  put_blob(out, rows.blob(2));
  put_blob(out, rows.blob(3));
  put_blob(out, rows.blob(4));
  for (int column = 5; column < 10; ++column) out.put<std::int64_t>(rows.integer(column));
  return digest_of(out.view());
}

std::vector<ContentHash> image_digests(const Connection& connection) {
  Statement select(connection,
                   "SELECT id, blank, histograms.data, forward.data, content, width, height, "
                   "pixel_count, pixel_sum, pixel_sum_of_squares "
                   "FROM images JOIN statistics ON statistics.image = id "
                   "LEFT JOIN histograms ON histograms.image = id "
                   "LEFT JOIN forward ON forward.image = id ORDER BY id");
  std::vector<ContentHash> digests;
  for (Rows rows = select.rows(); rows.next();) digests.push_back(image_digest(connection, rows));
  std::sort(digests.begin(), digests.end());
  return digests;
}

}  // namespace

ContentHash index_content_hash(const Connection& connection) {
  ByteWriter out;
  Statement select(connection, "SELECT hash FROM codebook");
  for (Rows rows = select.rows(); rows.next();) put_blob(out, rows.blob(0));
  const Settings settings = read_settings(connection);
  out.put_count(settings.size());
  for (const auto& [name, value] : settings) {
    out.put_text(name);
    out.put_text(value);
  }
  for (const ContentHash& digest : image_digests(connection)) {
    out.put_array(digest.data(), digest.size());
  }
  return digest_of(out.view());
}

}  // namespace lookalike
