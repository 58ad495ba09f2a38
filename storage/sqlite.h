#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/byte_stream.h"

struct sqlite3;
struct sqlite3_stmt;

// SQLite with RAII. Throws Error(kStorage, "file: cause; SQLite says: ..."), or Error(kInput) for a
// file that is no database.
//
// SQL on every connection has the function row_checksum(values...): the lower half of the XXH3-64
// of the types and values, as a signed integer. No connection runs triggers or views.
namespace lookalike {

class Connection;

// The rows of a running query. Destruction resets the statement.
class Rows {
 public:
  explicit Rows(sqlite3_stmt* statement) : statement_(statement) {}
  ~Rows();
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  bool next();
  // Columns of the current row, from 0. Views are valid until the next row.
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;
  ByteView blob(int column) const;
  // Reads the columns in order into integers, bools, doubles, strings (TEXT or BLOB) and arrays of
  // bytes, which a shorter blob fills in part.
  template <typename... Values>
  void read(Values&... values) const {
    int column = 0;
    (get(column++, values), ...);
  }

 private:
  template <std::integral T>
  void get(int column, T& value) const {
    value = static_cast<T>(integer(column));
  }
  void get(int column, double& value) const { value = real(column); }
  void get(int column, std::string& value) const { value = text(column); }
  template <std::size_t n>
  void get(int column, std::array<std::uint8_t, n>& value) const {
    const ByteView bytes = blob(column);
    std::copy_n(bytes.begin(), std::min(bytes.size(), n), value.begin());
  }

  sqlite3_stmt* statement_;
};

// Reads all rows into records whose members take the columns in order.
template <typename Record, typename... Members>
std::vector<Record> read_all(Rows rows, Members Record::*... members) {
  std::vector<Record> records;
  while (rows.next()) {
    Record& record = records.emplace_back();
    rows.read(record.*members...);
  }
  return records;
}

// A prepared statement, usually from Connection::prepared(). Values are bound in order; text and
// blobs are not copied, and must outlive run() or the rows. Bind paths as blobs, bytes_of(path),
// since SQLite's text is UTF-8.
class Statement {
 public:
  Statement(const Connection& connection, std::string_view sql);

  template <typename... Values>
  void run(const Values&... values) {
    bind_all(values...);
    Rows rows(statement_.get());
    while (rows.next()) {
    }
  }
  template <typename... Values>
  [[nodiscard]] Rows rows(const Values&... values) {
    bind_all(values...);
    return Rows(statement_.get());
  }
  bool is_running() const;  // between the first row and the end of the Rows

 private:
  template <typename... Values>
  void bind_all(const Values&... values) {
    int position = 0;
    (bind(++position, values), ...);
  }
  template <std::integral T>
  void bind(int position, T value) {
    bind(position, static_cast<std::int64_t>(value));
  }
  template <typename T>
  void bind(int position, const std::optional<T>& value) {
    value ? bind(position, *value) : bind_null(position);
  }
  void bind_null(int position);
  void bind(int position, std::int64_t value);
  void bind(int position, double value);
  void bind(int position, std::string_view value);
  void bind(int position, ByteView value);
  void check(int code) const;

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Connection {
 public:
  enum class Mode {
    // Reads. Opened for writing if possible, so that SQLite removes the files beside the database
    // when the last connection closes.
    kRead,
    kImmutable,  // reads a database without a writer: needs no files beside it
    kWrite,      // creates a missing file
    kMemory,     // a new database in memory; ignores the file
  };
  // Takes a file as resolved() (base/files.h) returns it. Refuses a link anywhere in that name,
  // which must have been made since; opens no file beside the database through a link.
  Connection(const std::filesystem::path& file, Mode mode);

  void execute(const char* sql);  // any number of statements
  // Returns the statement of this text, which the first call prepares. Its last Rows must be
  // destroyed.
  Statement& prepared(std::string_view sql);
  template <typename... Values>
  void run(std::string_view sql, const Values&... values) {
    prepared(sql).run(values...);
  }
  template <typename... Values>
  [[nodiscard]] Rows rows(std::string_view sql, const Values&... values) {
    return prepared(sql).rows(values...);
  }
  // Reads the first column of the first row; nothing without rows.
  template <typename T, typename... Values>
  std::optional<T> first(std::string_view sql, const Values&... values) {
    Rows found = rows(sql, values...);
    if (!found.next()) return std::nullopt;
    T value{};
    found.read(value);
    return value;
  }
  // Copies the database as it is now, while others may write it, into an empty file. Does not sync.
  // Throws Error(kStorage) with the name of the file that cannot be read or written.
  //   watch  called with the pages that are copied and the pages in all, after every pages_at_once
  void copy_to(const std::filesystem::path& file,
               const std::function<void(std::size_t done, std::size_t all)>& watch,
               int pages_at_once = 1024);
  std::int64_t last_insert_id() const;
  std::string path() const;
  bool is_immutable() const { return immutable_; }
  // True if the open file no longer has its name: it was moved, removed or replaced.
  bool has_lost_name() const;
  // Throws Error(kStorage) if it has_lost_name(): another file may have the name now, to which the
  // next connection would apply this one's log.
  void require_name() const;
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const noexcept;
  };
  std::unique_ptr<sqlite3, Close> handle_;
  bool immutable_ = false;
  std::map<std::string, Statement, std::less<>> statements_;  // by text
};

// Takes the write lock at once; rolls back unless committed. The constructor and commit() call
// Connection::require_name().
class Transaction {
 public:
  explicit Transaction(Connection& connection);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Connection& connection_;
};

}  // namespace lookalike
