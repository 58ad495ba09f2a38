#include "pipeline/groups/keep.h"

#include <array>
#include <cmath>
#include <compare>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/path_set.h"
#include "stages/decode/large_image_lock.h"
#include "stages/decode/load.h"
#include "stages/decode/pixels.h"

namespace lookalike {
namespace {

// The ratio of scales below which two pictures are of one resolution, so that quality decides.
constexpr double kOtherResolution = 1.2;
// The ratio of quantisation steps from which on two JPEG files are of one quality.
constexpr double kSameQuality = 0.95;

double pixels_of(PictureSize size) {
  return double{1} * size.width * size.height;
}

int properties(const FileDescription& file) {
  return (file.frames != 1 ? 1 : 0) + (file.pictures > 1 ? 1 : 0) + (file.has_video ? 1 : 0) +
         (file.has_gain_map ? 1 : 0) + (file.has_depth ? 1 : 0) + (file.trailer_bytes > 0 ? 1 : 0) +
         (file.unknown.empty() ? 0 : 1) + (file.bits > 8 ? 1 : 0) + (file.has_alpha ? 1 : 0);
}

// Returns what ranks files of one codec: the less, the better.
double loss(const KeepCandidate& one) {
  return one.description.steps ? one.description.mean_step()
                               : -static_cast<double>(one.file.size_bytes);
}

bool same_lossy_codec(const FileDescription& a, const FileDescription& b) {
  return !a.is_lossless && !b.is_lossless && a.codec == b.codec;
}

struct KeepRule {
  std::string_view reason;
  // Returns less if the first stays.
  std::partial_ordering (*compare)(const KeepCandidate& a, const KeepCandidate& b);
};

using Candidate = const KeepCandidate&;
constexpr std::array<KeepRule, 12> kRules = {{
    {"the other is as it was indexed",
     [](Candidate a, Candidate b) -> std::partial_ordering {
       return !a.is_as_indexed <=> !b.is_as_indexed;
     }},
    {"the other lies in a preferred folder",
     [](Candidate a, Candidate b) -> std::partial_ordering {
       return a.preference <=> b.preference;
     }},
    {"the other holds more",
     [](Candidate a, Candidate b) -> std::partial_ordering {
       return properties(b.description) <=> properties(a.description);
     }},
    {"the other is in colour",
     [](Candidate a, Candidate b) -> std::partial_ordering {
       return b.description.has_colour <=> a.description.has_colour;
     }},
    {"the other has more pixels",
     [](Candidate a, Candidate b) -> std::partial_ordering {
       return pixels_of(b.size) <=> pixels_of(a.size);
     }},
    {"the other has more than 256 colours",
     [](Candidate a, Candidate b) -> std::partial_ordering {
       return a.description.has_palette <=> b.description.has_palette;
     }},
    {"the other is lossless",
     [](Candidate a, Candidate b) -> std::partial_ordering {
       return b.description.is_lossless <=> a.description.is_lossless;
     }},
    {"the other has the better quality",
     [](Candidate a, Candidate b) -> std::partial_ordering {
       if (a.description.is_lossless) return std::partial_ordering::equivalent;
       if (a.description.codec != b.description.codec) {
         return a.description.codec <=> b.description.codec;
       }
       return loss(a) <=> loss(b);
     }},
    {"the other names its camera",
     [](Candidate a, Candidate b) -> std::partial_ordering {
       return b.description.has_camera <=> a.description.has_camera;
     }},
    {"this is a link",
     [](Candidate a, Candidate b) -> std::partial_ordering { return a.is_link <=> b.is_link; }},
    {"the other is older",
     [](Candidate a, Candidate b) -> std::partial_ordering {
       return a.file.modified_ns <=> b.file.modified_ns;
     }},
    {"the other has the shorter path",
     [](Candidate a, Candidate b) -> std::partial_ordering {
       return a.file.path.size() <=> b.file.path.size();
     }},
}};

std::optional<std::string> lost_quality(const KeepCandidate& one, const KeepCandidate& other,
                                        double scale) {
  const FileDescription& ours = one.description;
  const FileDescription& theirs = other.description;
  if (ours.is_lossless) {
    if (theirs.is_lossless) return std::nullopt;
    return fmt::format("is lossless, the other is a {}", to_string(theirs.codec));
  }
  if (theirs.is_lossless || scale >= kOtherResolution) return std::nullopt;
  if (!same_lossy_codec(ours, theirs)) {
    return fmt::format("is a {}, the other a {}: which is better is unknown", to_string(ours.codec),
                       to_string(theirs.codec));
  }
  if (ours.steps && theirs.steps) {
    if (ours.mean_step() >= kSameQuality * theirs.mean_step()) return std::nullopt;
    return fmt::format("has the JPEG quality {}, the other {}", ours.jpeg_quality(),
                       theirs.jpeg_quality());
  }
  if (one.file.size_bytes <= other.file.size_bytes) return std::nullopt;
  return fmt::format("has more bytes than the other {}", to_string(ours.codec));
}

// Returns the reason to keep a file that was, or may have been, the source of the other.
std::optional<std::string> lost_source(const KeepCandidate& one, const KeepCandidate& other,
                                       FileInspector& inspector) {
  const Lineage from_one = inspector.lineage(other, one);
  const bool is_resized = !(one.size == other.size);
  if (from_one == Lineage::kMade) {
    return is_resized ? "the other was enlarged from it" : "the other was saved from it";
  }
  const bool has_sign = other.description.has_camera && !one.description.has_camera;
  if (from_one == Lineage::kUnclear && !has_sign) {
    return is_resized ? "which of both was resized is unknown"
                      : "which of both was saved from the other is unknown";
  }
  return std::nullopt;
}

// Decodes a file; returns nothing if it cannot be read.
std::optional<ShownPixels> decode_file(const LoadedFile& file, PixelMode mode,
                                       const ImagesOptions& limits) {
  const auto header = check_header(file, limits);
  if (!std::holds_alternative<ImageHeader>(header)) return std::nullopt;
  const LargeImageLock lock(std::get<ImageHeader>(header), mode);
  auto decoded = decode_pixels(file, std::get<ImageHeader>(header), mode);
  auto* shown = std::get_if<ShownPixels>(&decoded);
  return shown == nullptr ? std::nullopt : std::optional(std::move(*shown));
}

}  // namespace

KeepChoice choose(const KeepCandidate& a, const KeepCandidate& b) {
  for (const KeepRule& rule : kRules) {
    const std::partial_ordering order = rule.compare(a, b);
    if (std::is_neq(order)) return {std::is_lt(order), rule.reason};
  }
  return {a.file.path < b.file.path, "the other comes first by path"};
}

std::size_t preference_of(const std::string& path, const std::vector<std::string>& folders) {
  std::size_t place = 0;
  while (place < folders.size() && !is_within(path, folders[place])) ++place;
  return place;
}

FileDescription FileInspector::description(const std::string& path) const {
  const auto loaded = load_file(path, limits_);
  const auto* file = std::get_if<LoadedFile>(&loaded);
  if (file == nullptr) return {.unknown = "what cannot be read"};
  FileDescription found = describe_file(file->bytes);
  if (!found.has_alpha) return found;
  const auto shown = decode_file(*file, PixelMode::kGray, limits_);
  found.has_alpha = !shown || !shown->alpha.empty();
  return found;
}

const cv::Mat& FileInspector::pixels(const std::string& path, bool in_colour) {
  constexpr std::size_t kMostPictures = 4;
  for (auto at = recent_.begin(); at != recent_.end(); ++at) {
    if (at->path != path || at->in_colour != in_colour) continue;
    recent_.splice(recent_.begin(), recent_, at);
    return at->pixels;
  }
  recent_.push_front({path, in_colour, {}});
  if (recent_.size() > kMostPictures) recent_.pop_back();
  const auto loaded = load_file(path, limits_);
  if (const auto* file = std::get_if<LoadedFile>(&loaded)) {
    const PixelMode mode = in_colour ? PixelMode::kColour : PixelMode::kGray;
    if (auto shown = decode_file(*file, mode, limits_)) recent_.front().pixels = shown->pixels;
  }
  return recent_.front().pixels;
}

Lineage FileInspector::lineage(const KeepCandidate& file, const KeepCandidate& from) {
  const auto [known, is_new] =
      known_.try_emplace({file.file.path, from.file.path}, Lineage::kOther);
  if (is_new) known->second = compare(file, from);
  return known->second;
}

Lineage FileInspector::compare(const KeepCandidate& file, const KeepCandidate& from) {
  const bool is_resized = !(file.size == from.size);
  if (pixels_of(file.size) < pixels_of(from.size)) return Lineage::kOther;
  if (!is_resized && file.description.is_lossless && from.description.steps) {
    constexpr double kLeastLoss = 3;  // the mean step that makes a JPEG differ from its source
    if (from.description.mean_step() < kLeastLoss) return Lineage::kOther;
    const cv::Mat ours = pixels(file.file.path, true);
    const cv::Mat theirs = pixels(from.file.path, true);
    const bool is_equal = !ours.empty() && has_pixels_of(ours, theirs);
    return is_equal ? Lineage::kMade : Lineage::kOther;
  }
  const bool has_known_steps = file.description.steps || file.description.is_lossless;
  if (!has_known_steps || (!is_resized && !from.description.steps)) return Lineage::kOther;
  if (!is_resized && file.description.mean_step() >= from.description.mean_step()) {
    return Lineage::kOther;
  }
  const cv::Mat ours = pixels(file.file.path, false);
  const Source source{pixels(from.file.path, false),
                      is_resized ? cv::Mat() : pixels(from.file.path, true), from.description};
  const bool is_read = !ours.empty() && !source.gray.empty();
  if (!is_read || (!is_resized && source.colours.empty())) return Lineage::kUnclear;
  return lookalike::lineage(ours, file.description, source);
}

bool FileInspector::is_framed(const KeepCandidate& larger, const Quad& place) {
  const cv::Mat& all = pixels(larger.file.path, false);
  return all.empty() || crop_sides(all, place).with_edge > 0;
}

bool FileInspector::is_pasted(const KeepCandidate& larger, const Quad& place) {
  const cv::Mat& all = pixels(larger.file.path, false);
  if (all.empty()) return false;
  const CropSides sides = crop_sides(all, place);
  return sides.inside > 1 && sides.with_edge == sides.inside;
}

std::optional<std::string> lost_without(const KeepCandidate& one, const KeepCandidate& other,
                                        const Relation& relation, FileInspector& inspector) {
  if (one.pages > 1) return fmt::format("holds {} pages", one.pages);
  if (auto held = held_beyond(one.description, other.description)) return held;
  // The user has named which of two variants is the right one.
  const bool is_unwanted = relation.kind == PairKind::kVariant && other.preference < one.preference;
  const std::string_view hidden =
      is_unwanted ? std::string_view() : what_is_hidden(relation, one.size, other.size);
  const bool is_copy = relation.kind == PairKind::kCopy;
  const bool is_made = is_copy && inspector.lineage(one, other) == Lineage::kMade;
  if (!hidden.empty() && !(hidden == kHasMorePixels && is_made)) return std::string(hidden);
  if (is_made) return std::nullopt;
  if (relation.second_shown < kWholeShare && inspector.is_framed(other, relation.outline)) {
    return "stands in a frame or beside other pictures in the other";
  }
  if (auto lost = lost_quality(one, other, relation.scale)) return lost;
  return is_copy ? lost_source(one, other, inspector) : std::nullopt;
}

}  // namespace lookalike
