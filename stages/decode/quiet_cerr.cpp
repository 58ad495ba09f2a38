#include "stages/decode/quiet_cerr.h"

#include <iostream>
#include <mutex>

namespace lookalike {
namespace {

// std::cerr is the process's, so what silences it has to be, too.
struct Shared {
  std::mutex mutex;
  int holders = 0;
  std::ios::iostate before = std::ios::goodbit;
};

Shared& shared() {
  static Shared instance;
  return instance;
}

}  // namespace

QuietCerr::QuietCerr() {
  const std::lock_guard lock(shared().mutex);
  if (shared().holders++ > 0) return;
  shared().before = std::cerr.rdstate();
  std::cerr.setstate(std::ios::badbit);
}

QuietCerr::~QuietCerr() {
  const std::lock_guard lock(shared().mutex);
  if (--shared().holders == 0) std::cerr.clear(shared().before);
}

}  // namespace lookalike
