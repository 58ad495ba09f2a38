#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/options.h"
#include "pipeline/index/extracted_image.h"
#include "pipeline/index/stage_times.h"
#include "stages/assign/assign_stage.h"
#include "stages/codebook/codebook_stage.h"
#include "stages/extract/extract_stage.h"
#include "stages/variance/variance_stage.h"

namespace lookalike {

// The stages that run on the device, on one session. When the device is out of memory and the
// configuration says so, they go on on the CPU device, and a warning tells.
class DeviceStages {
 public:
  DeviceStages(const RunConfig& config, StageTimes& times);

  // One result an image, in order.
  std::vector<ExtractedImage> extract(std::vector<DecodedImage> images);
  Codebook train(const Sample& sample, const TrainingWatch& watch);
  // From now on, assign() gives words of this codebook.
  void set_codebook(Codebook codebook);
  std::vector<ImageWords> assign(std::span<const ImageFeatures> images);

  // Other work on the device, under the same rule: it is called again when memory ran out. What
  // assign() needs is given up for it.
  void run(const std::function<void(OpenClSession&)>& work);

  // Where the stages run.
  const std::string& device() const { return device_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Stages {
    Stages(const RunConfig& config, const DeviceOptions& device);
    OpenClSession session;
    VarianceStage variance;
    ExtractStage extract;
    std::optional<AssignStage> assign;
  };

  void open(const DeviceOptions& device);
  void go_on_on_the_cpu();
  template <typename Work>
  auto with_fallback(Work work);

  const RunConfig& config_;
  StageTimes& times_;
  std::optional<Stages> stages_;
  std::string device_;
  std::vector<std::string> warnings_;
};

}  // namespace lookalike
