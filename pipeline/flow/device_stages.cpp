#include "pipeline/flow/device_stages.h"

#include <utility>

#include <spdlog/spdlog.h>

#include "base/parallel.h"
#include "base/program.h"
#include "pipeline/device/open_session.h"

namespace lookalike {
namespace {

// On an H100, indexing takes 6.3, 5.4, 5.0 and 5.1 s with 2, 3, 4 and 6 lanes (performance.md,
// Runs).
constexpr std::size_t kGpuLanes = 4;
// Small batches keep little memory; PoCL on two cores needs the same time for 16 as for 32.
constexpr std::size_t kGpuBatchImages = 32;
constexpr std::size_t kCpuBatchImages = 16;

// Calls visit(item, begin, count) for each image that is not blank, with the range of its features.
// A lane does this alone: other lanes and the decoding threads keep the other cores busy.
template <typename Visit>
void for_each_shown(const FoundFeatures& found, std::span<Item* const> items, const Visit& visit) {
  for (std::size_t i = 0; i < found.images.size(); ++i) {
    const auto [begin, count] = found.range(i);
    if (!items[found.images[i]]->blank) visit(*items[found.images[i]], begin, count);
  }
}

// Lets a lane's session sleep while it waits.
class Asleep {
 public:
  Asleep(OpenClSession& session, StageTimes& times) : session_(session) {
    session_.wait_asleep([&](const auto& wait) { times.timed("device", wait); });
  }
  ~Asleep() { session_.wait_asleep(nullptr); }
  Asleep(const Asleep&) = delete;
  Asleep& operator=(const Asleep&) = delete;

 private:
  OpenClSession& session_;
};

}  // namespace

DeviceStages::Lane::Lane(std::unique_ptr<OpenClSession> own_session, const RunConfig& config)
    : session(std::move(own_session)),
      variance(*session),
      extract(*session, config.extract),
      uploaded(*session) {}

DeviceStages::DeviceStages(const RunConfig& config, StageTimes& times)
    : config_(config), times_(times) {
  lanes_.push_back(std::make_unique<Lane>(
      std::make_unique<OpenClSession>(session_options(config.device)), config));
  const OpenClSession& first = *lanes_.front()->session;
  for (std::size_t i = 1; !first.is_cpu() && i < kGpuLanes; ++i) {
    lanes_.push_back(
        std::make_unique<Lane>(std::make_unique<OpenClSession>(first.another_queue()), config));
  }
  batch_images_ = first.is_cpu() ? kCpuBatchImages : kGpuBatchImages;
  device_ = first.device().name;
  logger()->info("device: {}", device_);
}

std::string DeviceStages::device() const {
  const std::lock_guard lock(mutex_);
  return device_;
}

std::vector<std::string> DeviceStages::warnings() const {
  const std::lock_guard lock(mutex_);
  return warnings_;
}

void DeviceStages::fall_back_to_cpu(std::size_t lane) {
  std::optional<Codebook> codebook;
  if (lanes_[lane]->assign) codebook = std::move(*lanes_[lane]->assign).take_codebook();
  lanes_[lane].reset();
  lanes_[lane] = std::make_unique<Lane>(
      std::make_unique<OpenClSession>(session_options(DeviceOptions{.choice = ":CPU:"})), config_);
  OpenClSession& session = *lanes_[lane]->session;
  if (codebook) {
    lanes_[lane]->assign.emplace(session, *std::move(codebook));
  }
  const std::lock_guard lock(mutex_);
  device_ = session.device().name;
  logger()->info("device: {}", device_);
}

template <typename Work>
auto DeviceStages::with_fallback(std::size_t lane, Work work) {
  try {
    return work(*lanes_[lane]);
  } catch (const DeviceOutOfMemory& error) {
    if (lanes_[lane]->session->is_cpu() || config_.device.on_out_of_memory != "cpu") throw;
    const std::lock_guard lock(mutex_);
    warnings_.push_back(std::string(error.what()) + "; falling back to the CPU device");
    logger()->warn(warnings_.back());
  }
  fall_back_to_cpu(lane);
  return work(*lanes_[lane]);
}

void DeviceStages::process(std::vector<Item>& batch, std::size_t lane) {
  Gathered<ImageFeatures> features(batch);
  Gathered<DecodedImage> images(batch);
  times_.timed("extract", [&] {
    with_fallback(lane, [&](Lane& on) {
      const Asleep asleep(*on.session, times_);
      process_images(on, images);
    });
  });
  if (!lanes_[lane]->assign) return features.replace(std::move(features.states));
  features.replace(times_.timed("assign", [&] {
    return with_fallback(lane, [&](Lane& on) {
      const Asleep asleep(*on.session, times_);
      return on.assign->run(features.states);
    });
  }));
}

void DeviceStages::process_images(Lane& lane, Gathered<DecodedImage>& images) {
  const std::size_t all = images.items.size();
  for_each_batch(all, all, [&](std::size_t first, std::size_t count) {
    process_some(lane, std::span(images.states).subspan(first, count),
                 std::span(images.items).subspan(first, count));
  });
}

// Uploads once; everything else follows from that on the device. The features of blank images are
// dropped afterwards: leaving blank images out would mean waiting for their sums first.
void DeviceStages::process_some(Lane& lane, std::span<const DecodedImage> images,
                                std::span<Item* const> items) {
  std::vector<ImageView> pixels;
  std::vector<ImageView> alphas;
  for (const DecodedImage& image : images) {
    pixels.push_back(image.pixels.view());
    alphas.push_back(image.alpha.view());
  }
  times_.timed("upload", [&] { lane.uploaded.upload(pixels, alphas); });
  const std::vector<PixelSums> sums =
      times_.timed("variance", [&] { return lane.variance.run(lane.uploaded); });
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i]->sums = sums[i];
    items[i]->blank = is_blank(sums[i], config_.variance);
    if (lane.assign) {
      items[i]->state = ImageWords{images[i].record, {}, {}};
    } else {
      items[i]->state = ImageFeatures{images[i].record, {}};
    }
  }
  lane.extract.run(lane.uploaded, images, [&](const FoundFeatures& found) {
    if (lane.assign) {
      give_words(lane, found, items);
    } else {
      give_features(lane, found, items);
    }
  });
}

void DeviceStages::give_words(Lane& lane, const FoundFeatures& found,
                              std::span<Item* const> items) {
  const AssignedFeatures assigned = times_.timed("assign", [&] {
    return lane.assign->run(found.descriptors,
                            std::vector<std::uint32_t>(found.first.begin(), found.first.end()));
  });
  times_.timed("records", [&] {
    for_each_shown(found, items, [&](Item& item, std::size_t begin, std::size_t count) {
      item.state = image_words(std::get<ImageWords>(item.state).image,
                               std::span(found.keypoints).subspan(begin, count), assigned, begin);
    });
  });
}

void DeviceStages::give_features(Lane& lane, const FoundFeatures& found,
                                 std::span<Item* const> items) {
  const std::size_t length = config_.extract.descriptor_size;
  const std::size_t values = found.keypoints.size() * length;
  lane.session->view<float>(found.descriptors, values, [&](std::span<const float> all) {
    for_each_shown(found, items, [&](Item& item, std::size_t begin, std::size_t count) {
      FeatureSet& set = std::get<ImageFeatures>(item.state).features;
      const auto keypoints = std::span(found.keypoints).subspan(begin, count);
      const auto descriptors = all.subspan(begin * length, count * length);
      set.keypoints.assign(keypoints.begin(), keypoints.end());
      set.descriptors.assign(descriptors.begin(), descriptors.end());
      set.descriptor_size = length;
    });
  });
}

Codebook DeviceStages::train(const Sample& sample, const TrainingWatch& watch) {
  return times_.timed("codebook", [&] {
    return with_fallback(0, [&](Lane& lane) {
      return train_codebook(*lane.session, sample, config_.codebook, watch);
    });
  });
}

void DeviceStages::set_codebook(Codebook codebook) {
  if (lanes_.size() == 1) {
    lanes_[0]->assign.emplace(*lanes_[0]->session, std::move(codebook));
    return;
  }
  parallel_for(lanes_.size(), lanes_.size(),
               [&](std::size_t i) { lanes_[i]->assign.emplace(*lanes_[i]->session, codebook); });
}

void DeviceStages::run(const std::function<void(OpenClSession&)>& work) {
  for (const auto& lane : lanes_) lane->assign.reset();
  with_fallback(0, [&](Lane& lane) { work(*lane.session); });
}

}  // namespace lookalike
