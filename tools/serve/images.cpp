#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/fold_case.h"
#include "base/page_name.h"
#include "base/parse_number.h"
#include "base/source_file.h"
#include "base/text.h"
#include "pipeline/answers.h"
#include "stages/decode/readers.h"
#include "storage/neighbours.h"
#include "tools/serve/folder_filter.h"
#include "tools/serve/found_groups.h"
#include "tools/serve/handlers.h"
#include "tools/serve/photos.h"
#include "tools/serve/request.h"

namespace lookalike {
namespace {

const char* name_of(MetadataField field) {
  switch (field) {
    case MetadataField::kTaken:
      return "taken";
    case MetadataField::kPlace:
      return "place";
    case MetadataField::kCamera:
      return "camera";
    case MetadataField::kLens:
      return "lens";
    case MetadataField::kRating:
      return "rating";
    case MetadataField::kLabel:
      return "label";
    case MetadataField::kKeyword:
      return "keyword";
    case MetadataField::kPerson:
      return "person";
    case MetadataField::kRegion:
      return "region";
    case MetadataField::kTitle:
      return "title";
    case MetadataField::kCaption:
      return "caption";
    case MetadataField::kComment:
      return "comment";
    case MetadataField::kAuthor:
      return "author";
    case MetadataField::kCopyright:
      return "copyright";
    case MetadataField::kAddress:
      return "address";
    case MetadataField::kOther:
      break;
  }
  return "other";
}

// Reads a date as in RFC 3339, "2019-07-14", as the number 20190714.
std::optional<LocalTime> date_in(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00";
  const bool has_form = std::ranges::equal(text, kForm, [](char c, char form) {
    return form == '0' ? c >= '0' && c <= '9' : c == form;
  });
  if (!has_form) return std::nullopt;
  const auto at = [&](std::size_t first, std::size_t count) {
    return parse_number<unsigned>(text.substr(first, count)).value();
  };
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(at(0, 4))),
                                         std::chrono::month(at(5, 2)), std::chrono::day(at(8, 2))};
  if (!date.ok()) return std::nullopt;
  return LocalTime{at(0, 4)} * 10000 + LocalTime{at(5, 2)} * 100 + at(8, 2);
}

// Returns the day in a parameter, as date_in(); nothing if it is missing. Throws Refused.
std::optional<LocalTime> day(const HttpRequest& request, const char* name) {
  const std::optional<std::string> text = parameter(request, name);
  if (!text) return std::nullopt;
  const std::optional<LocalTime> date = date_in(*text);
  if (date) return date;
  throw Refused(400, ErrorKind::kUsage, "parameter",
                fmt::format("{}: must be a date such as 2019-07-14", name));
}

// Which files are listed, by what a request says.
class FileFilter {
 public:
  explicit FileFilter(const HttpRequest& request)
      : name_(fold_case(parameter(request, "name").value_or(""))),
        folder_(request),
        from_(day(request, "from")),
        to_(day(request, "to")) {}

  bool accepts_all() const { return name_.empty() && folder_.accepts_all() && !needs_dates(); }
  bool needs_dates() const { return from_ || to_; }
  bool accepts_path(const std::string& path) const {
    return (name_.empty() || fold_case(path).find(name_) != std::string::npos) &&
           folder_.accepts(path);
  }
  bool accepts_date(const SourceFile& file, const PhotoDates& dates) const {
    if (!needs_dates()) return true;
    constexpr LocalTime kDay = 1'000'000;
    const LocalTime date = dates.of(file.path, file.modified_ns).time / kDay;
    return (!from_ || date >= *from_) && (!to_ || date <= *to_);
  }

 private:
  std::string name_;  // folded
  FolderFilter folder_;
  std::optional<LocalTime> from_;
  std::optional<LocalTime> to_;
};

// The order of a list of files.
class FileOrder {
 public:
  explicit FileOrder(const HttpRequest& request) : sort_(parameter(request, "sort").value_or("")) {
    if (sort_.empty() || sort_ == "path" || sort_ == "name" || needs_dates()) return;
    throw Refused(400, ErrorKind::kUsage, "parameter",
                  "sort: must be path, name, newest or oldest");
  }

  bool is_given() const { return !sort_.empty(); }
  bool needs_dates() const { return sort_ == "newest" || sort_ == "oldest"; }

  // Sorts files that are ordered by path.
  void sort(std::vector<SourceFile>& files, const PhotoDates& dates) const {
    const auto date = [&](const SourceFile& file) {
      const LocalTime time = dates.of(file.path, file.modified_ns).time;
      return sort_ == "newest" ? -time : time;
    };
    const auto name = [](const SourceFile& file) {
      return fold_case(std::string_view(file.path).substr(file.path.rfind('/') + 1));
    };
    if (needs_dates()) sort_by(files, date);
    if (sort_ == "name") sort_by(files, name);
  }

 private:
  template <typename Key>
  static void sort_by(std::vector<SourceFile>& files, const Key& key) {
    std::vector<std::pair<decltype(key(files[0])), std::size_t>> keys;
    keys.reserve(files.size());
    for (const SourceFile& file : files) keys.emplace_back(key(file), keys.size());
    check_time();
    std::ranges::sort(keys);
    std::vector<SourceFile> sorted;
    sorted.reserve(files.size());
    for (const auto& [value, place] : keys) sorted.push_back(std::move(files[place]));
    files = std::move(sorted);
  }

  std::string sort_;
};

// Lists the files that a filter accepts.
HttpResponse list_files(const Slice& slice, const FileFilter& filter, const FileOrder& order,
                        const IndexReader& index, PhotoDates& dates) {
  // A request reads dates for so long. The client repeats it while some are left.
  constexpr std::chrono::milliseconds kBudget{1500};
  std::size_t indexed = 0;
  std::vector<SourceFile> files;
  index.for_each_file([&](const std::string& path, std::int64_t modified_ns) {
    check_time();
    ++indexed;
    if (!filter.accepts_path(path)) return;
    SourceFile& file = files.emplace_back();
    file.path = path;
    file.modified_ns = modified_ns;
  });
  std::size_t unread = 0;
  if (filter.needs_dates() || order.needs_dates()) {
    dates.drop_gone(index, indexed);
    unread = dates.read_all(files, kBudget);
    std::erase_if(files, [&](const auto& file) { return !filter.accepts_date(file, dates); });
  }
  order.sort(files, dates);
  Json images = Json::array();
  const std::size_t first = std::min<std::size_t>(slice.after, files.size());
  const std::size_t end = first + std::min<std::size_t>(slice.limit, files.size() - first);
  for (std::size_t i = first; i < end; ++i) {
    const auto id = index.find(files[i].path);
    if (!id) continue;
    images.push_back(
        dated_image(index.existing_image(*id), files[i].path, files[i].modified_ns, dates));
  }
  return json_response({{"images", std::move(images)},
                        {"total", files.size()},
                        {"unread_dates", unread},
                        {"next", end < files.size() ? Json(end) : Json()}});
}

}  // namespace

Json dated_image(const StoredImage& image, const std::string& path, std::int64_t modified_ns,
                 PhotoDates& dates) {
  Json entry = listed_image(image, path);
  const PhotoDate date = dates.read(page_of(path).file, modified_ns);
  entry["taken"] = date.is_taken ? Json(text_of(date.time)) : Json();
  entry["modified"] = utc_text(modified_ns);
  return entry;
}

Json dated_image(const IndexReader& index, const StoredImage& image, const std::string& path,
                 PhotoDates& dates) {
  const std::vector<SourceFile> files = index.files_of(image.id);
  const auto file = std::ranges::find(files, page_of(path).file, &SourceFile::path);
  return dated_image(image, path, file == files.end() ? 0 : file->modified_ns, dates);
}

HttpResponse list_images(const HttpRequest& request, SearchState& state, ServeContext& context) {
  check_parameters(request, {"after", "limit", "name", "folder", "from", "to", "sort"});
  const Slice slice(request, 100, 1000);
  const FileFilter filter(request);
  const FileOrder order(request);
  const IndexReader& index = state.index();
  if (!filter.accepts_all() || order.is_given()) {
    return list_files(slice, filter, order, index, context.dates);
  }
  const auto after = static_cast<ImageId>(slice.after);
  std::vector<StoredImage> found = index.images_after(after, slice.limit + 1);
  const bool is_last = found.size() <= slice.limit;
  if (!is_last) found.pop_back();
  Json images = Json::array();
  for (const StoredImage& image : found) {
    images.push_back(dated_image(index, image, image.paths.front(), context.dates));
  }
  return json_response({{"images", std::move(images)},
                        {"total", state.counts().images},
                        {"unread_dates", 0},
                        {"next", is_last ? Json() : Json(found.back().id)}});
}

HttpResponse show_image(const HttpRequest& request, SearchState& state, ServeContext& /*context*/) {
  check_parameters(request, {});
  return json_response(image_answer(state.index(), image_of_path(state.index(), request)));
}

HttpResponse show_metadata(const HttpRequest& request, SearchState& state, ServeContext& context) {
  check_parameters(request, {});
  const StoredImage image = image_of_path(state.index(), request);
  const Metadata metadata = read_metadata(file_of(image, context.config.images).bytes);
  Json entries = Json::array();
  for (const MetadataEntry& entry : metadata.entries) {
    entries.push_back({{"field", name_of(entry.field)}, {"text", entry.text}});
  }
  return json_response(
      {{"entries", std::move(entries)}, {"is_complete", metadata.problem.empty()}});
}

// Lists the images that share a group with an image, then those that surely show the same thing by
// the neighbour graph, then those of the same form with other content.
HttpResponse list_neighbours(const HttpRequest& request, SearchState& state,
                             ServeContext& context) {
  check_parameters(request, {});
  const IndexReader& index = state.index();
  const ImageId id = image_of_path(index, request).id;
  Json neighbours = Json::array();
  std::set<ImageId> listed = {id};
  const auto add = [&](ImageId image, const std::string& path, std::string_view kind,
                       std::optional<double> probability) {
    const std::optional<StoredImage> stored = index.image(image);
    if (!stored || !listed.insert(image).second) return;  // removed, or listed already
    Json& entry =
        neighbours.emplace_back(listed_image(*stored, path.empty() ? stored->paths.front() : path));
    entry["kind"] = kind;
    entry["probability"] = probability ? Json(*probability) : Json();
  };
  const std::shared_ptr<const FoundGroups> found = current_groups(state, context);
  for (const std::size_t number : found->groups.groups_of(id)) {
    for (const GroupFile& file : found->groups.group(number).files) {
      add(file.image, file.file.path, to_string(file.kind), file.probability);
    }
  }
  for (const Neighbour& edge : index.neighbours(id)) {
    if (!edge.by_votes()) add(edge.image, {}, "neighbour", edge.weight);
  }
  for (const PrintEdge& edge : index.prints(id)) add(edge.image, {}, "same_form", std::nullopt);
  return json_response({{"neighbours", std::move(neighbours)}});
}

}  // namespace lookalike
