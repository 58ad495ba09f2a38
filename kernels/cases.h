#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/session/build_options.h"
#include "kernels/session/session.h"
#include "kernels/tuning/tuning.h"

// A kernel is described once, in <kernel>_cases.cpp of its folder: its inputs by size, its
// variants, the check against its reference, its operations and bytes. `lookalike devices`, `tune`
// and `bench`, kernels_benchmark and tests/kernels/cases_test.cpp iterate over these descriptions.
namespace lookalike {

// The unit of a kernel's work, which names the ceiling of its rate.
enum class WorkUnit {
  kOperations,   // float32 additions and multiplications; ceiling: multiply-adds
  kCopiedBytes,  // bytes that must be read and written; ceiling: copying
  kReadBytes,    // bytes that must be read; ceiling: reading
  kPixels,       // pixels of the input images; no ceiling
};

// A problem prepared for one variant of a kernel.
struct CaseRun {
  // Solves the problem once, from host memory to host memory.
  std::function<void()> solve;
  // Compares the last solution with the plain C++ reference. Returns what is wrong, or "" when they
  // agree within the kernel's tolerance.
  std::function<std::string()> check;
};

// A problem of fixed size, on random data.
struct KernelCase {
  std::string kernel;        // as in tuning files
  TuningSizes sizes{};       // by which kAuto chooses
  TuningSizes more_sizes{};  // other sizes, for tables
  WorkUnit unit = WorkUnit::kOperations;
  double amount = 0;                    // work per solution, in that unit
  std::vector<std::string> variants{};  // those that the device can run, best guess first
  // Prepares a variant. The session and the case must outlive the run. Throws Error(kDevice) when
  // the variant does not run.
  std::function<CaseRun(const std::string& variant)> prepare{};

  TuningSizes all_sizes() const;
};

// Solves the case once and returns what is wrong with the solution, or "".
std::string solve_and_check(const KernelCase& problem, const std::string& variant);

// Returns the variant that kAuto takes on this session's device.
std::string chosen_variant(OpenClSession& session, const KernelCase& problem);

enum class CaseScale {
  kSimulator,  // small enough for a simulator of a device, without the forms that it cannot run
  kSelfTest,   // more than one tile of everything, in seconds
  kTest,       // none, one, and sizes around the work-group
  kQuick,      // small: exercises the benchmark within seconds
  kTuning,     // what `lookalike tune` measures, in under a minute
  kFull,       // what `lookalike bench` reports
};

// Returns the cases of a kernel, small sizes before large ones. Sizes depend on the kind of device.
// A kernel that is not benchmarked has no cases above kTest, one that the device cannot run none at
// all. The session must outlive them.
using CasesOfKernel = std::vector<KernelCase>(OpenClSession& session, CaseScale scale);
CasesOfKernel assign_cases, cells_cases, histogram_cases, sorted_histogram_cases, transpose_cases,
    variance_cases, convolution_cases, integral_image_cases, correlation_cases, pose_search_cases,
    surf_cases, signature_cases, warp_cases, voting_cases;

struct RegisteredKernel {
  std::string_view name;
  CasesOfKernel* cases;
  bool is_basic = false;  // queries and runs need it on every device
};

// Returns every kernel, in the order of all tables.
std::span<const RegisteredKernel> registered_kernels();
std::vector<KernelCase> all_cases(OpenClSession& session, CaseScale scale);

struct SelfTestResult {
  std::string name;  // like "assign cpu"; without the variant where the device has only one
  bool passed = false;
  bool is_wrong = false;          // the result differs from the reference's
  bool is_out_of_memory = false;  // of the device, which says nothing about the kernel
  std::string detail{};           // what is wrong
  double elapsed_ms = 0;          // includes compilation
};

enum class SelfTests {
  kBasic,  // the variants that kAuto takes of the basic kernels
  kAll,    // every variant that the device can run of every kernel
};

// Follows self-tests. begin() comes before each kernel, whose cases may try the device, and before
// each variant; if it returns false, that is left out.
struct SelfTestListener {
  std::function<bool(const std::string& name)> begin;
  std::function<void(const SelfTestResult&)> end;
};

// Checks kernels against their references. A variant that throws has failed.
void run_self_tests(OpenClSession& session, SelfTests tests, CaseScale scale,
                    const SelfTestListener& listener);

// The sizes of a kernel's cases, by scale.
template <typename Size>
struct CaseSizes {
  std::vector<Size> simulator{};  // empty: as the self-test
  std::vector<Size> self_test{}, test{}, quick{}, tuning{}, full{};

  std::vector<Size> at(CaseScale scale) const {
    if (scale == CaseScale::kSimulator && simulator.empty()) return self_test;
    const std::array by_scale = {&simulator, &self_test, &test, &quick, &tuning, &full};
    return *by_scale.at(static_cast<std::size_t>(scale));
  }
};

// Returns the name of a variant: itself, or its to_string.
template <typename Variant>
std::string_view variant_name(const Variant& variant) {
  if constexpr (std::is_convertible_v<Variant, std::string_view>) {
    return variant;
  } else {
    return to_string(variant);
  }
}

// Gives the case its variants. prepare(session, inputs, variant) returns a CaseRun on the inputs
// that make_inputs() returned, which is called once, before the first variant.
template <typename Variant, typename MakeInputs, typename Prepare>
KernelCase with_variants(KernelCase problem, OpenClSession& session, std::vector<Variant> variants,
                         MakeInputs make_inputs, Prepare prepare) {
  using Inputs = std::invoke_result_t<MakeInputs>;
  for (const Variant& variant : variants) problem.variants.emplace_back(variant_name(variant));
  problem.prepare = [=, &session, inputs = std::make_shared<std::optional<Inputs>>()](
                        const std::string& name) -> CaseRun {
    if (!*inputs) *inputs = make_inputs();
    const auto variant = std::find_if(variants.begin(), variants.end(), [&](const Variant& each) {
      return variant_name(each) == name;
    });
    require(variant != variants.end(), "KernelCase::prepare: no such variant");
    return prepare(session, std::as_const(**inputs), *variant);
  };
  return problem;
}

// Returns a run that keeps what solve() returns, for check(result).
template <typename Solve, typename Check>
CaseRun run_of(Solve solve, Check check) {
  const auto result = std::make_shared<std::invoke_result_t<Solve&>>();
  return {[=]() mutable { *result = solve(); }, [=] { return check(*result); }};
}

// Describes the first difference of two results above the tolerance; "" without one. NaN equals
// NaN.
template <typename Found, typename Expected>
std::string difference(const std::vector<Found>& found, const std::vector<Expected>& expected,
                       double tolerance = 0) {
  if (found.size() != expected.size()) {
    return std::to_string(found.size()) + " values, expected " + std::to_string(expected.size());
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto value = static_cast<double>(found[i]);
    const auto right = static_cast<double>(expected[i]);
    if (std::isnan(value) && std::isnan(right)) continue;
    if (std::abs(value - right) <= tolerance) continue;
    return "value " + std::to_string(i) + " is " + std::to_string(value) + ", expected " +
           std::to_string(right) + " within " + std::to_string(tolerance);
  }
  return "";
}

}  // namespace lookalike
