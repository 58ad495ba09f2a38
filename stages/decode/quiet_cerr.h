#pragma once

namespace lookalike {

// While one of these lives, in any thread, std::cerr is silent: OpenCV's readers complain there of
// damaged files without naming them, and we report those files ourselves. Our own talk goes
// through spdlog and stdio, which this leaves alone.
class QuietCerr {
 public:
  QuietCerr();
  ~QuietCerr();
  QuietCerr(const QuietCerr&) = delete;
  QuietCerr& operator=(const QuietCerr&) = delete;
};

}  // namespace lookalike
