#include "storage/replace_content.h"

#include <array>
#include <string>

#include <fmt/format.h>

#include "storage/paths.h"

namespace lookalike {
namespace {

// Everything but the runs; what others refer to comes first.
constexpr std::array<const char*, 15> kTables = {
    "settings",   "codebook",   "images",  "files",    "quarantine",
    "statistics", "histograms", "forward", "segments", "postings",
    "tombstones", "derived",    "roots",   "devices",  "withheld"};

class Attachment {
 public:
  Attachment(Connection& connection, const std::filesystem::path& other) : connection_(connection) {
    Statement(connection, "ATTACH ? AS other").run(std::string_view(resolved(other).native()));
  }
  ~Attachment() {
    try {
      connection_.execute("DETACH other");
    } catch (const Error&) {
      // It goes with the connection.
    }
  }
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

 private:
  Connection& connection_;
};

}  // namespace

void replace_content(Connection& connection, const std::filesystem::path& other) {
  const Attachment attachment(connection, other);
  Transaction transaction(connection);
  for (auto table = kTables.rbegin(); table != kTables.rend(); ++table) {
    connection.execute(fmt::format("DELETE FROM main.{}", *table).c_str());
  }
  for (const char* table : kTables) {
    connection.execute(
        fmt::format("INSERT INTO main.{} SELECT * FROM other.{}", table, table).c_str());
  }
  transaction.commit();
}

}  // namespace lookalike
