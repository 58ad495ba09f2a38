#include "tools/serve/api.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/parse_number.h"
#include "base/path_set.h"
#include "base/text.h"
#include "config/fields.h"
#include "pipeline/groups/rejections.h"
#include "stages/decode/pixels.h"
#include "tools/command_line/command_line.h"
#include "tools/report/picture.h"
#include "tools/serve/multipart.h"
#include "tools/serve/web_files.h"

namespace lookalike {
namespace {

constexpr const char* kJsonType = "application/json";
constexpr int kThumbnailPx = 320;
constexpr int kLargestThumbnailPx = 1600;
constexpr int kJpegQuality = 80;
constexpr std::size_t kLongestJsonBody = 4096;
constexpr const char* kUploaded = "photo";  // the name of a photo that was sent

// Ends a request with an error that its sender is told.
class Refused : public Error {
 public:
  // reason: one word for programs; allowed: for 405, the methods of the path.
  Refused(int status, ErrorKind kind, std::string reason, const std::string& message,
          std::string allowed = {})
      : Error(kind, message),
        status_(status),
        reason_(std::move(reason)),
        allowed_(std::move(allowed)) {}
  int status() const { return status_; }
  const std::string& reason() const { return reason_; }
  const std::string& allowed() const { return allowed_; }

 private:
  int status_;
  std::string reason_;
  std::string allowed_;
};

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return "usage";
    case ErrorKind::kInput:
      return "input";
    case ErrorKind::kDevice:
      return "device";
    case ErrorKind::kStorage:
      return "storage";
    case ErrorKind::kInternal:
      break;
  }
  return "internal";
}

// Scripts, styles and pictures come from here alone, nothing may frame the page, and no answer is
// taken for another type than its own.
HttpResponse with_policies(HttpResponse response, const char* cache) {
  response.headers.insert(
      response.headers.end(),
      {{"Content-Security-Policy",
        "default-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"},
       {"X-Content-Type-Options", "nosniff"},
       {"Referrer-Policy", "no-referrer"},
       {"Cross-Origin-Resource-Policy", "same-origin"},
       {"Cache-Control", cache}});
  return response;
}

HttpResponse json_response(int status, const Json& json) {
  return with_policies({status, kJsonType, json_text(with_schema(json)) + "\n"}, "no-store");
}

HttpResponse error_response(const Refused& why) {
  HttpResponse response = json_response(
      why.status(),
      {{"error",
        {{"kind", name_of(why.kind())}, {"reason", why.reason()}, {"message", why.what()}}}});
  if (why.status() == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (why.status() == 405) response.headers.emplace_back("Allow", why.allowed());
  if (why.status() == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

std::optional<Refused> refusal_of(Access access) {
  switch (access) {
    case Access::kAllowed:
      break;
    case Access::kUnknownHost:
      return Refused(421, ErrorKind::kUsage, "host",
                     "this server is not known by that name; serve.hosts names others");
    case Access::kForeignOrigin:
      return Refused(403, ErrorKind::kUsage, "origin",
                     "the request comes from another site's page");
    case Access::kNoToken:
      return Refused(401, ErrorKind::kUsage, "token",
                     "the header Authorization lacks the right token");
  }
  return std::nullopt;
}

constexpr const char* kReading = "GET, HEAD";

Refused wrong_method(const std::string& allowed) {
  return Refused(405, ErrorKind::kUsage, "method",
                 fmt::format("this path does not take that method, but {}", allowed), allowed);
}

Refused not_found() {
  return Refused(404, ErrorKind::kInput, "not_indexed", "the index has no such image");
}

// The value of a parameter; nothing when it is missing.
std::optional<std::string> parameter(const HttpRequest& request, const std::string& name) {
  const auto found = request.parameters.find(name);
  return found == request.parameters.end() ? std::nullopt : std::optional(found->second);
}

std::string required(const HttpRequest& request, const std::string& name) {
  const std::optional<std::string> text = parameter(request, name);
  if (text) return *text;
  throw Refused(400, ErrorKind::kUsage, "parameter", fmt::format("{}: is missing", name));
}

// Each parameter at most once, and no other.
void check_parameters(const HttpRequest& request, std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : request.parameters) {
    const bool is_known = std::ranges::find(known, name) != known.end();
    if (is_known && request.parameters.count(name) == 1) continue;
    throw Refused(400, ErrorKind::kUsage, "parameter",
                  fmt::format("{}: {}", printable(name),
                              is_known ? "given more than once" : "there is no such parameter"));
  }
}

std::uint64_t number(const HttpRequest& request, const std::string& name, std::uint64_t otherwise,
                     std::uint64_t lowest, std::uint64_t highest) {
  const std::optional<std::string> text = parameter(request, name);
  if (!text) return otherwise;
  const auto value = parse_number<std::uint64_t>(*text);
  if (value && *value >= lowest && *value <= highest) return *value;
  throw Refused(400, ErrorKind::kUsage, "parameter",
                fmt::format("{}: must be an integer from {} to {}, was \"{}\"", name, lowest,
                            highest, printable(*text)));
}

std::uint64_t image_number(const HttpRequest& request, const std::string& name) {
  required(request, name);
  return number(request, name, 0, 0, std::numeric_limits<ImageId>::max());
}

ImageId id_from(std::string_view text) {
  const auto id = parse_number<ImageId>(text);
  if (!id) throw not_found();
  return *id;
}

StoredImage must_find(const IndexReader& index, std::uint64_t id) {
  if (id > std::numeric_limits<ImageId>::max()) throw not_found();
  std::optional<StoredImage> image = index.image(static_cast<ImageId>(id));
  if (!image) throw not_found();
  return *std::move(image);
}

// The third part of "/v1/images/7/thumbnail".
std::string_view third_part(std::string_view path) {
  return split(path, '/').at(3);
}

bool fits(std::span<const std::string_view> parts, std::string_view pattern) {
  const auto wanted = split(pattern, '/');
  return std::ranges::equal(parts, wanted, [](std::string_view part, std::string_view want) {
    return part == want || (want == "{id}" && !part.empty());
  });
}

// What became of a photo that was sent, or of an image that was to be shown.
std::string reason_to_tell(const SkippedFile& why) {
  constexpr std::array<std::string_view, 4> kLibraries = {"OpenCV", "libheif", "giflib", "libwebp"};
  const bool is_library_text = std::ranges::any_of(
      kLibraries, [&](std::string_view library) { return why.detail.starts_with(library); });
  if (is_library_text) spdlog::info("a photo cannot be used: {}", printable(why.detail));
  return is_library_text ? "it cannot be decoded" : why.detail;
}

Refused unusable(const SkippedFile& why) {
  return Refused(why.reason == "too_large" ? 413 : 422, ErrorKind::kInput, why.reason,
                 fmt::format("the photo cannot be used: {}", reason_to_tell(why)));
}

// An indexed image. Never 413: the request was not too large.
Refused cannot_be_read(const SkippedFile& why) {
  return Refused(422, ErrorKind::kInput, why.reason,
                 fmt::format("the indexed image cannot be read: {}", reason_to_tell(why)));
}

// Refuses an uploaded photo, before it is decoded, whose header declares more pixels than a request
// may have decoded.
void check_pixels(const LoadedFile& photo, const RunConfig& config) {
  const auto checked = check_header(photo, config.images);
  if (const auto* why = std::get_if<SkippedFile>(&checked)) throw unusable(*why);
  const auto& header = std::get<ImageHeader>(checked);
  const std::uint64_t most = std::uint64_t{config.serve.max_megapixels} * 1'000'000;
  if (header.width * header.height <= most) return;
  throw unusable({photo.file, "too_large",
                  fmt::format("{} x {} px is more than serve.max_megapixels = {}", header.width,
                              header.height, config.serve.max_megapixels)});
}

// Runs work() on what the request asks for: the sender is told what is wrong with it.
template <typename Work>
auto asked(const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage && error.kind() != ErrorKind::kInput) throw;
    throw Refused(400, error.kind(), "parameter", error.what());
  }
}

// A page of a list.
struct Slice {
  Slice(const HttpRequest& request, std::uint64_t usual, std::uint64_t most)
      : after(number(request, "after", 0, 0, std::numeric_limits<ImageId>::max())),
        limit(number(request, "limit", usual, 1, most)) {}
  std::uint64_t after;
  std::uint64_t limit;
};

Json listed_image(const StoredImage& image, const std::string& path) {
  return {{"id", image.id},
          {"path", text_of_path(path)},
          {"page", image.page},
          {"width", image.width},
          {"height", image.height},
          {"blank", image.blank},
          {"features", image.feature_count}};
}

int thumbnail_side(const HttpRequest& request) {
  return static_cast<int>(number(request, "side", kThumbnailPx, 16, kLargestThumbnailPx));
}

HttpResponse jpeg_response(const ReducedPhoto& photo, const char* cache) {
  return with_policies({200, "image/jpeg", {photo.jpeg.begin(), photo.jpeg.end()}}, cache);
}

// The answer to a query, with the content by which its rejections can be taken back.
Json looked_up(const std::string& name, const ContentHash& content, const QueryResult& result) {
  Json answer = query_answer(name, result);
  answer["content"] = to_hex(content);
  return answer;
}

// The folders on the way from the root of the index that covers a folder, the outermost, down to
// its parent.
std::vector<std::string> ancestors(const IndexReader& index, const std::string& folder) {
  std::string at = folder;
  for (const IndexRoot& root : index.roots()) {
    if (is_within(folder, root.path) && root.path.size() < at.size()) at = root.path;
  }
  std::vector<std::string> way;
  while (at != folder) {
    way.push_back(at);
    at = folder.substr(0, folder.find('/', at.size() + 1));
  }
  return way;
}

std::optional<Region> region_of(const HttpRequest& request) {
  const std::optional<std::string> text = parameter(request, "region");
  if (!text) return std::nullopt;
  return asked([&] { return parse_region(*text); });
}

// A file of the image with the content that was indexed; another one is none of the index's
// business.
LoadedFile file_of(const StoredImage& image, const ImagesOptions& limits) {
  for (const std::string& path : image.paths) {
    auto file = load_file(path, limits);
    auto* const loaded = std::get_if<LoadedFile>(&file);
    if (loaded == nullptr || loaded->content != image.content) continue;
    return std::move(*loaded);
  }
  throw Refused(404, ErrorKind::kInput, "gone", "the file is gone or has changed");
}

const WebFile* find_file(std::string_view path) {
  const auto files = web_files();
  const auto found = std::ranges::find(files, path == "/" ? "/index.html" : path, &WebFile::path);
  return found == files.end() ? nullptr : &*found;
}

}  // namespace

struct Api::NamedImage {
  NamedImage(const IndexReader& index, std::uint64_t number) {
    const StoredImage image = must_find(index, number);
    content = image.content;
    id = image.id;
  }
  NamedImage(const IndexReader& index, const ContentHash& named)
      : content(named), id(index.find(named)) {}

  ContentHash content{};
  std::optional<ImageId> id{};
};

const Api::Route Api::kRoutes[] = {
    {"POST", "/v1/query", &Api::query},
    {"GET", "/v1/query", &Api::query_image},
    {"POST", "/v1/thumbnail", &Api::photo_thumbnail},
    {"GET", "/v1/images", &Api::images},
    {"GET", "/v1/images/{id}", &Api::image},
    {"GET", "/v1/images/{id}/thumbnail", &Api::thumbnail},
    {"GET", "/v1/groups", &Api::groups, Takes::kLong},
    {"GET", "/v1/folders", &Api::folders},
    {"GET", "/v1/folder", &Api::folder},
    {"GET", "/v1/runs", &Api::runs},
    {"GET", "/v1/quarantine", &Api::quarantine},
    {"POST", "/v1/rejections", &Api::reject},
    {"GET", "/v1/rejections", &Api::rejections},
    {"DELETE", "/v1/rejections", &Api::take_back},
    {"GET", "/v1/health", &Api::health, Takes::kNothing},
    {"GET", "/metrics", &Api::metrics, Takes::kNothing},
};

const Api::Route& Api::find_route(const HttpRequest& request) {
  const auto parts = split(request.path, '/');
  // libmicrohttpd leaves the body of an answer to HEAD out.
  const std::string_view sent = request.method;
  const std::string_view method = sent == "HEAD" ? "GET" : sent;
  std::vector<std::string_view> allowed;
  for (const Route& route : kRoutes) {
    if (!fits(parts, route.path)) continue;
    if (route.method == method) return route;
    allowed.push_back(route.method == "GET" ? kReading : route.method);
  }
  if (!allowed.empty()) throw wrong_method(fmt::format("{}", fmt::join(allowed, ", ")));
  throw Refused(404, ErrorKind::kUsage, "path", "there is no such path; see /v1/openapi.json");
}

Api::Api(const RunConfig& config, AccessRules rules)
    : config_(config),
      rules_(std::move(rules)),
      searcher_(config),
      rejections_(config_),
      groups_(config, rejections_) {}

// Runs work(), and makes an answer of what it throws.
template <typename Work>
HttpResponse Api::guarded(const HttpRequest& request, const Work& work) noexcept {
  const auto failed = [&](ErrorKind kind, const char* what) {
    spdlog::error("{} {}: {}", request.method, printable(request.path), what);
    return error_response(
        Refused(500, kind, "failed", "the request failed; the log of the server says why"));
  };
  try {
    return work();
  } catch (const Refused& refused) {
    return error_response(refused);
  } catch (const Error& error) {
    return failed(error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    return error_response(
        Refused(503, ErrorKind::kDevice, "memory", "there is no memory for this request now"));
  } catch (const std::exception& error) {
    return failed(ErrorKind::kInternal, error.what());
  }
}

HttpResponse Api::counted(HttpResponse response) {
  const std::lock_guard lock(mutex_);
  ++answered_[response.status];
  return response;
}

std::optional<HttpResponse> Api::admit(const HttpRequest& request) noexcept {
  HttpResponse response = guarded(request, [&]() -> HttpResponse {
    const std::string_view host = request.header("host");
    const std::string_view origin =
        request.headers.count("origin") > 1 ? "null" : request.header("origin");
    if (const WebFile* const file = find_file(request.path)) {
      if (const auto why = refusal_of(check_host(rules_, host, origin))) throw Refused(*why);
      if (request.method != "GET" && request.method != "HEAD") throw wrong_method(kReading);
      return with_policies({200, std::string(file->content_type), std::string(file->content)},
                           "no-cache");
    }
    const Access access = check_access(rules_, host, origin, request.header("authorization"));
    if (const auto why = refusal_of(access)) throw Refused(*why);
    const Route& route = find_route(request);
    if (route.takes != Takes::kNothing) return {.status = 0};
    return (this->*route.answer)(request, *searcher_.state());
  });
  if (response.status == 0) return std::nullopt;  // a worker answers it
  return counted(std::move(response));
}

bool Api::takes_long(const HttpRequest& request) noexcept {
  return find_route(request).takes == Takes::kLong;  // throws nothing: the request was admitted
}

HttpResponse Api::answer(const HttpRequest& request) noexcept {
  return counted(guarded(request, [&] {
    // Until it is answered, a request keeps the state that it began with.
    const std::shared_ptr<SearchState> state = searcher_.state();
    return (this->*find_route(request).answer)(request, *state);
  }));
}

HttpResponse Api::refuse(HttpRefusal why) noexcept {
  const auto refused = [&]() -> Refused {
    switch (why) {
      case HttpRefusal::kMalformed:
        return {400, ErrorKind::kUsage, "malformed",
                "the headers say nothing clear about the body"};
      case HttpRefusal::kNulInUrl:
        return {400, ErrorKind::kUsage, "malformed", "the URL has a NUL (%00)"};
      case HttpRefusal::kTooLarge:
        return {413, ErrorKind::kInput, "too_large",
                fmt::format("the photo is larger than serve.max_body_mib = {}",
                            config_.serve.max_body_mib)};
      case HttpRefusal::kStopping:
        return {503, ErrorKind::kUsage, "stopping", "the server is being stopped"};
      case HttpRefusal::kBusy:
        break;
    }
    return {503, ErrorKind::kUsage, "overloaded", "too many requests are waiting; try again later"};
  };
  return counted(error_response(refused()));
}

// The options of a query: those of the configuration but for what the request asks for.
MatchOptions Api::asked_of(const HttpRequest& request) const {
  return asked([&] {
    RunConfig config = config_;
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

struct Api::Timed {
  using Clock = std::chrono::steady_clock;
  explicit Timed(Api& to) : api(to) {}
  ~Timed() {
    const std::chrono::duration<double> taken = Clock::now() - start;
    const std::lock_guard lock(api.mutex_);
    ++api.queries_;
    api.query_seconds_ += taken.count();
  }
  Api& api;
  const Clock::time_point start = Clock::now();
};

// The photo in the body, which may be a form; within the limits of a request.
LoadedFile Api::sent_photo(const HttpRequest& request) const {
  std::string_view bytes = request.body;
  const std::string_view type = request.header("content-type");
  if (is_multipart(type)) {
    const auto file = multipart_file(type, request.body);
    if (!file) {
      throw Refused(400, ErrorKind::kInput, "multipart", "the body has no part with a file");
    }
    bytes = *file;
  }
  if (bytes.empty()) throw Refused(400, ErrorKind::kInput, "empty", "the body holds no photo");
  LoadedFile photo = loaded_bytes(kUploaded, {bytes.begin(), bytes.end()});
  check_pixels(photo, config_);
  return photo;
}

HttpResponse Api::query(const HttpRequest& request, SearchState& state) {
  check_parameters(request, {"top", "mirror", "all", "min_probability", "region"});
  const MatchOptions options = asked_of(request);
  const std::optional<Region> region = region_of(request);
  const Timed timed(*this);
  Searcher& searcher = state.searcher();
  const LoadedFile photo = sent_photo(request);
  auto loaded = asked([&] { return searcher.load(photo, region); });
  if (const auto* why = std::get_if<SkippedFile>(&loaded)) throw unusable(*why);
  const auto rejections = rejections_.read();
  QueryResult result = searcher.search(std::get<Query>(loaded), options);
  if (region) move_matches(result.matches, translation(region->x, region->y));
  mark_rejected(result.matches, photo.content, *rejections);
  return json_response(200, looked_up(kUploaded, photo.content, result));
}

HttpResponse Api::query_image(const HttpRequest& request, SearchState& state) {
  check_parameters(request, {"id", "top", "all", "min_probability", "region"});
  MatchOptions options = asked_of(request);
  options.mirror = false;  // as for whole images, whose descriptors are not kept
  const std::optional<Region> region = region_of(request);
  const StoredImage image = must_find(state.index(), image_number(request, "id"));
  const Timed timed(*this);
  const auto rejections = rejections_.read();
  QueryResult result;
  if (region) {
    const LoadedFile file = file_of(image, config_.images);
    auto loaded = asked([&] { return state.searcher().load(file, region); });
    if (const auto* why = std::get_if<SkippedFile>(&loaded)) throw cannot_be_read(*why);
    Query& part = std::get<Query>(loaded);
    part.excluded_image = image.id;
    result = state.searcher().search(part, options);
    move_matches(result.matches, translation(region->x, region->y));
  } else {
    result = state.searcher().search(image.id, options);
  }
  mark_rejected(result.matches, image.content, *rejections);
  return json_response(200, looked_up(fmt::format("{}", image.id), image.content, result));
}

HttpResponse Api::images(const HttpRequest& request, SearchState& state) {
  check_parameters(request, {"after", "limit"});
  const Slice slice(request, 100, 1000);
  const auto after = static_cast<ImageId>(slice.after);
  std::vector<StoredImage> found = state.index().images_after(after, slice.limit + 1);
  const bool is_last = found.size() <= slice.limit;
  if (!is_last) found.pop_back();
  Json images = Json::array();
  for (const StoredImage& image : found) {
    images.push_back(listed_image(image, image.paths.front()));
  }
  return json_response(200, {{"images", std::move(images)},
                             {"total", state.counts().images},
                             {"next", is_last ? Json() : Json(found.back().id)}});
}

HttpResponse Api::image(const HttpRequest& request, SearchState& state) {
  check_parameters(request, {});
  const IndexReader& index = state.index();
  const StoredImage image = must_find(index, id_from(third_part(request.path)));
  return json_response(200, image_answer(index, image));
}

HttpResponse Api::thumbnail(const HttpRequest& request, SearchState& state) {
  check_parameters(request, {"side"});
  const StoredImage image = must_find(state.index(), id_from(third_part(request.path)));
  const auto photo = reduced_photo(file_of(image, config_.images), thumbnail_side(request),
                                   config_.images, kJpegQuality);
  if (const auto* why = std::get_if<SkippedFile>(&photo)) throw cannot_be_read(*why);
  return jpeg_response(std::get<ReducedPhoto>(photo), "private, max-age=300");
}

// For a page, which can show JPEG, of a photo in any format.
HttpResponse Api::photo_thumbnail(const HttpRequest& request, SearchState& /*state*/) {
  check_parameters(request, {"side"});
  const int side = thumbnail_side(request);
  const auto photo = reduced_photo(sent_photo(request), side, config_.images, kJpegQuality);
  if (const auto* why = std::get_if<SkippedFile>(&photo)) throw unusable(*why);
  const auto& reduced = std::get<ReducedPhoto>(photo);
  HttpResponse response = jpeg_response(reduced, "no-store");
  response.headers.emplace_back("Photo-Width", fmt::format("{}", reduced.width));
  response.headers.emplace_back("Photo-Height", fmt::format("{}", reduced.height));
  return response;
}

HttpResponse Api::groups(const HttpRequest& request, SearchState& state) {
  check_parameters(request, {"after", "limit"});
  const Slice slice(request, 20, 100);
  const std::optional<Json> page = groups_.page(state, slice.after, slice.limit);
  if (!page) {
    throw Refused(409, ErrorKind::kInput, "not_compared",
                  "no images were compared yet: run lookalike duplicates");
  }
  return json_response(200, *page);
}

HttpResponse Api::folders(const HttpRequest& request, SearchState& state) {
  check_parameters(request, {});
  return json_response(200, folders_answer(state.index()));
}

// Folders come first, then files. A page that ends with a folder names it with a slash as the next
// one's `after`.
HttpResponse Api::folder(const HttpRequest& request, SearchState& state) {
  check_parameters(request, {"path", "after", "limit"});
  const IndexReader& index = state.index();
  std::string folder = asked([&] { return path_of_text(required(request, "path")); });
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  const std::string after =
      asked([&] { return path_of_text(parameter(request, "after").value_or("")); });
  const std::uint64_t limit = number(request, "limit", 100, 1, 1000);
  const std::size_t below = folder.starts_with('/') ? index.files_below(folder) : 0;
  if (below == 0) {
    throw Refused(404, ErrorKind::kInput, "not_indexed", "the index has no file in that folder");
  }
  std::vector<std::string> folders;
  std::vector<std::string> files;
  const bool begins_with_folders = after.empty() || after.ends_with('/');
  const auto is_full = [&] { return folders.size() + files.size() > limit; };
  if (begins_with_folders) {
    index.for_each_entry(folder, after, [&](const std::string& path, bool is_folder) {
      if (is_folder) folders.push_back(path);
      return !is_full();
    });
  }
  if (!is_full()) {
    const std::string from = begins_with_folders ? "" : after;
    index.for_each_entry(folder, from, [&](const std::string& path, bool is_folder) {
      if (!is_folder) files.push_back(path);
      return !is_full();
    });
  }
  Json next;
  if (is_full()) {
    (files.empty() ? folders : files).pop_back();
    next = text_of_path(files.empty() ? folders.back() + '/' : files.back());
  }
  Json above = Json::array();
  for (const std::string& one : ancestors(index, folder)) above.push_back(text_of_path(one));
  Json listed = Json::array();
  for (const std::string& one : folders) {
    listed.push_back({{"path", text_of_path(one)}, {"files", index.files_below(one)}});
  }
  Json images = Json::array();
  for (const std::string& file : files) {
    images.push_back(listed_image(must_find(index, index.find(file).value()), file));
  }
  return json_response(200, {{"path", text_of_path(folder)},
                             {"ancestors", std::move(above)},
                             {"files", below},
                             {"folders", std::move(listed)},
                             {"images", std::move(images)},
                             {"next", std::move(next)}});
}

HttpResponse Api::runs(const HttpRequest& request, SearchState& state) {
  check_parameters(request, {"limit"});
  const std::uint64_t limit = number(request, "limit", 20, 1, 1000);
  Json runs = Json::array();
  for (const RunRecord& record : state.index().runs(limit)) {
    runs.push_back(with_schema(run_answer(record)));
  }
  return json_response(200, {{"runs", std::move(runs)}});
}

HttpResponse Api::quarantine(const HttpRequest& request, SearchState& state) {
  check_parameters(request, {"after", "limit"});
  const Slice slice(request, 100, 1000);
  Json page = quarantine_answer(state.index().quarantine(slice.after, slice.limit));
  const std::uint64_t end = slice.after + page["quarantine"].size();
  const std::uint64_t total = state.counts().quarantined;
  page["total"] = total;
  page["next"] = end < total ? Json(end) : Json();
  return json_response(200, page);
}

HttpResponse Api::reject(const HttpRequest& request, SearchState& state) {
  check_parameters(request, {});
  const bool is_short = request.body.size() <= kLongestJsonBody;
  const Json pair = is_short ? Json::parse(request.body, nullptr, false) : Json();
  const auto image = [&](const char* name) {
    const Json value = pair.is_object() ? pair.value(name, Json()) : Json();
    if (value.is_number_unsigned()) return NamedImage(state.index(), value.get<std::uint64_t>());
    const auto content = content_from(value.is_string() ? value.get<std::string>() : "");
    if (content) return NamedImage(state.index(), *content);
    throw Refused(400, ErrorKind::kUsage, "body",
                  "the body must be JSON: {\"a\": ID, \"b\": ID}, each a number or a content");
  };
  return change_rejection(image("a"), image("b"), true);
}

HttpResponse Api::rejections(const HttpRequest& request, SearchState& state) {
  check_parameters(request, {"after", "limit"});
  const Slice slice(request, 100, 1000);
  const auto known = rejections_.read();
  std::vector<Rejection> pairs = known->all();
  std::ranges::stable_sort(pairs, std::greater(), &Rejection::since_ns);
  const std::size_t begin = std::min<std::size_t>(slice.after, pairs.size());
  const std::size_t end = begin + std::min<std::size_t>(slice.limit, pairs.size() - begin);
  Json page = Json::array();
  for (std::size_t i = begin; i < end; ++i) {
    page.push_back(with_schema(rejection_answer(state.index(), pairs[i])));
  }
  return json_response(200, {{"rejections", std::move(page)},
                             {"total", pairs.size()},
                             {"next", end < pairs.size() ? Json(end) : Json()}});
}

HttpResponse Api::take_back(const HttpRequest& request, SearchState& state) {
  check_parameters(request, {"a", "b"});
  const auto image = [&](const char* name) {
    const auto content = content_from(required(request, name));
    return content ? NamedImage(state.index(), *content)
                   : NamedImage(state.index(), image_number(request, name));
  };
  return change_rejection(image("a"), image("b"), false);
}

HttpResponse Api::change_rejection(const NamedImage& first, const NamedImage& second,
                                   bool is_rejected) {
  const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  const Rejection pair =
      asked([&] { return rejection_of(first.content, second.content, now.count()); });
  bool changed = false;
  try {
    changed = set_rejected(config_, pair, is_rejected);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kStorage) throw;
    throw Refused(507, error.kind(), "not_written",
                  fmt::format("the rejection cannot be saved: {}", printable(error.what())));
  }
  const auto id = [](const NamedImage& image) { return image.id ? Json(*image.id) : Json(); };
  return json_response(
      200, {{"a", id(first)}, {"b", id(second)}, {"rejected", is_rejected}, {"changed", changed}});
}

HttpResponse Api::health(const HttpRequest& request, SearchState& state) {
  check_parameters(request, {});
  return json_response(
      200, {{"status", "ok"}, {"images", state.counts().images}, {"state", state.number()}});
}

HttpResponse Api::metrics(const HttpRequest& request, SearchState& state) {
  check_parameters(request, {});
  std::string text;
  const auto add = [&](const char* name, const char* type, const char* help, const auto& values) {
    text += fmt::format("# HELP lookalike_serve_{0} {1}\n# TYPE lookalike_serve_{0} {2}\n", name,
                        help, type);
    for (const auto& [labels, value] : values) {
      text += fmt::format("lookalike_serve_{}{} {}\n", name, labels, value);
    }
  };
  using Values = std::vector<std::pair<std::string, double>>;
  {
    const std::lock_guard lock(mutex_);
    Values answered;
    for (const auto& [status, count] : answered_) {
      answered.emplace_back(fmt::format("{{status=\"{}\"}}", status), count);
    }
    add("requests_total", "counter", "Answered requests.", answered);
    add("queries_total", "counter", "Photos and images looked up.", Values{{"", queries_}});
    add("query_seconds_total", "counter", "Time they took.", Values{{"", query_seconds_}});
  }
  add("images", "gauge", "Indexed images.", Values{{"", state.counts().images}});
  add("states_total", "counter", "Published states of the index that were taken up.",
      Values{{"", state.number()}});
  return with_policies({200, "text/plain; version=0.0.4", std::move(text)}, "no-store");
}

}  // namespace lookalike
