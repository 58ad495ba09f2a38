#include "pipeline/flow/device_stages.h"

#include <span>
#include <utility>

#include <spdlog/spdlog.h>

#include "base/parallel.h"
#include "base/program.h"
#include "pipeline/open_session.h"

namespace lookalike {
namespace {

constexpr std::size_t kGpuLanes = 2;
// An H200 extracts 5,400 photos of 640 x 480 a second on the wall by 16, 6,000 by 32 or 64 and
// 3,800 by 128; PoCL on two cores takes the same processor time by 16 as by 32 (lookalike index).
constexpr std::size_t kGpuBatchImages = 32;
constexpr std::size_t kCpuBatchImages = 16;

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
    lanes_[lane]->assign.emplace(session, *std::move(codebook), config_.assign);
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
  times_.timed("extract",
               [&] { with_fallback(lane, [&](Lane& on) { process_images(on, images); }); });
  if (!lanes_[lane]->assign) return features.replace(std::move(features.states));
  features.replace(times_.timed("assign", [&] {
    return with_fallback(lane, [&](Lane& on) { return on.assign->run(features.states); });
  }));
}

void DeviceStages::process_images(Lane& lane, Gathered<DecodedImage>& images) {
  const std::size_t all = images.items.size();
  for_each_batch(all, all, [&](std::size_t first, std::size_t count) {
    process_some(lane, images, first, count);
  });
}

// One upload, from which everything follows on the device. What a blank image's noise gives is
// dropped: leaving blank images out beforehand would mean to wait for their sums.
void DeviceStages::process_some(Lane& lane, Gathered<DecodedImage>& images, std::size_t first,
                                std::size_t count) {
  const auto some = std::span(images.states).subspan(first, count);
  const auto items = std::span(images.items).subspan(first, count);
  std::vector<ImageView> pixels;
  std::vector<ImageView> alphas;
  for (const DecodedImage& image : some) {
    pixels.push_back(image.pixels.view());
    alphas.push_back(image.alpha.view());
  }
  lane.uploaded.upload(pixels, alphas);
  const std::vector<PixelSums> sums =
      times_.timed("variance", [&] { return lane.variance.run(lane.uploaded); });
  for (std::size_t i = 0; i < count; ++i) {
    items[i]->sums = sums[i];
    items[i]->blank = is_blank(sums[i], config_.variance);
    if (lane.assign) {
      items[i]->state = ImageWords{some[i].record, {}, {}};
    } else {
      items[i]->state = ImageFeatures{some[i].record, {}};
    }
  }
  lane.extract.run(lane.uploaded, some, [&](const FoundFeatures& found) {
    const std::size_t n = found.keypoints.size();
    const auto for_each_shown = [&](const auto& visit) {
      parallel_ranges(found.images.size(), [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
          const auto [begin, features] = found.range(i);
          if (!items[found.images[i]]->blank) visit(*items[found.images[i]], begin, features);
        }
      });
    };
    const auto keypoints_of = [&](std::size_t begin, std::size_t features) {
      return std::span(found.keypoints).subspan(begin, features);
    };
    if (lane.assign) {
      const AssignedFeatures assigned =
          times_.timed("assign", [&] { return lane.assign->run(found.descriptors, n); });
      for_each_shown([&](Item& item, std::size_t begin, std::size_t features) {
        item.state =
            image_words(std::get<ImageWords>(item.state).image, keypoints_of(begin, features),
                        std::span(assigned.words).subspan(begin, features),
                        std::span(assigned.signatures).subspan(begin, features));
      });
      return;
    }
    const std::size_t length = config_.extract.descriptor_size;
    lane.session->view<float>(found.descriptors, n * length, [&](std::span<const float> values) {
      for_each_shown([&](Item& item, std::size_t begin, std::size_t features) {
        FeatureSet& set = std::get<ImageFeatures>(item.state).features;
        const auto keypoints = keypoints_of(begin, features);
        const auto descriptors = values.subspan(begin * length, features * length);
        set.keypoints.assign(keypoints.begin(), keypoints.end());
        set.descriptors.assign(descriptors.begin(), descriptors.end());
        set.descriptor_size = length;
      });
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
  for (const auto& lane : lanes_) lane->assign.emplace(*lane->session, codebook, config_.assign);
}

void DeviceStages::run(const std::function<void(OpenClSession&)>& work) {
  for (const auto& lane : lanes_) lane->assign.reset();
  with_fallback(0, [&](Lane& lane) { work(*lane.session); });
}

}  // namespace lookalike
