#include "kernels/cases.h"

#include <chrono>
#include <exception>
#include <iterator>

namespace lookalike {
namespace {

std::string kernel_name(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

// Returns "integral image tiles" for kernel integral_image, variant tiles.
std::string self_test_name(const KernelCase& problem, const std::string& variant) {
  const std::string name = kernel_name(problem.kernel);
  return problem.variants.size() == 1 ? name : name + ' ' + variant;
}

SelfTestResult self_test(std::span<const KernelCase> cases, const std::string& variant) {
  const auto start = std::chrono::steady_clock::now();
  SelfTestResult result{.name = self_test_name(cases.front(), variant)};
  try {
    for (const KernelCase& problem : cases) {
      result.detail = solve_and_check(problem, variant);
      if (!result.detail.empty()) break;
    }
    result.passed = result.detail.empty();
    result.is_wrong = !result.passed;
  } catch (const DeviceOutOfMemory& error) {
    result.is_out_of_memory = true;
    result.detail = error.what();
  } catch (const std::exception& error) {
    result.detail = error.what();
  }
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  result.elapsed_ms = elapsed.count();
  return result;
}

}  // namespace

TuningSizes KernelCase::all_sizes() const {
  TuningSizes all = sizes;
  all.insert(more_sizes.begin(), more_sizes.end());
  return all;
}

std::string solve_and_check(const KernelCase& problem, const std::string& variant) {
  const CaseRun run = problem.prepare(variant);
  run.solve();
  return run.check();
}

std::string chosen_variant(OpenClSession& session, const KernelCase& problem) {
  return session.tuning()
      .fastest(problem.kernel, problem.sizes, problem.variants)
      .value_or(problem.variants.front());
}

std::span<const RegisteredKernel> registered_kernels() {
  static constexpr RegisteredKernel kKernels[] = {{"assign", assign_cases, true},
                                                  {"cells", cells_cases},
                                                  {"histogram", histogram_cases},
                                                  {"sorted_histogram", sorted_histogram_cases},
                                                  {"transpose", transpose_cases},
                                                  {"variance", variance_cases},
                                                  {"convolution", convolution_cases},
                                                  {"integral_image", integral_image_cases},
                                                  {"correlation", correlation_cases, true},
                                                  {"pose_search", pose_search_cases},
                                                  {"surf", surf_cases, true},
                                                  {"signature", signature_cases, true},
                                                  {"warp", warp_cases, true},
                                                  {"voting", voting_cases}};
  return kKernels;
}

std::vector<KernelCase> all_cases(OpenClSession& session, CaseScale scale) {
  std::vector<KernelCase> all;
  for (const RegisteredKernel& kernel : registered_kernels()) {
    std::vector<KernelCase> cases = kernel.cases(session, scale);
    std::move(cases.begin(), cases.end(), std::back_inserter(all));
  }
  return all;
}

void run_self_tests(OpenClSession& session, SelfTests tests, CaseScale scale,
                    const SelfTestListener& listener) {
  for (const RegisteredKernel& kernel : registered_kernels()) {
    const bool is_basic = tests == SelfTests::kBasic;
    if ((is_basic && !kernel.is_basic) || !listener.begin(kernel_name(std::string(kernel.name)))) {
      continue;
    }
    const std::vector<KernelCase> cases = kernel.cases(session, scale);
    if (cases.empty()) continue;
    for (const std::string& variant :
         is_basic ? std::vector{chosen_variant(session, cases.front())} : cases.front().variants) {
      if (!listener.begin(self_test_name(cases.front(), variant))) continue;
      listener.end(self_test(cases, variant));
    }
  }
}

}  // namespace lookalike
