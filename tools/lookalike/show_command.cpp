#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/text.h"
#include "pipeline/answers.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

struct Arguments : ListArguments {
  explicit Arguments(CLI::App& command) : ListArguments(command) {
    command.add_option("IMAGE", image, "Show this indexed image, given by path or number")
        ->type_name("");
  }
  std::string image;
};

Json counts_json(const std::string& database, const IndexReader& index) {
  const IndexCounts counts = index.counts();
  return {{"database", text_of_path(database)},
          {"images", counts.images},
          {"blank", counts.blank},
          {"files", counts.files},
          {"quarantined", counts.quarantined},
          {"features", counts.features},
          {"words", counts.words},
          {"postings", counts.postings},
          {"segments", counts.segments},
          {"content_hash", index.content_hash()},
          {"settings", Json(index.settings())}};
}

Json image_json(const IndexReader& index, ImageId id) {
  const std::optional<StoredImage> image = index.image(id);
  require(image.has_value(), "show: an image that was found is missing");
  Json histogram = Json::array();
  for (const WordCount& entry : index.histogram(id)) {
    histogram.push_back(Json::array({entry.word, entry.count}));
  }
  Json paths = Json::array();
  for (const std::string& path : image->paths) paths.push_back(text_of_path(path));
  return {{"id", image->id},
          {"paths", std::move(paths)},
          {"content", to_hex(image->content)},
          {"width", image->width},
          {"height", image->height},
          {"blank", image->blank},
          {"features", image->feature_count},
          {"pixels", image->sums.count},
          {"mean", image->sums.mean()},
          {"variance", image->sums.variance()},
          {"histogram", std::move(histogram)}};
}

// One "name  value" per line; strings without quotes.
void print_text(const Json& json) {
  for (const auto& [name, value] : json.items()) {
    if (value.is_object()) {
      fmt::print("{}\n", name);
      for (const auto& [key, text] : value.items()) {
        fmt::print("  {:<26} {}\n", key, text.get<std::string>());
      }
    } else {
      fmt::print("{:<14} {}\n", name,
                 value.is_string() ? value.get<std::string>() : json_text(value));
    }
  }
}

// The most frequent words, instead of the whole histogram.
void print_histogram(const IndexReader& index, ImageId id) {
  constexpr std::size_t kMostShown = 10;
  SparseHistogram histogram = index.histogram(id);
  std::stable_sort(histogram.begin(), histogram.end(),
                   [](const WordCount& a, const WordCount& b) { return a.count > b.count; });
  std::string words;
  for (std::size_t i = 0; i < std::min(kMostShown, histogram.size()); ++i) {
    words += fmt::format(" {} x {}", histogram[i].count, histogram[i].word);
    if (i + 1 < std::min(kMostShown, histogram.size())) words += ',';
  }
  fmt::print("{:<14} {} words; count x word:{}{}\n", "histogram", histogram.size(), words,
             histogram.size() > kMostShown ? ", ... (--json has all)" : "");
}

int show(const Arguments& arguments) {
  const std::string database = arguments.index.path();
  const IndexReader index{std::filesystem::path(database)};
  std::optional<ImageId> id;
  if (!arguments.image.empty()) id = must_find(index, arguments.image);
  Json json = id ? image_json(index, *id) : counts_json(database, index);
  if (arguments.json) {
    print_json(json);
    return kExitDone;
  }
  json.erase("histogram");
  print_text(json);
  if (id) print_histogram(index, *id);
  return kExitDone;
}

}  // namespace

void add_show_command(CLI::App& app, Action& action) {
  add_command(app, action, "show", "Show the content of an index, or its record of one image",
              "Output: counts, settings and a digest of the content; with IMAGE its statistics and "
              "its histogram of visual words.\n"
              "Example: lookalike show -d photos.db photos/cat.jpg",
              show);
}

}  // namespace lookalike
