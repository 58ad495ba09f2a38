#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "config/options.h"
#include "pipeline/duplicates/rejections.h"
#include "pipeline/json.h"
#include "tools/serve/http_server.h"
#include "tools/serve/photo_dates.h"
#include "tools/serve/published.h"
#include "tools/serve/search_state.h"
#include "tools/serve/thumbnail_cache.h"

// The answers of the API, one source per resource; docs/openapi.json describes them. Handlers are
// called from several threads. They throw Refused for an error that the client sees.
namespace lookalike {

// What /metrics counts.
struct ServeCounts {
  std::mutex mutex;                      // guards what follows
  std::map<int, std::uint64_t> answers;  // by status
  std::uint64_t queries = 0;
  double query_seconds = 0;
};

struct FoundGroups;

// Files at any depth in each folder.
using FolderCounts = std::map<std::string, std::size_t>;

// What all requests share.
struct ServeContext {
  // Throws as SharedSearcher.
  ServeContext(const RunConfig& run, bool requests_need_token);

  const RunConfig config;
  const bool needs_token;
  SharedSearcher searcher;
  Published<const Rejections> rejections{};  // see current_rejections()
  Published<const FoundGroups> groups{};
  std::atomic<bool> groups_were_asked = false;
  Published<const FolderCounts> folders{};  // by the state's number
  ThumbnailCache thumbnails;
  PhotoDates dates;
  ServeCounts counts{};
};

// Returns the rejections of all searched databases, read once per change of their files. Throws as
// searched_rejections().
std::shared_ptr<const Rejections> current_rejections(ServeContext& context);
// Returns a text that changes whenever a rejection is written.
std::string rejections_version(const RunConfig& config);

// Returns the entry of a file in a list of images, with its date, which is read if it was not yet.
//   path         a file of the image, or a page's name
//   modified_ns  of the file, as indexed; or the index, to look it up
Json dated_image(const StoredImage& image, const std::string& path, std::int64_t modified_ns,
                 PhotoDates& dates);
Json dated_image(const IndexReader& index, const StoredImage& image, const std::string& path,
                 PhotoDates& dates);

// Returns what clients may do with files, by the configuration: "move", "hardlink".
std::vector<std::string> allowed_actions(const ServeContext& context);

// `state` is the index's state when the request began.
using Handler = HttpResponse(const HttpRequest& request, SearchState& state, ServeContext& context);

// search.cpp
Handler query_photo;
Handler query_image;
Handler explain_photo;
Handler explain_image;
// images.cpp
Handler list_images;
Handler show_image;
Handler show_metadata;
Handler list_neighbours;
Handler image_thumbnail;
Handler photo_thumbnail;
// folders.cpp
Handler list_folders;
Handler show_folder;
Handler suggest_folders;
// groups.cpp
Handler list_groups;
// actions.cpp
Handler act_on_files;
Handler list_actions;
Handler undo_action;
// rejections.cpp
Handler list_rejections;
Handler add_rejection;
Handler take_back_rejection;
// index_state.cpp
Handler show_index;
Handler list_runs;
Handler list_quarantine;
Handler show_health;
Handler show_metrics;

}  // namespace lookalike
