#pragma once

#include <functional>
#include <string_view>

namespace lookalike {

// Runs the body of a main and returns the process's exit code: the body's own, or, for an
// exception, what exit_code() says of its kind (4 when memory has run out, 70 for anything else
// that is no Error), after "<program>: error: <message>" on stderr.
int run_main(std::string_view program, const std::function<int()>& body) noexcept;

}  // namespace lookalike
