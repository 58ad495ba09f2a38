#include "pipeline/index/device_stages.h"

#include <utility>

#include <spdlog/spdlog.h>

#include "pipeline/open_session.h"

namespace lookalike {

DeviceStages::Stages::Stages(const RunConfig& config, const DeviceOptions& device)
    : session(session_options(device)), variance(session), extract(session, config.extract) {}

DeviceStages::DeviceStages(const RunConfig& config, StageTimes& times)
    : config_(config), times_(times) {
  open(config.device);
}

void DeviceStages::open(const DeviceOptions& device) {
  stages_.emplace(config_, device);
  device_ = stages_->session.device().name;
  spdlog::info("device: {}", device_);
}

void DeviceStages::go_on_on_the_cpu() {
  std::optional<Codebook> codebook;
  if (stages_->assign) codebook = std::move(*stages_->assign).take_codebook();
  open(DeviceOptions{.choice = ":CPU:"});
  if (codebook) set_codebook(std::move(*codebook));
}

template <typename Work>
auto DeviceStages::with_fallback(Work work) {
  try {
    return work();
  } catch (const DeviceOutOfMemory& error) {
    if (stages_->session.is_cpu() || config_.device.on_out_of_memory != "cpu") throw;
    warnings_.push_back(std::string(error.what()) + "; going on on the CPU device");
    spdlog::warn(warnings_.back());
  }
  go_on_on_the_cpu();
  return work();
}

std::vector<ExtractedImage> DeviceStages::extract(std::vector<DecodedImage> images) {
  const std::vector<ImageStatistics> statistics = times_.timed(
      "variance", [&] { return with_fallback([&] { return stages_->variance.run(images); }); });
  std::vector<ExtractedImage> results(images.size());
  std::vector<DecodedImage> shown;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < images.size(); ++i) {
    results[i].sums = statistics[i].sums;
    results[i].blank = statistics[i].sums.variance() < config_.variance.minimum;
    results[i].features.image = images[i].record;
    if (results[i].blank) continue;
    shown.push_back(std::move(images[i]));
    places.push_back(i);
  }
  std::vector<ImageFeatures> features = times_.timed(
      "extract", [&] { return with_fallback([&] { return stages_->extract.run(shown); }); });
  for (std::size_t i = 0; i < features.size(); ++i) {
    results[places[i]].features = std::move(features[i]);
  }
  return results;
}

Codebook DeviceStages::train(const Sample& sample, const TrainingWatch& watch) {
  return times_.timed("codebook", [&] {
    return with_fallback(
        [&] { return train_codebook(stages_->session, sample, config_.codebook, watch); });
  });
}

void DeviceStages::set_codebook(Codebook codebook) {
  stages_->assign.emplace(stages_->session, std::move(codebook), config_.assign);
}

std::vector<ImageWords> DeviceStages::assign(std::span<const ImageFeatures> images) {
  return times_.timed("assign",
                      [&] { return with_fallback([&] { return stages_->assign->run(images); }); });
}

void DeviceStages::run(const std::function<void(OpenClSession&)>& work) {
  stages_->assign.reset();
  with_fallback([&] { work(stages_->session); });
}

}  // namespace lookalike
