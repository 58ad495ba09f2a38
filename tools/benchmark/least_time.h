#pragma once

#include <functional>

namespace lookalike {

// Wall time in ms of the fastest of several runs, at least three and as many as about fill the
// budget, after one to warm up.
double least_ms(double budget_ms, const std::function<void()>& run);

}  // namespace lookalike
