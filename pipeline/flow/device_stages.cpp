#include "pipeline/flow/device_stages.h"

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

void DeviceStages::fall_back_to_cpu() {
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
    warnings_.push_back(std::string(error.what()) + "; falling back to the CPU device");
    spdlog::warn(warnings_.back());
  }
  fall_back_to_cpu();
  return work();
}

void DeviceStages::extract(std::vector<Item>& batch) {
  Gathered<DecodedImage> decoded(batch);
  const std::vector<ImageStatistics> statistics = times_.timed("variance", [&] {
    return with_fallback([&] { return stages_->variance.run(decoded.states); });
  });
  for (std::size_t i = 0; i < decoded.items.size(); ++i) {
    Item& item = *decoded.items[i];
    item.sums = statistics[i].sums;
    item.blank = is_blank(item.sums, config_.variance);
    if (item.blank) {
      item.state = ImageFeatures{.image = statistics[i].image, .features = {}};
    } else {
      item.state = std::move(decoded.states[i]);
    }
  }
  Gathered<DecodedImage> shown(batch);
  shown.replace(times_.timed("extract", [&] {
    return with_fallback([&] { return stages_->extract.run(shown.states); });
  }));
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

void DeviceStages::assign(std::vector<Item>& batch) {
  Gathered<ImageFeatures> extracted(batch);
  extracted.replace(times_.timed("assign", [&] {
    return with_fallback([&] { return stages_->assign->run(extracted.states); });
  }));
}

void DeviceStages::run(const std::function<void(OpenClSession&)>& work) {
  stages_->assign.reset();
  with_fallback([&] { work(stages_->session); });
}

}  // namespace lookalike
