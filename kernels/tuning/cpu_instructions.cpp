#include "kernels/tuning/cpu_instructions.h"

#include <array>

#include "kernels/session/session.h"

namespace lookalike {

std::string cpu_instructions(OpenClSession& session) {
  static constexpr std::array<const char*, 3> kLevels = {"", "avx2", "avx512"};
  cl::Kernel probe = session.kernel({"tuning/instruction_set.cl"}, "instruction_set");
  const cl::Buffer level = session.allocate(sizeof(cl_int));
  set_arguments(probe, level);
  session.launch(probe, "instruction_set", {1}, cl::NDRange{1});
  std::array<cl_int, 1> result{};
  session.read<cl_int>(level, result);
  return kLevels.at(static_cast<std::size_t>(result[0]));
}

}  // namespace lookalike
