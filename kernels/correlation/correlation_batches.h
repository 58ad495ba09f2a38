#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/correlation/correlation_jobs.h"
#include "kernels/correlation/correlation_types.h"
#include "kernels/correlation/window_products.h"
#include "kernels/tuning/tuning_file.h"

namespace lookalike {

// As tuning files name the sizes: those of the item that takes the most products.
//   items  at least one
TuningSizes tuning_sizes(std::span<const CorrelationItem> items);

// The forms that a device can run, of which the first is the best that goes through positions, with
// kFrequency moved to the front where its transforms should take less time for these items.
//   kernels, items  at least one
std::vector<CorrelationKernel> best_guess_first(std::vector<CorrelationKernel> kernels,
                                                std::span<const CorrelationItem> items,
                                                bool is_cpu);

// Whether the form normalises the maps of all these items at once.
bool fuses(const WindowProducts& form, std::span<const CorrelationItem> items);

// How many of the first pairs have images that fit on the device together, but at least one.
//   pairs  at least one
std::size_t fitting(std::span<const CorrelationPair> pairs);

// How many of the first items fit on the device together, but at least one.
//   items  at least one
std::size_t fitting(std::span<const CorrelationItem> items, bool fused);

}  // namespace lookalike
