#include "pipeline/duplicates/keep.h"

#include <array>
#include <cmath>
#include <compare>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <opencv2/imgproc.hpp>

#include "base/path_set.h"
#include "stages/decode/large_image_lock.h"
#include "stages/decode/load.h"
#include "stages/decode/pixels.h"
#include "stages/decode/readers.h"

namespace lookalike {
namespace {

// The ratio of scales below which two pictures are of one resolution, so that quality decides.
constexpr double kOtherResolution = 1.2;
// The ratio of quantisation steps from which on two JPEG files are of one quality.
constexpr double kSameQuality = 0.95;

int properties(const FileDescription& file) {
  return (file.frames != 1 ? 1 : 0) + (file.pictures > 1 ? 1 : 0) + (file.has_video ? 1 : 0) +
         (file.has_gain_map ? 1 : 0) + (file.has_depth ? 1 : 0) + (file.trailer_bytes > 0 ? 1 : 0) +
         (file.unknown.empty() ? 0 : 1) + (file.bits > 8 ? 1 : 0) + (file.has_alpha ? 1 : 0);
}

std::uint64_t picture_bytes(const KeepCandidate& one) {
  return one.description.picture_bytes > 0 ? one.description.picture_bytes : one.file.size_bytes;
}

// Returns what ranks files of one codec: the less, the better.
double loss(const KeepCandidate& one) {
  return one.description.steps ? one.description.mean_step()
                               : -static_cast<double>(picture_bytes(one));
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
constexpr std::array<KeepRule, 16> kRules = {{
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
    {"the other has more files that belong to it",
     [](Candidate a, Candidate b) -> std::partial_ordering {
       return b.companions <=> a.companions;
     }},
    {"the other is in colour",
     [](Candidate a, Candidate b) -> std::partial_ordering {
       return b.description.has_colour <=> a.description.has_colour;
     }},
    {"the other has more pixels",
     [](Candidate a, Candidate b) -> std::partial_ordering {
       return b.size.pixels() <=> a.size.pixels();
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
    {"the other says more",
     [](Candidate a, Candidate b) -> std::partial_ordering {
       return amount_said(b.metadata) <=> amount_said(a.metadata);
     }},
    {"this is a link",
     [](Candidate a, Candidate b) -> std::partial_ordering { return a.is_link <=> b.is_link; }},
    {"the other has the earlier date taken",
     [](Candidate a, Candidate b) -> std::partial_ordering {
       const auto date = [](Candidate one) {
         const std::string taken = origin_of(one.metadata).taken;
         return std::pair(taken.empty(), taken);
       };
       return date(a) <=> date(b);
     }},
    {"its name is that of a copy",
     [](Candidate a, Candidate b) -> std::partial_ordering {
       return a.name.is_of_copy <=> b.name.is_of_copy;
     }},
    {"the other's name says more",
     [](Candidate a, Candidate b) -> std::partial_ordering {
       return b.name.meaning <=> a.name.meaning;
     }},
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
  if (picture_bytes(one) <= picture_bytes(other)) return std::nullopt;
  return fmt::format("has more bytes than the other {}", to_string(ours.codec));
}

// Orientations are those of EXIF: see upright().
int opposite(int orientation) {
  return orientation == 6 ? 8 : orientation == 8 ? 6 : orientation;
}

PictureSize turned(PictureSize size, int orientation) {
  return orientation > 4 ? PictureSize{size.height, size.width} : size;
}

// Returns the reason to keep a file that was, or may have been, the source of the other.
//   orientation  turns the file as the other is
std::optional<std::string> lost_source(const KeepCandidate& one, const KeepCandidate& other,
                                       int orientation, FileInspector& inspector) {
  const Lineage from_one = inspector.lineage(other, one, orientation);
  const bool is_resized = !(turned(one.size, orientation) == other.size);
  if (from_one == Lineage::kMade) {
    return is_resized ? "the other was enlarged from it" : "the other was saved from it";
  }
  const bool has_sign =
      other.metadata.has(MetadataField::kCamera) && !one.metadata.has(MetadataField::kCamera);
  if (from_one == Lineage::kUnclear && !has_sign) {
    return is_resized ? "which of both was resized is unknown"
                      : "which of both was saved from the other is unknown";
  }
  return std::nullopt;
}

// Decodes a file; returns nothing if it cannot be read.
struct DecodedFile {
  ShownPixels shown;
  int orientation = 1;
};
std::optional<DecodedFile> decode_file(const LoadedFile& file, PixelMode mode,
                                       const ImagesOptions& limits) {
  const auto header = check_header(file, limits);
  if (!std::holds_alternative<ImageHeader>(header)) return std::nullopt;
  const LargeImageLock lock(std::get<ImageHeader>(header), mode);
  auto decoded = decode_pixels(file, std::get<ImageHeader>(header), mode);
  auto* shown = std::get_if<ShownPixels>(&decoded);
  if (shown == nullptr) return std::nullopt;
  return DecodedFile{std::move(*shown), std::get<ImageHeader>(header).orientation};
}

cv::Mat turned(const cv::Mat& picture, int orientation) {
  return orientation == 1 ? picture : upright(picture.clone(), orientation);
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

void FileInspector::describe(KeepCandidate& one) const {
  const auto loaded = load_file(one.file.path, limits_);
  const auto* file = std::get_if<LoadedFile>(&loaded);
  if (file == nullptr) {
    one.description = {.unknown = "what cannot be read"};
    return;
  }
  one.description = describe_file(file->bytes);
  one.metadata = read_metadata(file->bytes);
  if (!one.description.has_alpha) return;
  const auto decoded = decode_file(*file, PixelMode::kGray, limits_);
  one.description.has_alpha = !decoded || !decoded->shown.alpha.empty();
}

const FileInspector::Pixels& FileInspector::read(const std::string& path, bool in_colour) {
  constexpr std::size_t kMostPictures = 4;
  for (auto at = recent_.begin(); at != recent_.end(); ++at) {
    if (at->path != path || at->in_colour != in_colour) continue;
    recent_.splice(recent_.begin(), recent_, at);
    return *at;
  }
  recent_.push_front({path, in_colour});
  if (recent_.size() > kMostPictures) recent_.pop_back();
  const auto loaded = load_file(path, limits_);
  if (const auto* file = std::get_if<LoadedFile>(&loaded)) {
    const PixelMode mode = in_colour ? PixelMode::kColour : PixelMode::kGray;
    if (const auto decoded = decode_file(*file, mode, limits_)) {
      recent_.front().pixels = decoded->shown.pixels;
      recent_.front().orientation = decoded->orientation;
    }
  }
  return recent_.front();
}

// Returns the grey picture of a file, upright, as a JPEG file of it stores it.
cv::Mat FileInspector::gray_pixels(const KeepCandidate& file) {
  if (!file.description.is_lossless) return pixels(file.file.path, false);
  const cv::Mat colours = pixels(file.file.path, true);
  cv::Mat gray;
  if (!colours.empty()) cv::cvtColor(colours, gray, cv::COLOR_BGR2GRAY);
  return gray;
}

// Returns the grey picture of a file as it is stored, empty if it cannot be read.
cv::Mat FileInspector::stored_pixels(const KeepCandidate& file) {
  const cv::Mat gray = gray_pixels(file);
  return gray.empty() ? gray : turned(gray, opposite(stored_orientation(file)));
}

// Returns the picture of `from` as the other file would store it, empty if it cannot be read.
Source FileInspector::source_for(const KeepCandidate& file, const KeepCandidate& from,
                                 int orientation) {
  const int stored = opposite(stored_orientation(file));
  const bool is_resized = !(file.size == turned(from.size, orientation));
  const cv::Mat gray = gray_pixels(from);
  const cv::Mat colours = is_resized ? cv::Mat() : pixels(from.file.path, true);
  if (gray.empty() || (!is_resized && colours.empty())) return {};
  return {.gray = turned(turned(gray, orientation), stored),
          .colours = is_resized ? colours : turned(turned(colours, orientation), stored),
          .file = from.description};
}

bool FileInspector::can_be_saved_from(const KeepCandidate& file, const KeepCandidate& jpeg,
                                      int orientation) {
  const cv::Mat saved = stored_pixels(jpeg);
  const Source source = source_for(jpeg, file, opposite(orientation));
  return !saved.empty() && saved.size() == source.gray.size() &&
         lookalike::can_be_saved_from(source, saved, jpeg.description);
}

bool FileInspector::has_equal_pixels(const KeepCandidate& file, const KeepCandidate& other,
                                     int orientation) {
  const cv::Mat ours = pixels(file.file.path, true);
  const cv::Mat theirs = pixels(other.file.path, true);
  return !ours.empty() && !theirs.empty() && has_pixels_of(ours, turned(theirs, orientation));
}

Lineage FileInspector::lineage(const KeepCandidate& file, const KeepCandidate& from,
                               int orientation) {
  const auto [known, is_new] =
      known_.try_emplace({file.file.path, from.file.path, orientation}, Lineage::kOther);
  if (is_new) known->second = compare(file, from, orientation);
  return known->second;
}

Lineage FileInspector::compare(const KeepCandidate& file, const KeepCandidate& from,
                               int orientation) {
  const FileDescription& ours = file.description;
  const FileDescription& theirs = from.description;
  if (file.size.pixels() < from.size.pixels()) return Lineage::kOther;
  const bool is_resized = !(file.size == turned(from.size, orientation));
  if (!is_resized) {
    if (ours.is_lossless) return compare_lossless(file, from, orientation);
    if (!same_lossy_codec(ours, theirs)) return Lineage::kOther;
    if (!ours.steps || !theirs.steps) {
      return has_equal_pixels(file, from, orientation) ? Lineage::kOther : Lineage::kUnclear;
    }
  } else if (!ours.steps && !ours.is_lossless) {
    return Lineage::kOther;
  }
  if (is_resized || ours.mean_step() < theirs.mean_step()) {
    const cv::Mat picture = stored_pixels(file);
    const Source source = source_for(file, from, orientation);
    if (picture.empty() || source.gray.empty()) return Lineage::kUnclear;
    const Lineage found = lookalike::lineage(picture, ours, source);
    if (is_resized || found != Lineage::kOther) return found;
  }
  return can_be_saved_from(file, from, orientation) ? Lineage::kOther : Lineage::kUnclear;
}

// Compares a lossless file with one of its size.
Lineage FileInspector::compare_lossless(const KeepCandidate& file, const KeepCandidate& from,
                                        int orientation) {
  constexpr double kLeastLoss = 3;  // the mean step that makes a JPEG differ from its source
  const FileDescription& theirs = from.description;
  if (has_equal_pixels(file, from, orientation)) {
    const bool has_loss = !theirs.is_lossless && !(theirs.steps && theirs.mean_step() < kLeastLoss);
    return has_loss ? Lineage::kMade : Lineage::kOther;
  }
  const bool has_fewer_colours = theirs.has_palette && !file.description.has_palette;
  if (theirs.is_lossless && has_fewer_colours) return Lineage::kOther;
  const bool is_source = theirs.steps && can_be_saved_from(file, from, orientation);
  return is_source ? Lineage::kOther : Lineage::kUnclear;
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

bool was_made_from(const KeepCandidate& one, const KeepCandidate& other, const Relation& relation,
                   FileInspector& inspector) {
  const std::optional<int> orientation = orientation_of_whole(relation);
  if (!orientation) return false;
  // Of two JPEG files of one size, the one with the coarser steps was not made from the other: it
  // was saved from it, or both from one.
  const FileDescription& ours = one.description;
  const FileDescription& theirs = other.description;
  const bool is_resized = !(one.size == turned(other.size, opposite(*orientation)));
  if (!is_resized && !ours.is_lossless && ours.steps && theirs.steps &&
      ours.mean_step() >= theirs.mean_step()) {
    return false;
  }
  return inspector.lineage(one, other, opposite(*orientation)) == Lineage::kMade;
}

std::optional<std::string> lost_beside_picture(const KeepCandidate& one,
                                               const KeepCandidate& other) {
  if (one.pages > 1) return fmt::format("holds {} pages", one.pages);
  if (auto held = held_beyond(one.description, other.description)) return held;
  return said_beyond(one.metadata, other.metadata);
}

std::optional<std::string> lost_without(const KeepCandidate& one, const KeepCandidate& other,
                                        const Relation& relation, FileInspector& inspector) {
  if (auto lost = lost_beside_picture(one, other)) return lost;
  // The user has named which of two variants is the right one.
  const bool is_unwanted = relation.kind == PairKind::kVariant && other.preference < one.preference;
  const std::string_view hidden =
      is_unwanted ? std::string_view() : what_is_hidden(relation, one.size, other.size);
  if (!hidden.empty() && hidden != kHasMorePixels) return std::string(hidden);
  if (was_made_from(one, other, relation, inspector)) return std::nullopt;
  if (!hidden.empty()) return std::string(hidden);
  if (relation.second_shown < kWholeShare && inspector.is_framed(other, relation.outline)) {
    return "stands in a frame or beside other pictures in the other";
  }
  if (auto lost = lost_quality(one, other, relation.scale)) return lost;
  const std::optional<int> orientation = orientation_of_whole(relation);
  return orientation ? lost_source(one, other, *orientation, inspector) : std::nullopt;
}

}  // namespace lookalike
