#include "storage/checkpointer.h"

#include <sqlite3.h>

#include "storage/schema.h"

namespace lookalike {
namespace {

// Pages in the log that start a checkpoint: 4 MiB, as in SQLite.
constexpr int kPagesForCheckpoint = (4 << 20) / kPageBytes;
// Pages in the log that make a commit wait for the checkpoint: 64 MiB.
constexpr int kMaxPages = (64 << 20) / kPageBytes;

}  // namespace

Checkpointer::Checkpointer(Connection& writer)
    : writer_(writer),
      own_(writer.path(), Connection::Mode::kRead),
      thread_([this](const std::stop_token& stop) { run(stop); }) {
  writer_.require_name();                  // own_ is open, and has not read the log yet
  own_.first<int>("PRAGMA user_version");  // a connection finds the log when it first reads
  sqlite3_wal_hook(writer_.handle(), after_commit, this);
}

Checkpointer::~Checkpointer() {
  sqlite3_wal_autocheckpoint(writer_.handle(), kPagesForCheckpoint);
}

int Checkpointer::after_commit(void* self, sqlite3*, const char*, int pages) {
  if (pages >= kPagesForCheckpoint) static_cast<Checkpointer*>(self)->committed(pages);
  return SQLITE_OK;
}

void Checkpointer::committed(int pages) {
  {
    const std::lock_guard lock(mutex_);
    is_due_ = true;
    due_.notify_one();
  }
  if (pages >= kMaxPages) wait();
}

void Checkpointer::wait() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return !is_due_ && !is_running_; });
}

void Checkpointer::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (due_.wait(lock, stop, [&] { return is_due_; })) {
    is_due_ = false;
    is_running_ = true;
    lock.unlock();
    // Passive: does not wait. Pages that fail stay in the log, as with SQLite's own checkpoint.
    sqlite3_wal_checkpoint_v2(own_.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    lock.lock();
    is_running_ = false;
    done_.notify_all();
  }
}

}  // namespace lookalike
