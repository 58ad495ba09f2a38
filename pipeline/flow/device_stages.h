#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
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

// The stages that run on the device. On a GPU they exist several times, as lanes, each with a
// queue of its own: while one lane's images are copied or its results read, another's are in work.
// A CPU has one lane, since its kernels use all cores. When the device is out of memory and
// device.on_out_of_memory = "cpu", a lane falls back to the CPU device, with a warning.
class DeviceStages {
 public:
  DeviceStages(const RunConfig& config, StageTimes& times);

  std::size_t lanes() const { return lanes_.size(); }
  // Images that should be processed together: enough to fill the device, few enough to stay small
  // in memory and to stop soon on request.
  std::size_t batch_images() const { return batch_images_; }
  // Items of DecodedImage get their sums. With a codebook, they and items of ImageFeatures become
  // ImageWords; without one, they become ImageFeatures. Each lane is used from one thread at a
  // time, different lanes from different threads.
  void process(std::vector<Item>& batch, std::size_t lane = 0);

  // What follows uses the first lane, while no other is in use.

  Codebook train(const Sample& sample, const TrainingWatch& watch);
  // process() gives words of this codebook from now on.
  void set_codebook(Codebook codebook);
  // Other work on the device, with the same fallback: it is called again after memory ran out.
  // Releases what process() needs for words.
  void run(const std::function<void(OpenClSession&)>& work);

  // Where the stages run.
  std::string device() const;
  std::vector<std::string> warnings() const;

 private:
  struct Lane {
    Lane(std::unique_ptr<OpenClSession> own_session, const RunConfig& config);
    const std::unique_ptr<OpenClSession> session;
    VarianceStage variance;
    ExtractStage extract;
    DeviceImages uploaded;
    std::optional<AssignStage> assign;
  };

  void fall_back_to_cpu(std::size_t lane);
  template <typename Work>
  auto with_fallback(std::size_t lane, Work work);
  void process_images(Lane& lane, Gathered<DecodedImage>& images);
  void process_some(Lane& lane, Gathered<DecodedImage>& images, std::size_t first,
                    std::size_t count);

  const RunConfig& config_;
  StageTimes& times_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::size_t batch_images_ = 0;
  mutable std::mutex mutex_;  // of what follows
  std::string device_;
  std::vector<std::string> warnings_;
};

}  // namespace lookalike
