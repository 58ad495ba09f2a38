#include "base/main_guard.h"

#include <cstdio>
#include <exception>
#include <new>

#include "base/error.h"
#include "base/log.h"

namespace lookalike {
namespace {

void complain(std::string_view program, const char* what) {
  std::fprintf(stderr, "%.*s: error: %s\n", static_cast<int>(program.size()), program.data(), what);
}

}  // namespace

int run_main(std::string_view program, const std::function<int()>& body) noexcept {
  try {
    set_up_logging(Verbosity::kNormal);  // until the command line says otherwise
    return body();
  } catch (const Error& error) {
    complain(program, error.what());
    return exit_code(error.kind());
  } catch (const std::bad_alloc&) {
    complain(program,
             "out of memory: a smaller images.max_megapixels, images.max_file_mib or "
             "images.decode_threads needs less");
    return exit_code(ErrorKind::kDevice);
  } catch (const std::exception& error) {
    complain(program, error.what());
  } catch (...) {
    complain(program, "unknown exception");
  }
  return exit_code(ErrorKind::kInternal);
}

}  // namespace lookalike
