#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/work_limits.h"
#include "config/fields.h"
#include "pipeline/answers.h"
#include "stages/decode/large_image_lock.h"
#include "tools/serve/handlers.h"
#include "tools/serve/photos.h"
#include "tools/serve/request.h"

namespace lookalike {
namespace {

constexpr const char* kLines = "application/jsonl";

// Counts a query, from its construction to its end.
class TimedQuery {
 public:
  explicit TimedQuery(ServeCounts& counts) : counts_(counts) {}
  ~TimedQuery() {
    const std::chrono::duration<double> taken = Clock::now() - start_;
    const std::lock_guard lock(counts_.mutex);
    ++counts_.queries;
    counts_.query_seconds += taken.count();
  }
  TimedQuery(const TimedQuery&) = delete;
  TimedQuery& operator=(const TimedQuery&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  ServeCounts& counts_;
  const Clock::time_point start_ = Clock::now();
};

// Returns the configured options with those that the request sets.
MatchOptions options_of(const HttpRequest& request, const RunConfig& base) {
  return checked([&] {
    RunConfig config = base;
    for (const char* const name : {"top", "mirror", "min_probability"}) {
      const std::optional<std::string> text = parameter(request, name);
      if (text) set_field(config, config_field(fmt::format("match.{}", name)), *text, name);
    }
    const std::string all = parameter(request, "all").value_or("false");
    if (all != "true" && all != "false") {
      throw Error(ErrorKind::kUsage, "all: must be true or false");
    }
    if (all == "true") config.match.min_decision = "all";
    return config.match;
  });
}

std::optional<Region> region_of(const HttpRequest& request) {
  const std::optional<std::string> text = parameter(request, "region");
  if (!text) return std::nullopt;
  return checked([&] { return parse_region(*text); });
}

// Makes the answer to a query for a photo, with its content, by which rejections can be taken back.
HttpResponse answer(const std::string& name, const ContentHash& content, Asked asked,
                    QueryResult result, const std::optional<Region>& region,
                    const Rejections& rejections) {
  if (region) move_matches(result.matches, translation(region->x, region->y));
  mark_rejected(result.matches, content, rejections);
  Json json = query_answer(name, result, asked);
  json["content"] = to_hex(content);
  return json_response(json);
}

// Extracts the features of a photo that a request sends.
Query sent_query(const LoadedFile& photo, const std::optional<Region>& region, SearchState& state) {
  auto loaded = checked([&] { return state.searcher().load(photo, region); });
  if (const auto* why = std::get_if<SkippedFile>(&loaded)) throw unusable(*why);
  return std::get<Query>(std::move(loaded));
}

// Reads an indexed image, or a region of it, as a photo that does not find itself.
Query indexed_query(const StoredImage& image, const std::optional<Region>& region,
                    SearchState& state, const ServeContext& context) {
  const LoadedFile file = file_of(image, context.config.images);
  auto loaded = checked([&] { return state.searcher().load(file, region); });
  if (const auto* why = std::get_if<SkippedFile>(&loaded)) throw cannot_be_read(*why);
  Query query = std::get<Query>(std::move(loaded));
  query.excluded_image = image.id;
  return query;
}

HttpResponse answer_photo(const SentPhoto& sent, const MatchOptions& options,
                          const std::optional<Region>& region, SearchState& state,
                          ServeContext& context) {
  const TimedQuery timed(context.counts);
  const LoadedFile photo = loaded_photo(sent, context.config);
  const Query query = sent_query(photo, region, state);
  const auto rejections = current_rejections(context);
  return answer(sent.name, photo.content, Asked::kPhoto, state.searcher().search(query, options),
                region, *rejections);
}

// Looks several photos of a request up, one for each call: a line of JSON each, in order. An error
// is a line too, with the name of its photo.
class Batch {
 public:
  Batch(const HttpRequest& request, std::vector<SentPhoto> photos, MatchOptions options,
        const std::optional<Region>& region, ServeContext& context)
      : request_(&request),
        photos_(std::move(photos)),
        options_(std::move(options)),
        region_(region),
        context_(&context) {}

  std::optional<std::string> operator()(const WorkLimits& limits) {
    if (next_ == photos_.size()) return std::string();
    const SentPhoto& photo = photos_[next_];
    bool is_large = false;
    const HttpResponse line = guarded(
        *request_,
        [&]() -> HttpResponse {
          const LimitedWork limited(&limits);
          check_time();
          try {
            return answer_photo(photo, options_, region_, *context_->searcher.state(), *context_);
          } catch (const LargeImage&) {
            is_large = true;
            return {};
          }
        },
        Json::object({{"query", photo.name}}));
    if (is_large) return std::nullopt;
    ++next_;
    return line.body;
  }

 private:
  const HttpRequest* request_;  // lives as long as its answer
  std::vector<SentPhoto> photos_;
  MatchOptions options_;
  std::optional<Region> region_;
  ServeContext* context_;
  std::size_t next_ = 0;
};

}  // namespace

HttpResponse query_photo(const HttpRequest& request, SearchState& state, ServeContext& context) {
  check_parameters(request, {"top", "mirror", "all", "min_probability", "region"});
  const MatchOptions options = options_of(request, context.config);
  const std::optional<Region> region = region_of(request);
  const std::vector<SentPhoto> photos = sent_photos(request);
  const bool wants_lines = photos.size() > 1 || request.header("accept") == kLines;
  if (!wants_lines) return answer_photo(photos.front(), options, region, state, context);
  return with_policies({.status = 200,
                        .content_type = kLines,
                        .stream = Batch(request, photos, options, region, context)},
                       "no-store");
}

HttpResponse query_image(const HttpRequest& request, SearchState& state, ServeContext& context) {
  check_parameters(request, {"id", "top", "all", "min_probability", "region"});
  MatchOptions options = options_of(request, context.config);
  options.mirror = false;  // not possible for whole images, whose descriptors are not stored
  const std::optional<Region> region = region_of(request);
  const StoredImage image = must_find(state.index(), image_number(request, "id"));
  const TimedQuery timed(context.counts);
  const auto rejections = current_rejections(context);
  QueryResult result;
  if (region) {
    result = state.searcher().search(indexed_query(image, region, state, context), options);
  } else {
    result = state.searcher().search(image.id, options);
  }
  return answer(fmt::format("{}", image.id), image.content, Asked::kIndexedImage, std::move(result),
                region, *rejections);
}

HttpResponse explain_photo(const HttpRequest& request, SearchState& state, ServeContext& context) {
  check_parameters(request, {"id"});
  const StoredImage image = must_find(state.index(), image_number(request, "id"));
  const TimedQuery timed(context.counts);
  const SentPhoto photo = sent_photo(request);
  const Query query = sent_query(loaded_photo(photo, context.config), {}, state);
  return json_response(explain_answer(photo.name, state.searcher().explain(query, image.id)));
}

HttpResponse explain_image(const HttpRequest& request, SearchState& state, ServeContext& context) {
  check_parameters(request, {"query", "id", "region"});
  const std::optional<Region> region = region_of(request);
  const StoredImage asked = must_find(state.index(), image_number(request, "query"));
  const StoredImage image = must_find(state.index(), image_number(request, "id"));
  if (asked.id == image.id) {
    throw Refused(400, ErrorKind::kUsage, "parameter", "id: must be another image than query");
  }
  const TimedQuery timed(context.counts);
  const Query query = indexed_query(asked, region, state, context);
  return json_response(
      explain_answer(fmt::format("{}", asked.id), state.searcher().explain(query, image.id)));
}

}  // namespace lookalike
