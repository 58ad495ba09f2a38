#include "pipeline/answers.h"
#include "pipeline/stored_calibration.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

struct ShowArguments : ListArguments {
  explicit ShowArguments(CLI::App& command)
      : ListArguments(command, {.columns = {"name", "value"},
                                .paths = {"value"},  // only paths can break a line
                                .has_paths_format = false}) {
    auto* one =
        add_value(command, "IMAGE", image, "Show this indexed image, given by path or number");
    command
        .add_flag("--content-hash", content_hash,
                  "Add a digest of the content, which reads the whole index")
        ->excludes(one);
  }
  std::string image;
  bool content_hash = false;
};

// "2026-11-24T02:00:12Z done"; null before the first run.
Json last_run(const IndexReader& index) {
  const std::vector<RunRecord> runs = index.runs(1);
  if (runs.empty()) return nullptr;
  return fmt::format("{} {}", utc_text(runs.front().started_ns), runs.front().outcome);
}

Json counts_json(const std::string& database, const IndexReader& index) {
  const IndexCounts counts = index.counts();
  Json folders = Json::array();
  for (const IndexRoot& root : index.roots()) folders.push_back(text_of_path(root.path));
  return {{"database", text_of_path(database)},
          {"size_bytes", std::filesystem::file_size(database)},
          {"folders", std::move(folders)},
          {"last_run", last_run(index)},
          {"calibrated", index.derived(std::string(kCalibrationName)).has_value()},
          {"images", counts.images},
          {"blank", counts.blank},
          {"files", counts.files},
          {"quarantined", counts.quarantined},
          {"features", counts.features},
          {"words", counts.words},
          {"postings", counts.postings},
          {"segments", counts.segments},
          {"uncompared", index.images_to_compare().size()},
          {"settings", Json(index.settings())}};
}

std::string fact_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : json_text(value);
}

// Lists the names and values of an object: nested ones as "settings.assign", each path on its own.
Facts facts_of(const Json& json) {
  Facts facts;
  for (const auto& [name, value] : json.items()) {
    if (name == "paths" || name == "folders" || name == "same_form") {
      const std::string one = name == "same_form" ? name : name.substr(0, name.size() - 1);
      for (const Json& path : value) facts.emplace_back(one, fact_text(path));
    } else if (value.is_object()) {
      for (const auto& [key, text] : value.items()) {
        facts.emplace_back(fmt::format("{}.{}", name, key), fact_text(text));
      }
    } else {
      facts.emplace_back(name, fact_text(value));
    }
  }
  return facts;
}

void print_show(const Facts& facts) {
  std::size_t width = 14;
  for (const auto& [name, value] : facts) width = std::max(width, name.size());
  for (const auto& [name, value] : facts) {
    fmt::print("{:<{}}{}\n", name, width, last_column(width, value));
  }
}

// Prints the most frequent words of the histogram.
void print_histogram(const IndexReader& index, ImageId id) {
  constexpr std::size_t kMostShown = 10;
  SparseHistogram histogram = count_words(index.features(id).words);
  std::stable_sort(histogram.begin(), histogram.end(),
                   [](const WordCount& a, const WordCount& b) { return a.count > b.count; });
  std::string words;
  for (std::size_t i = 0; i < std::min(kMostShown, histogram.size()); ++i) {
    words += fmt::format(" {} x {}", histogram[i].count, histogram[i].word);
    if (i + 1 < std::min(kMostShown, histogram.size())) words += ',';
  }
  const std::string text =
      fmt::format("{} words; count x word:{}{}", histogram.size(), words,
                  histogram.size() > kMostShown ? ", ... (--json has all)" : "");
  fmt::print("{:<14}{}\n", "histogram", last_text(14, text));
}

int show(const ShowArguments& arguments) {
  const std::string database = arguments.index.path();
  const IndexReader index{std::filesystem::path(database)};
  std::optional<ImageId> id;
  if (!arguments.image.empty()) id = must_find(index, arguments.image);
  Json json = id ? image_answer(index, index.image(*id).value()) : counts_json(database, index);
  if (arguments.content_hash) json["content_hash"] = index.content_hash();
  Json shown = json;
  shown.erase("histogram");
  const Facts facts = facts_of(shown);
  Json rows = Json::array();
  for (const auto& [name, value] : facts) rows.push_back({{"name", name}, {"value", value}});
  Printer(arguments.format).print(json, rows, [&] {
    print_show(facts);
    if (id) print_histogram(index, *id);
  });
  return kExitDone;
}

}  // namespace

void add_show_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "show", "Show the content of an index, or its record of one image",
      "Output: counts and settings; with --content-hash a digest of the content, which is equal "
      "for equal indexes. With IMAGE, its statistics, the images of the same form with other "
      "content, and its histogram of visual words.\n"
      "Example: lookalike show -d photos.db ~/photos/cat.jpg",
      show);
}

}  // namespace lookalike
