#include "pipeline/duplicates/collection.h"

#include <chrono>
#include <utility>

#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/text.h"
#include "pipeline/stored_calibration.h"

namespace lookalike {
namespace {

constexpr std::chrono::seconds kBetweenSaves{60};

// Each pair is judged by itself, so a second look is not needed.
RunConfig for_pairs(RunConfig config) {
  config.match.second_look = false;
  return config;
}

}  // namespace

Collection::Collection(const IndexReader& index, RunConfig config, GroupOptions options)
    : index_(index),
      config_(for_pairs(std::move(config))),
      options_(configured(std::move(options), config_)),
      fingerprint_(pair_fingerprint(index.settings(), config_.match)),
      lock_(options_.scope.is_all() ? lock_pairs(config_.store.database) : std::nullopt),
      rejections_(searched_rejections(config_)),
      state_(load_pairs(config_.store.database, fingerprint_)),
      images_(indexed_images(index, options_.scope)),
      places_(adopt_images(images_, state_)),
      search_(images_,
              {.mirror = config_.match.mirror,
               .calibration = calibration_for(index, config_.match),
               .match = config_.match,
               .rejections = rejections_},
              state_),
      can_save_(lock_.has_value()) {
  if (options_.scope.is_all() && !can_save_) {
    spdlog::warn(
        "another process is searching this index for pairs: the result of this run is not stored");
  }
}

bool Collection::compare(const std::function<bool(std::size_t done)>& after_each) {
  if (pending() == 0) return true;
  auto saved = std::chrono::steady_clock::now();
  const bool is_done = search_.run(index_, searcher(), [&](std::size_t done) {
    if (std::chrono::steady_clock::now() - saved > kBetweenSaves) {
      save();
      saved = std::chrono::steady_clock::now();
    }
    return after_each(done);
  });
  save();
  if (search_.incomplete() > 0) {
    spdlog::warn("{} not compared completely, because files cannot be read{}",
                 counted(search_.incomplete(), "image"),
                 can_save_ ? ": the next run compares them again" : "");
  }
  return is_done;
}

Groups Collection::groups() {
  return {index_,
          images_,
          places_,
          state_,
          rejections_,
          options_,
          [this](std::uint32_t first, std::uint32_t second, bool mirrored) {
            return check(first, second, mirrored);
          }};
}

Searcher& Collection::searcher() {
  return searcher_ ? *searcher_ : searcher_.emplace(index_, config_);
}

std::optional<std::size_t> Collection::check(std::uint32_t first, std::uint32_t second,
                                             bool mirrored) {
  std::optional<FoundPair> pair = compare_pair(index_, searcher(), state_.images[first].content,
                                               state_.images[second].content, mirrored);
  if (!pair) return std::nullopt;
  pair->first = first;
  pair->second = second;
  pair->is_check = true;
  state_.pairs.push_back(*std::move(pair));
  return state_.pairs.size() - 1;
}

void Collection::mark_reported(const std::function<bool(ImageId)>& is_reported) {
  for (std::size_t i = 0; i < images_.size(); ++i) {
    if (is_reported(images_[i].id)) state_.images[places_[i]].reported_files = images_[i].files;
  }
  save();
}

void Collection::save() {
  if (!can_save_) return;
  try {
    save_pairs(config_.store.database, state_, fingerprint_);
  } catch (const Error& error) {
    can_save_ = false;
    spdlog::warn("{}: the result of this run is not stored", error.what());
  }
}

}  // namespace lookalike
