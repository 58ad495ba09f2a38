#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "storage/byte_stream.h"

struct sqlite3;
struct sqlite3_stmt;

// SQLite with RAII. Every failure is Error(kStorage, "file: cause; SQLite says: ..."), but for a
// file that is no database, which is Error(kInput).
namespace lookalike {

class Connection {
 public:
  enum class Mode {
    // Reads. Opened for writing where that is allowed, so that SQLite removes the files beside the
    // database when the last connection closes.
    kRead,
    kImmutable,  // reads, and nobody else writes: needs no files beside the database
    kWrite,      // makes the file when there is none
  };
  // file: as resolved() (storage/paths.h) gives it; a link anywhere in it is refused, since
  // somebody has put it there after it was resolved. Files beside the database are not opened
  // through links either.
  Connection(const std::filesystem::path& file, Mode mode);

  void execute(const char* sql);  // any number of statements
  std::int64_t last_insert_id() const;
  std::string path() const;
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const noexcept;
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

// The rows of a running query. Starts over the statement when it goes.
class Rows {
 public:
  explicit Rows(sqlite3_stmt* statement) : statement_(statement) {}
  ~Rows();
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  bool next();
  // Of the current row. Views hold until the next row.
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;
  ByteView blob(int column) const;

 private:
  sqlite3_stmt* statement_;
};

// A prepared statement. Values are bound in order; text and blobs are not copied, so what they
// view must live until run() returns or the rows are gone.
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

// Takes the write lock at once; rolls back unless committed.
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
