#include "kernels/tuning/tuning.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <iterator>
#include <tuple>

#include "base/error.h"
#include "base/files.h"

namespace lookalike {
namespace {

double logarithm(std::uint64_t size) {
  return std::log2(static_cast<double>(std::max<std::uint64_t>(size, 1)));
}

std::optional<std::string> fastest_in(const TuningFile& file, std::string_view kernel,
                                      const TuningSizes& sizes,
                                      std::span<const std::string> variants) {
  struct Rank {
    double octaves;
    const TuningSizes& sizes;
    double ms;
    std::size_t place;
    auto tied() const { return std::tie(octaves, sizes, ms, place); }
  };
  std::optional<Rank> best;
  for (const Measurement& measurement : file.measurements) {
    if (measurement.kernel != kernel) continue;
    const auto variant = std::find(variants.begin(), variants.end(), measurement.variant);
    if (variant == variants.end()) continue;
    const double octaves = octaves_between(measurement.sizes, sizes);
    if (std::isinf(octaves)) continue;
    const Rank rank{octaves, measurement.sizes, measurement.ms,
                    static_cast<std::size_t>(std::distance(variants.begin(), variant))};
    if (!best || rank.tied() < best->tied()) best.emplace(rank);
  }
  if (!best) return std::nullopt;
  return variants[best->place];
}

// Instruction sets of CPUs, richest first; each includes the following.
constexpr std::array<std::string_view, 2> kInstructionSets = {"avx512", "avx2"};

std::string file_name_of(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    if (plain || (!name.empty() && name.back() != '-')) name += plain ? c : '-';
  }
  return name;
}

bool is_same_device(const TuningTarget& a, const TuningTarget& b) {
  return a.platform == b.platform && a.device == b.device && a.driver == b.driver;
}

std::optional<TuningFile> load_own(const TuningTarget& target, const std::filesystem::path& folder,
                                   const std::function<void(const std::string&)>& warn) {
  if (folder.empty()) return std::nullopt;
  const std::filesystem::path path = tuning_path(folder, target);
  constexpr FileKind kTuningFile{.most_bytes = std::size_t{1} << 20U};
  const std::optional<std::string> text = read_file(path, kTuningFile);
  if (!text && errno == ENOENT) return std::nullopt;
  try {
    if (!text) throw Error(ErrorKind::kInput, path.string() + ": cannot be read: " + why_unread());
    TuningFile file = parse_tuning_file(*text, path.string());
    if (is_same_device(file.target, target)) return file;
    throw Error(ErrorKind::kInput,
                path.string() + ": belongs to another device, " + file.target.device);
  } catch (const Error& error) {
    warn(std::string(error.what()) + "; run `lookalike tune` to replace it");
    return std::nullopt;
  }
}

// Returns 0 for the device itself, more for a device that is less like it, nothing for one unlike
// it.
std::optional<std::size_t> unlikeness(const TuningTarget& target, const TuningTarget& other) {
  if (target.kind != other.kind) return std::nullopt;
  if (target.platform == other.platform && target.device == other.device) return 0;
  if (target.kind != "CPU") {
    return target.vendor == other.vendor ? std::optional<std::size_t>(1) : std::nullopt;
  }
  if (target.platform != other.platform) return std::nullopt;
  const auto rank = [](const std::string& instructions) {
    return std::find(kInstructionSets.begin(), kInstructionSets.end(), instructions);
  };
  const auto* const own = rank(target.instructions);
  const auto* const theirs = rank(other.instructions);
  if (theirs == kInstructionSets.end() || theirs < own) return std::nullopt;
  return 1 + static_cast<std::size_t>(theirs - own);
}

}  // namespace

double octaves_between(const TuningSizes& a, const TuningSizes& b) {
  if (a.size() != b.size()) return INFINITY;
  double sum = 0;
  for (auto one = a.begin(), other = b.begin(); one != a.end(); ++one, ++other) {
    if (one->first != other->first) return INFINITY;
    sum += std::pow(logarithm(one->second) - logarithm(other->second), 2);
  }
  return std::sqrt(sum);
}

std::optional<std::string> Tuning::fastest(std::string_view kernel, const TuningSizes& sizes,
                                           std::span<const std::string> variants) const {
  for (const TuningFile& file : files_) {
    if (auto found = fastest_in(file, kernel, sizes, variants)) return found;
  }
  return std::nullopt;
}

std::filesystem::path tuning_path(const std::filesystem::path& folder, const TuningTarget& target) {
  return folder / (file_name_of(target.device + ' ' + target.driver) + ".txt");
}

std::filesystem::path store_tuning(const std::filesystem::path& folder, const TuningFile& file) {
  std::filesystem::path path = tuning_path(folder, file.target);
  create_own_folders(folder);  // writing the file reports what fails
  try {
    write_atomically(path, bytes_of(format_tuning_file(file)), true, FileAccess::kOwner);
  } catch (const Error& error) {
    throw Error(ErrorKind::kStorage, std::string("tuning: ") + error.what());
  }
  return path;
}

Tuning load_tuning(const TuningTarget& target, const std::filesystem::path& folder,
                   const std::vector<TuningFile>& shipped,
                   const std::function<void(const std::string&)>& warn) {
  std::vector<std::pair<std::size_t, const TuningFile*>> alike;
  for (const TuningFile& file : shipped) {
    if (const auto rank = unlikeness(target, file.target)) alike.emplace_back(*rank, &file);
  }
  std::stable_sort(alike.begin(), alike.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<TuningFile> files;
  if (auto own = load_own(target, folder, warn)) files.push_back(std::move(*own));
  for (const auto& [rank, file] : alike) files.push_back(*file);
  return Tuning(std::move(files));
}

}  // namespace lookalike
