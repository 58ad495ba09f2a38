#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
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

// The stages that run on the device. A GPU has several lanes, each with its own queue, stages and
// batch: while one copies images or makes records of results, others compute. A lane sleeps while
// the device works, which StageTimes counts as the stage "device". A CPU has one lane, since its
// kernels use all cores. When the device is out of memory and device.on_out_of_memory = "cpu", a
// lane falls back to the CPU device with a warning.
class DeviceStages {
 public:
  DeviceStages(const RunConfig& config, StageTimes& times);

  std::size_t lanes() const { return lanes_.size(); }
  // Best number of images per batch: enough to fill the device, few enough to save memory and to
  // stop soon on request.
  std::size_t batch_images() const { return batch_images_; }
  // Gives items of DecodedImage their sums. With a codebook, turns them and items of ImageFeatures
  // into ImageWords; without one, turns them into ImageFeatures. A lane serves one thread at a
  // time; different lanes may serve different threads.
  void process(std::vector<Item>& batch, std::size_t lane = 0);

  // The following use the first lane; no other may be in use.

  Codebook train(const Sample& sample, const TrainingWatch& watch);
  // Makes process() return words of this codebook.
  void set_codebook(Codebook codebook);
  // Runs other work on the device. The work is called again on the CPU when the device is out of
  // memory. Drops the codebook first, to free its memory.
  void run(const std::function<void(OpenClSession&)>& work);

  std::string device() const;  // name of the one in use
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
  void process_some(Lane& lane, std::span<const DecodedImage> images, std::span<Item* const> items);
  void give_words(Lane& lane, const FoundFeatures& found, std::span<Item* const> items);
  void give_features(Lane& lane, const FoundFeatures& found, std::span<Item* const> items);

  const RunConfig& config_;
  StageTimes& times_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::size_t batch_images_ = 0;
  mutable std::mutex mutex_;  // guards the members below
  std::string device_;
  std::vector<std::string> warnings_;
};

}  // namespace lookalike
