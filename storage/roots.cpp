#include "storage/roots.h"

#include "storage/index_tables.h"

namespace lookalike {

std::vector<IndexRoot> read_roots(const Connection& connection) {
  Statement select(connection, "SELECT path, scanned_ns FROM roots ORDER BY path");
  Statement select_devices(
      connection, "SELECT path, device, file_system FROM devices WHERE root = ? ORDER BY path");
  Statement select_withheld(connection, "SELECT path FROM withheld WHERE root = ? ORDER BY path");
  std::vector<IndexRoot> roots;
  for (Rows rows = select.rows(); rows.next();) {
    IndexRoot& root = roots.emplace_back();
    root.path = rows.text(0);
    root.scanned_ns = rows.integer(1);
    for (Rows devices = select_devices.rows(bytes_of(root.path)); devices.next();) {
      root.devices.push_back({std::string(devices.text(0)),
                              static_cast<std::uint64_t>(devices.integer(1)),
                              static_cast<std::uint64_t>(devices.integer(2))});
    }
    for (Rows files = select_withheld.rows(bytes_of(root.path)); files.next();) {
      root.withheld.emplace_back(files.text(0));
    }
  }
  return roots;
}

void put_root(Connection& connection, const IndexRoot& root) {
  delete_root(connection, root.path);
  Statement(connection, "INSERT INTO roots VALUES (?, ?)")
      .run(bytes_of(root.path), root.scanned_ns);
  // A folder may have been below another root before, and a root of its own now.
  Statement insert_device(connection, "INSERT OR REPLACE INTO devices VALUES (?, ?, ?, ?)");
  for (const FolderDevice& folder : root.devices) {
    insert_device.run(bytes_of(folder.path), bytes_of(root.path), folder.device,
                      folder.file_system);
  }
  Statement insert_withheld(connection, "INSERT OR REPLACE INTO withheld VALUES (?, ?)");
  for (const std::string& file : root.withheld) {
    insert_withheld.run(bytes_of(file), bytes_of(root.path));
  }
}

void delete_root(Connection& connection, const std::string& root) {
  Statement(connection, "DELETE FROM roots WHERE path = ?").run(bytes_of(root));
}

}  // namespace lookalike
