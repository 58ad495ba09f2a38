#include <array>
#include <cstdint>
#include <string>

#include "kernels/correlation/block_transform.h"

#define VKFFT_BACKEND 3  // OpenCL
#include <vkFFT.h>

namespace lookalike {
namespace {

constexpr int kForward = -1;
constexpr int kInverse = 1;

void check(VkFFTResult result, const std::string& where) {
  if (result == VKFFT_SUCCESS) return;
  throw Error(ErrorKind::kDevice,
              "Fourier transform: " + where + " failed with VkFFT error " + std::to_string(result));
}

}  // namespace

// VkFFT keeps pointers to the handles, so they live beside its application.
struct BlockTransform::Plan {
  Plan(OpenClSession& used_session, int side, int count)
      : session(used_session),
        context(session.context()()),
        device(session.context().getInfo<CL_CONTEXT_DEVICES>().front()()) {
    const auto length = static_cast<std::uint64_t>(side);
    bytes = length * length * static_cast<std::uint64_t>(count) * 2 * sizeof(cl_double);
    VkFFTConfiguration wanted = {};
    wanted.FFTdim = 2;
    wanted.size[0] = length;
    wanted.size[1] = length;
    wanted.numberBatches = static_cast<std::uint64_t>(count);
    wanted.doublePrecision = 1;
    wanted.useLUT = 1;  // sines and cosines from the host, correctly rounded or nearly so
    wanted.context = &context;
    wanted.device = &device;
    wanted.bufferSize = &bytes;
    check(initializeVkFFT(&application, wanted), "plan of side " + std::to_string(side));
  }

  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() { deleteVkFFT(&application); }

  void run(const cl::Buffer& blocks, int direction) {
    session.launch_foreign("correlation fourier", [&](cl_command_queue queue) {
      cl_mem memory = blocks();
      VkFFTLaunchParams parameters = {};
      parameters.buffer = &memory;
      parameters.commandQueue = &queue;
      check(VkFFTAppend(&application, direction, &parameters), "launch");
    });
  }

  OpenClSession& session;
  cl_context context;
  cl_device_id device;
  std::uint64_t bytes = 0;
  VkFFTApplication application = {};
};

bool BlockTransform::is_built_in() {
  return true;
}

BlockTransform::BlockTransform(OpenClSession& session, int side, int count)
    : plan_(std::make_unique<Plan>(session, side, count)) {}

BlockTransform::~BlockTransform() = default;

void BlockTransform::forward(const cl::Buffer& blocks) {
  plan_->run(blocks, kForward);
}

void BlockTransform::inverse(const cl::Buffer& blocks) {
  plan_->run(blocks, kInverse);
}

}  // namespace lookalike
