#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/text.h"
#include "base/work_limits.h"
#include "pipeline/answers.h"
#include "pipeline/duplicates/compare.h"
#include "pipeline/duplicates/pair_file.h"
#include "pipeline/duplicates/totals.h"
#include "tools/serve/folder_filter.h"
#include "tools/serve/found_groups.h"
#include "tools/serve/handlers.h"
#include "tools/serve/request.h"

namespace lookalike {
namespace {

bool has_kind(const Group& group, const std::set<PairKind>& kinds) {
  return std::ranges::any_of(
             group.files,
             [&](const GroupFile& file) { return file.related && kinds.contains(file.kind); }) ||
         std::ranges::any_of(group.pairs, [&](const GroupPair& pair) {
           return kinds.contains(pair.relation.kind);
         });
}

// Returns a text that changes whenever groups may.
std::string groups_version(const SearchState& state, const RunConfig& config) {
  return fmt::format("{} {}{}", state.number(), version_of({pair_file(config.store.database)}),
                     rejections_version(config));
}

using Clock = WorkLimits::Clock;

void keep_groups(ServeContext& context, const std::stop_token& stop) {
  constexpr std::chrono::seconds kQuiet{2};
  // Rest after a search as a multiple of its time: a run that publishes all the time keeps the
  // thread busy for at most a fifth of it.
  constexpr int kRestPerSearch = 4;
  Clock::duration rest = kQuiet;
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any stopped;
  std::string seen;
  std::string found;
  while (!stopped.wait_for(lock, stop, rest, [&] { return stop.stop_requested(); })) {
    rest = kQuiet;
    if (!context.groups_were_asked) continue;
    const std::shared_ptr<SearchState> state = context.searcher.state();
    const std::string version = groups_version(*state, context.config);
    if (version != std::exchange(seen, version) || version == found) continue;
    found = version;
    WorkLimits limits(Clock::time_point::max());
    limits.allow_large_images();
    const LimitedWork limited(&limits);
    const std::stop_callback end(stop, [&limits] { limits.shorten(Clock::now()); });
    const Clock::time_point start = Clock::now();
    try {
      current_groups(*state, context)->with_files();
      spdlog::debug("groups are ready");
    } catch (const std::exception& error) {
      spdlog::debug("groups: {}", error.what());  // who asks for them sees it
    }
    rest = std::max<Clock::duration>(kQuiet, kRestPerSearch * (Clock::now() - start));
  }
}

}  // namespace

std::shared_ptr<const FoundGroups> current_groups(const SearchState& state, ServeContext& context) {
  context.groups_were_asked = true;
  return context.groups.get(groups_version(state, context.config), [&] {
    return std::make_shared<const FoundGroups>(state.index(), current_rejections(context),
                                               context.config);
  });
}

GroupsKeeper::GroupsKeeper(ServeContext& context)
    : watch_([&context](const std::stop_token& stop) { keep_groups(context, stop); }) {}

namespace {

// Which groups are listed, and in which order.
class GroupSelection {
 public:
  explicit GroupSelection(const HttpRequest& request)
      : folder_(request), sort_(parameter(request, "sort").value_or("path")) {
    const std::string names = parameter(request, "kind").value_or("");
    for (const std::string_view name : split(names, ',')) {
      if (name.empty()) continue;
      const std::optional<PairKind> kind = pair_kind(name);
      if (!kind || !usual_kinds().contains(*kind)) throw wrong("kind", "a kind of listed groups");
      kinds_.insert(*kind);
    }
    if (sort_ != "path" && sort_ != "savings" && sort_ != "date" && sort_ != "size") {
      throw wrong("sort", "path, savings, date or size");
    }
  }

  bool accepts(const Group& group) const {
    const auto is_there = [&](const GroupFile& file) { return folder_.accepts(file.file.path); };
    return (kinds_.empty() || has_kind(group, kinds_)) &&
           std::ranges::any_of(group.files, is_there);
  }

  // Returns what the groups are sorted by, the largest first; 0 for their usual order.
  std::uint64_t key(const Group& group) const {
    if (sort_ == "savings") return needless_bytes(group);
    std::uint64_t bytes = 0;
    std::int64_t modified_ns = 0;  // of the latest file
    for (const GroupFile& file : group.files) {
      bytes += file.file.size_bytes;
      modified_ns = std::max(modified_ns, file.file.modified_ns);
    }
    if (sort_ == "size") return bytes;
    return sort_ == "date" ? static_cast<std::uint64_t>(modified_ns) : 0;
  }

 private:
  static Refused wrong(const char* name, const char* allowed) {
    return {400, ErrorKind::kUsage, "parameter", fmt::format("{}: must be {}", name, allowed)};
  }

  std::set<PairKind> kinds_;  // empty: all
  FolderFilter folder_;
  std::string sort_;
};

// Returns the numbers, from 0, of the selected groups in their order.
std::vector<std::size_t> selected(const std::vector<Group>& groups,
                                  const GroupSelection& selection) {
  std::vector<std::pair<std::uint64_t, std::size_t>> keys;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (selection.accepts(groups[i])) keys.emplace_back(selection.key(groups[i]), i);
  }
  std::ranges::stable_sort(keys, std::ranges::greater(), [](const auto& key) { return key.first; });
  std::vector<std::size_t> numbers;
  numbers.reserve(keys.size());
  for (const auto& [key, number] : keys) numbers.push_back(number);
  return numbers;
}

}  // namespace

HttpResponse list_groups(const HttpRequest& request, SearchState& state, ServeContext& context) {
  check_parameters(request, {"after", "limit", "sort", "kind", "folder"});
  const Slice slice(request, 20, 100);
  const GroupSelection selection(request);
  const auto found = current_groups(state, context);
  if (found->not_compared > 0 &&
      std::ranges::none_of(found->state.images, &ComparedImage::compared)) {
    throw Refused(409, ErrorKind::kInput, "not_compared",
                  "no images have been compared yet; run lookalike duplicates");
  }
  const std::vector<Group>& groups = found->with_files();
  const std::vector<std::size_t> numbers = selected(groups, selection);
  GroupTotals totals;
  for (const std::size_t number : numbers) totals.add(groups[number]);
  Json page = Json::array();
  const std::size_t first = std::min<std::size_t>(slice.after, numbers.size());
  const std::size_t end = first + std::min<std::size_t>(slice.limit, numbers.size() - first);
  for (std::size_t i = first; i < end; ++i) {
    const std::size_t number = numbers[i];
    page.push_back(with_schema(group_answer(number + 1, groups[number])));
  }
  return json_response({{"groups", std::move(page)},
                        {"total", numbers.size()},
                        {"files", totals.files},
                        {"needless", totals.needless},
                        {"needless_bytes", totals.needless_bytes},
                        {"not_compared", found->not_compared},
                        {"next", end < numbers.size() ? Json(end) : Json()}});
}

}  // namespace lookalike
