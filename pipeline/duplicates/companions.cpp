#include "pipeline/duplicates/companions.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/error.h"
#include "base/held_file.h"
#include "base/text.h"
#include "config/image_formats.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRawFormat = "camera RAW";

// The parts of a name: "IMG_1" and "jpg" of IMG_1.JPG.
struct NameParts {
  explicit NameParts(std::string_view name)
      : stem(name.substr(0, name.rfind('.'))),
        ending(stem.size() < name.size() ? in_lower_case(name.substr(stem.size() + 1)) : "") {}
  std::string_view stem;
  std::string ending;  // in lower case
};

bool is_ending_of(const ImageFormatInfo& format, std::string_view ending) {
  return std::ranges::find(format.endings, ending) != format.endings.end();
}

bool is_raw(std::string_view ending) {
  return std::ranges::any_of(image_formats(), [&](const ImageFormatInfo& format) {
    return format.name == kRawFormat && is_ending_of(format, ending);
  });
}

// Takes "(2)" from the end of a text, which Takeout appends to what has one name in an album.
// Returns it.
std::string_view take_number(std::string_view& text) {
  const std::size_t open = text.rfind('(');
  if (open == std::string_view::npos || !text.ends_with(')') || open + 2 >= text.size()) return {};
  const std::string_view number = text.substr(open);
  const std::string_view digits = number.substr(1, number.size() - 2);
  if (digits.find_first_not_of("0123456789") != std::string_view::npos) return {};
  text.remove_suffix(number.size());
  return number;
}

// True for the name, without ".json", of what Takeout writes about a picture. Its names are
// IMG_1.jpg, IMG_1.jpg.supplemental-metadata, or its first 46 bytes; and IMG_1.jpg(2) for
// IMG_1(2).jpg.
bool is_takeout_name(std::string_view stem, std::string_view picture) {
  constexpr std::size_t kLongest = 46;
  constexpr std::string_view kAppended = ".supplemental-metadata";
  const NameParts parts(picture);
  if (stem == parts.stem || stem == picture) return true;
  std::string_view own_stem = parts.stem;
  const std::string_view number = take_number(own_stem);
  std::string_view rest = stem;
  if (!number.empty() && take_number(rest) != number) return false;
  const std::string ending(picture.substr(parts.stem.size()));
  const std::string whole = std::string(own_stem) + ending + std::string(kAppended);
  const std::size_t picture_bytes = own_stem.size() + ending.size();
  return whole.starts_with(rest) &&
         (rest.size() >= picture_bytes || rest.size() == kLongest - number.size() ||
          rest.size() == kLongest);
}

bool have_same_bytes(const std::string& a, const std::string& b) {
  std::error_code unknown;
  if (fs::file_size(a, unknown) != fs::file_size(b, unknown)) return false;
  try {
    return HeldFile(a).has_same_bytes(HeldFile(b));
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

bool is_picture_name(std::string_view name) {
  const NameParts parts(name);
  return std::ranges::any_of(image_formats(), [&](const ImageFormatInfo& format) {
    return is_ending_of(format, parts.ending);
  });
}

std::optional<CompanionKind> companion_kind(std::string_view file, std::string_view picture) {
  if (file == picture || !is_picture_name(picture)) return std::nullopt;
  const NameParts companion(file);
  const NameParts owner(picture);
  const bool has_stem = companion.stem == owner.stem;
  if (companion.ending == "xmp" && (has_stem || companion.stem == picture)) {
    return CompanionKind::kXmp;
  }
  if (companion.ending == "json" && is_takeout_name(companion.stem, picture)) {
    return CompanionKind::kTakeout;
  }
  if (!has_stem) return std::nullopt;
  if (companion.ending == "aae") return CompanionKind::kAae;
  if (companion.ending == "mov" || companion.ending == "mp4") return CompanionKind::kVideo;
  if (is_raw(companion.ending) && !is_raw(owner.ending)) return CompanionKind::kRaw;
  return std::nullopt;
}

std::vector<std::string> CompanionFinder::names_with(const std::string& folder,
                                                     const std::string& beginning) {
  constexpr std::size_t kMostFolders = 64;
  const std::lock_guard lock(mutex_);
  auto at = std::ranges::find(folders_, folder, &Folder::path);
  if (at == folders_.end()) {
    Folder& listed = folders_.emplace_front(Folder{folder, {}});
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      listed.names.push_back(entry->path().filename());
    }
    std::ranges::sort(listed.names);
    if (folders_.size() > kMostFolders) folders_.pop_back();
  } else {
    folders_.splice(folders_.begin(), folders_, at);
  }
  const std::vector<std::string>& names = folders_.front().names;
  std::vector<std::string> found;
  for (auto name = std::ranges::lower_bound(names, beginning);
       name != names.end() && name->starts_with(beginning); ++name) {
    found.push_back(*name);
  }
  return found;
}

std::vector<Companion> CompanionFinder::companions_of(const std::string& picture) {
  const fs::path path = picture;
  const std::string name = path.filename();
  // Names of Takeout may be shorter than the picture's, but not by more than its ending and "(2)".
  constexpr std::size_t kTakeoutBytes = 40;
  std::string beginning(NameParts(name).stem.substr(0, kTakeoutBytes));
  std::string_view unnumbered = beginning;
  take_number(unnumbered);
  std::vector<Companion> companions;
  for (const std::string& file : names_with(path.parent_path(), std::string(unnumbered))) {
    const auto kind = companion_kind(file, name);
    std::error_code unknown;
    const fs::path whole = path.parent_path() / file;
    if (kind && fs::symlink_status(whole, unknown).type() == fs::file_type::regular) {
      companions.push_back({whole, *kind});
    }
  }
  std::ranges::stable_sort(companions, {}, &Companion::kind);
  return companions;
}

std::vector<std::string> CompanionFinder::other_owners(const std::string& file,
                                                       const std::string& picture) {
  const fs::path path = file;
  const std::string name = path.filename();
  // An owner begins as its companion does, up to what the companion's name has in addition.
  const std::string_view stem = NameParts(name).stem;
  const std::string beginning(stem.substr(0, stem.find('.')));
  std::string_view unnumbered = beginning;
  take_number(unnumbered);
  std::vector<std::string> owners;
  for (const std::string& other : names_with(path.parent_path(), std::string(unnumbered))) {
    const std::string whole = path.parent_path() / other;
    if (whole != picture && companion_kind(name, other)) owners.push_back(whole);
  }
  return owners;
}

const Companion* equal_companion(const Companion& one, const std::vector<Companion>& others) {
  const auto equal = std::ranges::find_if(others, [&](const Companion& other) {
    return other.kind == one.kind &&
           (other.path == one.path || have_same_bytes(other.path, one.path));
  });
  return equal == others.end() ? nullptr : &*equal;
}

std::optional<std::string> CompanionFinder::lost_without(const std::string& picture,
                                                         const std::string& other) {
  const std::vector<Companion> ours = companions_of(picture);
  if (ours.empty()) return std::nullopt;
  const std::vector<Companion> theirs = companions_of(other);
  for (const Companion& companion : ours) {
    if (companion.path == other || equal_companion(companion, theirs) != nullptr) continue;
    const bool has_kind =
        std::ranges::find(theirs, companion.kind, &Companion::kind) != theirs.end();
    return fmt::format(
        "has {} beside it, {}", fs::path(companion.path).filename().native(),
        has_kind ? "which differs from what the other has" : "the other has no such file");
  }
  return std::nullopt;
}

}  // namespace lookalike
