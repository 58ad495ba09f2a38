#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/options.h"
#include "pipeline/flow/item.h"
#include "pipeline/flow/stage_times.h"
#include "stages/assign/assign_stage.h"
#include "stages/codebook/codebook_stage.h"
#include "stages/extract/extract_stage.h"
#include "stages/variance/variance_stage.h"

namespace lookalike {

// The stages that run on the device, in one session. When the device is out of memory and
// device.on_out_of_memory = "cpu", they fall back to the CPU device, with a warning.
class DeviceStages {
 public:
  DeviceStages(const RunConfig& config, StageTimes& times);

  // Items of DecodedImage get their sums and become ImageFeatures. Blank ones are not extracted.
  void extract(std::vector<Item>& batch);
  Codebook train(const Sample& sample, const TrainingWatch& watch);
  // assign() gives words of this codebook from now on.
  void set_codebook(Codebook codebook);
  // Items of ImageFeatures become ImageWords.
  void assign(std::vector<Item>& batch);

  // Other work on the device, with the same fallback: it is called again after memory ran out.
  // Releases what assign() needs.
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
  void fall_back_to_cpu();
  template <typename Work>
  auto with_fallback(Work work);

  const RunConfig& config_;
  StageTimes& times_;
  std::optional<Stages> stages_;
  std::string device_;
  std::vector<std::string> warnings_;
};

}  // namespace lookalike
