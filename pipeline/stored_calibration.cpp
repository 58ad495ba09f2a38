#include "pipeline/stored_calibration.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/parse_number.h"
#include "base/text.h"
#include "pipeline/json.h"

namespace lookalike {
namespace {

// The number of matchable images when the index was calibrated.
constexpr const char* kCalibratedImages = "calibration.second_look.images";

// The minimum number of matchable images: pairs from fewer give worse weights than the shipped
// ones.
constexpr std::uint64_t kFewestForCalibration = 40;

Calibration stored_calibration(const IndexReader& index) {
  const std::optional<std::string> text = index.derived(std::string(kCalibrationName));
  return text ? calibration_from(*text).value_or(Calibration{}) : Calibration{};
}

}  // namespace

std::string to_text(const Calibration& calibration) {
  return nlohmann::json(calibration.weights).dump();
}

std::optional<Calibration> calibration_from(std::string_view text) {
  const auto json = parse_json<nlohmann::json>(text);
  if (!json.is_array() || json.size() != Calibration::kWeights) return std::nullopt;
  Calibration calibration;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (!json[i].is_number()) return std::nullopt;
    calibration.weights[i] = json[i].get<double>();
  }
  return calibration;
}

Calibration calibration_for(const IndexReader& index, const MatchOptions& match) {
  if (match.calibration.empty()) return stored_calibration(index);
  const IndexReader named{std::filesystem::path(match.calibration)};
  if (!named.derived(std::string(kCalibrationName))) {
    throw Error(ErrorKind::kInput,
                fmt::format("match.calibration: {} has no calibration: run lookalike calibrate",
                            printable(match.calibration)));
  }
  return stored_calibration(named);
}

std::uint64_t matchable_images(const IndexCounts& counts) {
  return counts.images - counts.blank;
}

void store_calibration(IndexWriter& index, const Calibration& calibration) {
  index.set_derived(kCalibrationName, to_text(calibration));
  index.set_derived(kCalibratedImages, std::to_string(matchable_images(index.counts())));
}

bool is_calibration_due(const IndexReader& index, std::uint64_t more) {
  const std::uint64_t images = matchable_images(index.counts()) + more;
  if (images < kFewestForCalibration) return false;
  const std::uint64_t calibrated =
      parse_number<std::uint64_t>(index.derived(kCalibratedImages).value_or("")).value_or(0);
  return 2 * images >= 3 * calibrated || 2 * images <= calibrated;
}

std::optional<std::string> problem_of_calibration(const IndexReader& index) {
  const auto problem = [](std::string_view name, const std::string& text) {
    return fmt::format("derived: {} is damaged, was '{}'", name, printable(text));
  };
  const auto weights = index.derived(std::string(kCalibrationName));
  if (weights && !calibration_from(*weights)) return problem(kCalibrationName, *weights);
  const auto images = index.derived(kCalibratedImages);
  if (images && !parse_number<std::uint64_t>(*images)) return problem(kCalibratedImages, *images);
  return std::nullopt;
}

}  // namespace lookalike
