#include "tools/library/lookalike.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <opencv2/imgproc.hpp>

#include "base/content_hash.h"
#include "base/path_set.h"
#include "base/text.h"
#include "pipeline/answers.h"
#include "pipeline/duplicates/collection.h"
#include "pipeline/duplicates/rejections.h"
#include "pipeline/index/index_run.h"
#include "pipeline/named.h"
#include "pipeline/searcher.h"
#include "stages/decode/reduced.h"
#include "storage/index_check.h"
#include "storage/index_writer.h"
#include "storage/output_file.h"
#include "tools/evaluate/truth_answers.h"
#include "tools/library/entry.h"

namespace lookalike {
namespace {

// reads_origin: as FindOptions::origin
Found found_of(const Match& match, bool reads_origin) {
  PhotoOrigin origin;
  if (reads_origin) origin = read_origin(path_of(match)).value_or(PhotoOrigin{});
  Found found = {.id = match.image.id,
                 .path = path_of(match),
                 .paths = match.image.paths,
                 .decision = std::string(to_string(match.decision)),
                 .probability = match.probability,
                 .correlation = match.evidence.correlation,
                 .inliers = match.evidence.inliers,
                 .place = match.place,
                 .mirrored = match.pose.mirrored,
                 .rejected = match.rejected,
                 .taken = std::move(origin.taken),
                 .camera = std::move(origin.camera),
                 .evidence = json_text(evidence_answer(match.evidence))};
  if (match.has_pose()) found.outline = corners_of(match.pose.quad);
  return found;
}

Indexed indexed_of(const StoredImage& image) {
  return {.id = image.id,
          .paths = image.paths,
          .content = to_hex(image.content),
          .width = image.width,
          .height = image.height,
          .features = image.feature_count,
          .blank = image.blank};
}

// Checks a rectangle as the program checks the text of --region.
std::optional<Region> region_of(const std::optional<Rectangle>& rectangle) {
  if (!rectangle) return std::nullopt;
  const auto& [x, y, width, height] = *rectangle;
  return parse_region(fmt::format("{},{},{},{}", x, y, width, height));
}

// Returns what a run did.
Update update_of(const IndexRunReport& report) {
  Update update = {.indexed = report.indexed,
                   .unchanged = report.unchanged,
                   .removed = report.removed,
                   .moved = report.moved,
                   .withheld = report.withheld,
                   .unused = {},
                   .unreachable = {},
                   .stopped = report.stopped};
  for (const SkippedFile& skipped : report.skipped) {
    update.unused.push_back({skipped.file.path, skipped.reason, skipped.detail});
  }
  for (const RootReport& root : report.roots) {
    if (root.state == kUnreachable) update.unreachable.push_back(root.path);
  }
  return update;
}

// Returns a photo as the image of a name: its first page, or the one that it names.
std::variant<LoadedFile, SkippedFile> named(std::variant<LoadedFile, SkippedFile> photo,
                                            const std::string& name) {
  if (auto* const skipped = std::get_if<SkippedFile>(&photo)) {
    skipped->file = {.path = name};
  } else {
    auto& loaded = std::get<LoadedFile>(photo);
    loaded.file = {.path = name, .size_bytes = loaded.file.size_bytes};
    loaded.pages.clear();
  }
  return photo;
}

// Throws Error(kInput) for an index that add() would train on a single image.
void require_codebook(const RunConfig& config) {
  if (!config.codebook.reuse.empty()) return;
  const std::filesystem::path database = config.store.database;
  std::error_code unread;
  if (!std::filesystem::exists(database, unread) || is_empty_index(database) ||
      IndexReader(database).settings().empty()) {
    throw Error(ErrorKind::kInput,
                fmt::format("{}: has no images: make it with update_index() or add_many(), whose "
                            "images train its visual words",
                            printable(database.native())));
  }
}

MatchOptions asked_of(const FindOptions& options, MatchOptions match) {
  if (options.top == 0U) throw Error(ErrorKind::kUsage, "top: must be at least 1, was 0");
  match.top = options.top.value_or(match.top);
  match.mirror = options.mirror.value_or(match.mirror);
  return match;
}

}  // namespace

struct Finder::Impl {
  Impl(const std::string& database, const std::vector<std::string>& settings)
      : config(configured(database, settings)),
        index(searched_databases(config)),
        searcher(index, config),
        rejections(searched_rejections(config)) {}

  std::vector<Found> find(const Photo& photo, const FindOptions& options) {
    const MatchOptions asked = asked_of(options, config.match);
    const std::optional<Region> region = region_of(options.region);
    const Query query = must_use(searcher.load(must_use(load_photo(photo, config.images)), region));
    QueryResult result = searcher.search(query, asked);
    if (region) move_matches(result.matches, translation(region->x, region->y));
    mark_rejected(result.matches, query.image.record.content, rejections);
    std::vector<Found> found;
    for (const Match& match : result.matches) found.push_back(found_of(match, options.origin));
    return found;
  }

  StoredImage image(std::uint32_t id) const {
    std::optional<StoredImage> image = index.image(id);
    if (!image) throw Error(ErrorKind::kInput, fmt::format("image {}: is not in the index", id));
    return *image;
  }

  Thumbnail thumbnail(std::uint32_t id, int side) const {
    if (side < 1) throw Error(ErrorKind::kUsage, fmt::format("side: must be from 1, was {}", side));
    const StoredImage stored = image(id);
    const std::optional<LoadedFile> file = load_indexed(stored, config.images);
    if (!file) {
      throw Error(ErrorKind::kInput, fmt::format("image {}: no file has its content: {}", id,
                                                 printable(stored.paths.front())));
    }
    const ReducedPixels reduced = must_use(decode_reduced(*file, side, config.images));
    Thumbnail thumbnail{reduced.pixels.cols, reduced.pixels.rows, {}};
    thumbnail.pixels.resize(reduced.pixels.total() * 3);
    cv::Mat rgb(reduced.pixels.size(), CV_8UC3, thumbnail.pixels.data());
    cv::cvtColor(reduced.pixels, rgb, cv::COLOR_BGR2RGB);
    return thumbnail;
  }

  std::string explain(const Photo& photo, std::uint32_t id) {
    image(id);
    const Query query = must_use(searcher.load(must_use(load_photo(photo, config.images))));
    return json_text(explain_answer(photo.path(), searcher.explain(query, id)));
  }

  const RunConfig config;
  const IndexReader index;
  Searcher searcher;
  const Rejections rejections;
};

Finder::Finder(const std::string& database, const std::vector<std::string>& settings)
    : impl_(with_failures([&] { return std::make_unique<Impl>(database, settings); })) {}
Finder::~Finder() = default;
Finder::Finder(Finder&&) noexcept = default;
Finder& Finder::operator=(Finder&&) noexcept = default;

std::vector<Found> Finder::find(const Photo& photo, const FindOptions& options) const {
  return with_failures([&] { return impl_->find(photo, options); });
}

std::vector<Indexed> Finder::images(std::uint32_t after, std::size_t count) const {
  return with_failures([&] {
    std::vector<Indexed> images;
    std::ranges::transform(impl_->index.images_after(after, count), std::back_inserter(images),
                           indexed_of);
    return images;
  });
}

std::optional<Indexed> Finder::get(std::uint32_t id) const {
  return with_failures([&] {
    const std::optional<StoredImage> image = impl_->index.image(id);
    return image ? std::optional(indexed_of(*image)) : std::nullopt;
  });
}

std::optional<Indexed> Finder::get(const std::string& path) const {
  return with_failures([&]() -> std::optional<Indexed> {
    const std::optional<ImageId> id = find_name(impl_->index, path);
    return id ? std::optional(indexed_of(impl_->index.existing_image(*id))) : std::nullopt;
  });
}

Thumbnail Finder::thumbnail(std::uint32_t id, int side) const {
  return with_failures([&] { return impl_->thumbnail(id, side); });
}

std::string Finder::explain(const Photo& photo, std::uint32_t id) const {
  return with_failures([&] { return impl_->explain(photo, id); });
}

Update update_index(const std::string& database, const std::vector<std::string>& folders,
                    const std::vector<std::string>& settings, const std::function<bool()>& stop,
                    const ProgressReceiver& progress) {
  Callbacks callbacks(stop, progress);
  Update done = with_failures([&] {
    RunConfig config = configured(database, settings);
    for (const std::string& folder : folders) config.images.folders.push_back(normal_path(folder));
    OutputGuard guard;
    for (const std::string& folder : config.images.folders) {
      guard.protect_folder(folder, config.images.extensions);
    }
    guard.claim_index("database", config.store.database);
    const ProgressListener listener = callbacks.listener();
    return update_of(
        run_index(config, Progress::Style::kQuiet, [&] { return callbacks.wants_to_stop(); }));
  });
  callbacks.rethrow();
  return done;
}

Update add_many(const std::string& database, const std::vector<std::string>& names,
                const PhotoLoader& load, const std::vector<std::string>& settings,
                const std::function<bool()>& stop, const ProgressReceiver& progress) {
  Callbacks callbacks(stop, progress);
  Update done = with_failures([&] {
    const RunConfig config = configured(database, settings);
    const ProgressListener listener = callbacks.listener();
    const ImageLoader by_name =
        [&](const std::string& name) -> std::variant<LoadedFile, SkippedFile> {
      const std::optional<Photo> photo = callbacks.guarded([&] { return load(name); });
      if (!photo) return SkippedFile{{.path = name}, "unreadable", "the run was stopped"};
      return named(load_photo(*photo, config.images), name);
    };
    return update_of(add_images(config, names, by_name, Progress::Style::kQuiet,
                                [&] { return callbacks.wants_to_stop(); }));
  });
  callbacks.rethrow();
  return done;
}

void add(const std::string& database, const std::string& name, const Photo& photo,
         const std::vector<std::string>& settings) {
  with_failures([&] { require_codebook(configured(database, settings)); });
  const Update done = add_many(
      database, {name}, [&](const std::string&) { return photo; }, settings);
  if (done.unused.empty()) return;
  const Unused& why = done.unused.front();
  with_failures([&] { refuse({{.path = why.path}, why.reason, why.detail}); });
}

std::size_t remove(const std::string& database, const std::vector<std::string>& paths) {
  return with_failures([&] {
    const std::string file = normal_path(database);
    std::error_code unread;
    if (!std::filesystem::is_regular_file(file, unread)) {
      throw Error(ErrorKind::kInput, fmt::format("{}: no such index", printable(file)));
    }
    IndexWriter writer{std::filesystem::path(file)};
    std::vector<NamedRemoval> removals;
    for (const std::string& path : paths) {
      removals.push_back(removal_of(stored_name(writer, path), writer));
      if (removals.back().empty()) {
        throw Error(ErrorKind::kInput, fmt::format("{}: is not in the index", printable(path)));
      }
    }
    std::set<std::string> files;  // named once or more
    std::set<std::string> roots;
    for (const NamedRemoval& removal : removals) {
      files.insert(removal.files.begin(), removal.files.end());
      roots.insert(removal.roots.begin(), removal.roots.end());
    }
    const auto removed = std::ranges::count_if(
        files, [&](const std::string& one) { return writer.find(one).has_value(); });
    writer.remove_paths(std::vector(files.begin(), files.end()));
    writer.forget_roots(std::vector(roots.begin(), roots.end()));
    return static_cast<std::size_t>(removed);
  });
}

std::optional<std::vector<std::string>> duplicates(const std::string& database,
                                                   const std::vector<std::string>& kinds,
                                                   const std::vector<std::string>& prefer,
                                                   const std::vector<std::string>& settings,
                                                   const std::function<bool()>& stop,
                                                   const ProgressReceiver& progress) {
  Callbacks callbacks(stop, progress);
  auto answers = with_failures([&]() -> std::optional<std::vector<std::string>> {
    RunConfig config = configured(database, settings);
    for (const std::string& folder : prefer) {
      config.duplicates.prefer.push_back(normal_path(folder));
    }
    std::set<PairKind> wanted;
    for (const std::string& name : kinds) {
      const std::optional<PairKind> kind = pair_kind(name);
      if (!kind) {
        throw Error(ErrorKind::kUsage,
                    fmt::format("kinds: must be among {}, was \"{}\"",
                                fmt::join(pair_kind_names(), ", "), printable(name)));
      }
      wanted.insert(*kind);
    }
    const IndexReader index(searched_databases(config));
    Collection collection(
        index, config,
        {.kinds = wanted.empty() ? usual_kinds() : wanted, .min_probability = kUsualProbability});
    const std::size_t pending = collection.pending();
    const bool is_done = collection.compare([&](std::size_t finished) {
      callbacks.tell("compare", finished, pending);
      return !callbacks.wants_to_stop();
    });
    if (!is_done) return std::nullopt;
    const Groups groups = collection.groups();
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (callbacks.wants_to_stop()) return std::nullopt;
      texts.push_back(json_text(group_answer(i + 1, groups.group(i))));
    }
    return texts;
  });
  callbacks.rethrow();
  return answers;
}

std::optional<std::string> evaluate(const std::string& database, const std::string& truth,
                                    const std::vector<std::string>& settings,
                                    const std::function<bool()>& stop,
                                    const ProgressReceiver& progress) {
  struct Stopped {};
  Callbacks callbacks(stop, progress);
  auto measures = with_failures([&]() -> std::optional<std::string> {
    const RunConfig config = configured(database, settings);
    const IndexReader index(searched_databases(config));
    const std::vector<TruthQuery> queries = load_truth(truth);
    const ProgressListener listener = callbacks.listener();
    try {
      const TruthAnswers answers = answer_truth(queries, index, config, {.before_each = [&] {
                                                  if (callbacks.wants_to_stop()) throw Stopped();
                                                }});
      return json_text(measures_json(queries, answers, {}));
    } catch (const Stopped&) {
      return std::nullopt;
    }
  });
  callbacks.rethrow();
  return measures;
}

bool reject(const std::string& database, const std::string& one, const std::string& other,
            bool undo) {
  return with_failures([&] {
    const RunConfig config = configured(database, {});
    const IndexReader index(searched_databases(config));
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto now_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    return set_rejected(
        config, rejection_of(content_named(index, one), content_named(index, other), now_ns),
        !undo);
  });
}

}  // namespace lookalike
