#include "config/retired.h"

#include <algorithm>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.h"

namespace lookalike {
namespace {

struct RetiredKey {
  std::string_view name;
  std::string_view constant;
  std::string_view why;  // to follow "because"
};

// The measurements are in EXPERIMENTS.md.
constexpr RetiredKey kRetiredKeys[] = {
    {"match.hamming_weights", "true", "equal votes found fewer images"},
    {"match.burstiness", "true", "counting repeated votes in full found fewer images"},
    {"match.one_to_one", "true", "a feature in several pairs found fewer images and took longer"},
    {"match.local_optimisation", "true", "poses from single pairs were less accurate"},
    {"match.effective_inliers", "true", "counting crowded inliers in full improved nothing"},
    {"match.rerank", "true", "ordering by votes alone found fewer images"},
};

}  // namespace

bool accept_retired_key(std::string_view name, std::string_view value, std::string_view source) {
  const auto* key = std::ranges::find(kRetiredKeys, name, &RetiredKey::name);
  if (key == std::end(kRetiredKeys)) return false;
  const std::string text =
      fmt::format("{}: {} is no longer a setting: it is always {}", source, name, key->constant);
  if (value != key->constant) {
    throw Error(ErrorKind::kUsage, fmt::format("{}, because {}; was {}", text, key->why, value));
  }
  spdlog::warn("{}", text);
  return true;
}

std::string_view retired_value(std::string_view name, std::string_view value) {
  if (name != "extract.descriptor_form" || value != "centred") return {};
  return ", which was removed because it found no more images than \"plain\"";
}

}  // namespace lookalike
