#include "pipeline/duplicates/rejections.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/text.h"
#include "pipeline/answers.h"
#include "pipeline/searcher.h"
#include "tools/serve/handlers.h"
#include "tools/serve/request.h"

namespace lookalike {
namespace {

// An image that a request names by its number, or by its content. The index need not have a
// content whose rejection is taken back.
struct NamedImage {
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

HttpResponse set_rejection(const NamedImage& first, const NamedImage& second, bool is_rejected,
                           const RunConfig& config) {
  const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  const Rejection pair =
      checked([&] { return rejection_of(first.content, second.content, now.count()); });
  bool changed = false;
  try {
    changed = set_rejected(config, pair, is_rejected);
  } catch (const Busy&) {
    throw;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kStorage) throw;
    throw Refused(507, error.kind(), "not_written",
                  fmt::format("the rejection cannot be saved: {}", printable(error.what())));
  }
  const auto id = [](const NamedImage& image) { return image.id ? Json(*image.id) : Json(); };
  return json_response(
      {{"a", id(first)}, {"b", id(second)}, {"rejected", is_rejected}, {"changed", changed}});
}

}  // namespace

std::string rejections_version(const RunConfig& config) {
  std::vector<std::filesystem::path> files = searched_databases(config);
  for (std::filesystem::path& file : files) file = rejection_file(file);
  return version_of(files);
}

std::shared_ptr<const Rejections> current_rejections(ServeContext& context) {
  return context.rejections.get(rejections_version(context.config), [&] {
    return std::make_shared<const Rejections>(searched_rejections(context.config));
  });
}

HttpResponse list_rejections(const HttpRequest& request, SearchState& state,
                             ServeContext& context) {
  check_parameters(request, {"after", "limit"});
  const Slice slice(request, 100, 1000);
  std::vector<Rejection> pairs = current_rejections(context)->all();
  std::ranges::stable_sort(pairs, std::greater(), &Rejection::since_ns);
  const std::size_t begin = std::min<std::size_t>(slice.after, pairs.size());
  const std::size_t end = begin + std::min<std::size_t>(slice.limit, pairs.size() - begin);
  Json page = Json::array();
  for (std::size_t i = begin; i < end; ++i) {
    page.push_back(with_schema(rejection_answer(state.index(), pairs[i])));
  }
  return json_response({{"rejections", std::move(page)},
                        {"total", pairs.size()},
                        {"next", end < pairs.size() ? Json(end) : Json()}});
}

HttpResponse add_rejection(const HttpRequest& request, SearchState& state, ServeContext& context) {
  check_parameters(request, {});
  const Json pair = json_body(request);
  const auto image = [&](const char* name) {
    const Json value = pair.is_object() ? pair.value(name, Json()) : Json();
    if (value.is_number_unsigned()) return NamedImage(state.index(), value.get<std::uint64_t>());
    const auto content = content_from(value.is_string() ? value.get<std::string>() : "");
    if (content) {
      const NamedImage named(state.index(), *content);
      if (named.id) return named;
      throw Refused(404, ErrorKind::kInput, "not_indexed", "the index has no such image");
    }
    throw Refused(400, ErrorKind::kUsage, "body",
                  "the body must be JSON: {\"a\": ID, \"b\": ID}, each a number or a content");
  };
  return set_rejection(image("a"), image("b"), true, context.config);
}

HttpResponse take_back_rejection(const HttpRequest& request, SearchState& state,
                                 ServeContext& context) {
  check_parameters(request, {"a", "b"});
  const auto image = [&](const char* name) {
    const auto content = content_from(required(request, name));
    return content ? NamedImage(state.index(), *content)
                   : NamedImage(state.index(), image_number(request, name));
  };
  return set_rejection(image("a"), image("b"), false, context.config);
}

}  // namespace lookalike
