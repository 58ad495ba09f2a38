#include "config/fields.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/program.h"

namespace lookalike {
namespace {

constexpr Integer kSeed = {0, std::numeric_limits<std::int64_t>::max()};

template <typename Value>
using TomlType = std::conditional_t<std::is_integral_v<Value> && !std::is_same_v<Value, bool>,
                                    std::int64_t, Value>;

struct Description {
  std::vector<ConfigTable> tables;
  std::vector<ConfigField> fields;
};

// Adds a table and then its keys to a description.
template <typename Options>
class TableOf {
 public:
  TableOf(Description& to, Options RunConfig::*options, std::string_view name,
          std::string_view meaning)
      : to_(to), options_(options), name_(name) {
    to_.tables.push_back({name, meaning});
  }

  // Part: Options, or a base of it.
  template <typename Value, typename Part>
  void operator()(std::string_view key, Value Part::*member, Rule rule,
                  std::string_view meaning) const {
    const auto options = options_;
    to_.fields.push_back({name_, key, meaning, std::move(rule),
                          [=](const RunConfig& config) -> FieldValue {
                            return static_cast<TomlType<Value>>((config.*options).*member);
                          },
                          [=](RunConfig& config, const FieldValue& value) {
                            (config.*options).*member =
                                static_cast<Value>(std::get<TomlType<Value>>(value));
                          }});
  }

 private:
  Description& to_;
  Options RunConfig::*options_;
  std::string_view name_;
};

void describe_indexing(Description& to) {
  const TableOf images(to, &RunConfig::images, "images", "What to index.");
  images("folders", &ImagesOptions::folders, TextList{.file_names = true},
         "Folders to index, recursively.");
  images("extensions", &ImagesOptions::extensions, TextList{},
         "Extensions of the files to index, in any case.");
  images("exclude", &ImagesOptions::exclude, TextList{},
         "Files and folders to leave out, as patterns of a .gitignore file from each folder down.");
  images("hidden", &ImagesOptions::hidden, Boolean{},
         "Also index hidden files and what a NAS keeps for itself (@eaDir, #recycle).");
  images("max_file_mib", &ImagesOptions::max_file_mib, Integer{1, 65536, "MiB"},
         "Skip larger files.");
  images("max_megapixels", &ImagesOptions::max_megapixels, Integer{1, 1000, "megapixels"},
         "Skip larger images before decoding them.");
  images("max_pages", &ImagesOptions::max_pages, Integer{1, 100'000, "pages"},
         "Skip files of more pages; TIFF files may have several, which are indexed one by one.");
  images("decode_threads", &ImagesOptions::decode_threads, Integer{0, 256, "threads"},
         "Threads that decode images. 0: one per core.");
  images("max_removed_share", &ImagesOptions::max_removed_share,
         Number{0, 1, "of a folder's files"},
         "Remove none of a folder's missing files when more than this share, and more than 20, are "
         "missing.");

  const TableOf device(to, &RunConfig::device, "device",
                       "Where kernels run; `lookalike devices` lists the choices.");
  device("choice", &DeviceOptions::choice, Text{},
         "platform:type:name-or-index, each part may be empty. Empty: the first GPU, else CPU.");
  device("memory_limit_mib", &DeviceOptions::memory_limit_mib, Integer{0, 1048576, "MiB"},
         "Limit of device memory. 0: the device's own.");
  device("on_out_of_memory", &DeviceOptions::on_out_of_memory, Choice{{"cpu", "stop"}},
         "When device memory runs out: fall back to the CPU with a warning, or stop.");

  const TableOf extract(to, &RunConfig::extract, "extract",
                        "SURF features. An index keeps the settings it was made with.");
  extract("hessian_threshold", &ExtractOptions::hessian_threshold, Number{0, 1e6},
          "Minimum response of a feature.");
  extract("brighten_to", &ExtractOptions::brighten_to, Integer{0, 255, "grey levels"},
          "Brighten darker images to this mean before extraction. 0: none.");
  extract("octaves", &ExtractOptions::octaves, Integer{1, 6}, "Octaves of the scale space.");
  extract("layers", &ExtractOptions::layers, Integer{1, 8}, "Scales per octave.");
  extract("max_interval", &ExtractOptions::max_interval,
          Integer{.lowest = 0, .highest = 8, .unit = "px", .step = 2},
          "Describe large features in a halved image, sampled at most this far apart. 0: in the "
          "image itself.");
  extract("descriptor_size", &ExtractOptions::descriptor_size,
          Integer{.lowest = 64, .highest = 128, .unit = "numbers", .step = 64},
          "Length of a descriptor; 128 is more distinctive and slower.");
  extract("upright", &ExtractOptions::upright, Boolean{},
          "Skip orientation: faster, for photos that are never rotated.");
  extract("max_features", &ExtractOptions::max_features, Integer{1, 100000, "features"},
          "Maximum features per image, strongest first.");
  extract("longest_side_px", &ExtractOptions::longest_side_px, Integer{64, 16384, "px"},
          "Reduce images whose longest side is above this.");
  extract("enlarge_to_px", &ExtractOptions::enlarge_to_px, Integer{0, 4096, "px"},
          "Enlarge images whose longest side is below this.");
  extract("descriptor_form", &ExtractOptions::descriptor_form, Choice{{"plain", "signed_root"}},
          "Descriptor normalisation: none, or signed square root.");

  const TableOf codebook(to, &RunConfig::codebook, "codebook",
                         "Visual words, trained by k-means when an index is made.");
  codebook("reuse", &CodebookOptions::reuse, Text{.file_name = true},
           "Reuse the words of this index or codebook file. Empty: train new ones.");
  codebook("words", &CodebookOptions::words, Integer{1, 1048576, "words", "auto"},
           "Visual words. \"auto\": by the size of the collection.");
  codebook(
      "cells", &CodebookOptions::cells, Integer{1, 4096, "cells", "auto"},
      "Cells that words are grouped into; a feature is compared with the words of its 8 nearest "
      "cells. \"auto\": 512 above 65536 words. 1: compare with all words.");
  codebook("features_per_word", &CodebookOptions::features_per_word, Integer{1, 1024, "features"},
           "Training features per word; reduced, to at least 16, to stay below 2^20 in all.");
  codebook("sample_images", &CodebookOptions::sample_images, Integer{1, 1000000, "images"},
           "Maximum images in the training sample.");
  codebook("max_iterations", &CodebookOptions::max_iterations, Integer{1, 1000},
           "Maximum iterations of k-means.");
  codebook("min_improvement", &CodebookOptions::min_improvement, Number{0, 1},
           "Stop training when an iteration improves the objective by a smaller share.");
  codebook("seed", &CodebookOptions::seed, kSeed, "Seed for training.");

  const TableOf assign(to, &RunConfig::assign, "assign", "Assignment of features to words.");
  assign("variant", &AssignOptions::variant,
         Choice{{"auto", "gpu1", "gpu2", "gpu3", "gpu4", "gpu5", "fused", "matrix", "cpu"}},
         "Search for the nearest word. \"auto\": the fastest measured on the device.");

  const TableOf variance(to, &RunConfig::variance, "variance", "Blank images.");
  variance("blank_below", &VarianceOptions::blank_below, Number{0, 16256.25, "grey levels squared"},
           "Images of lower variance are recorded as blank and never found.");

  const TableOf store(to, &RunConfig::store, "store", "The index.");
  store("database", &StoreOptions::database, Text{.file_name = true}, "Index file.");
  store("batch_images", &StoreOptions::batch_images, Integer{1, 4096, "images"},
        "Minimum images per transaction, except the last.");
  store("publish_seconds", &StoreOptions::publish_seconds, Number{0, 3600, "s"},
        "Minimum seconds between transactions; sooner once 16 MiB are pending.");
  store("max_segments", &StoreOptions::max_segments, Integer{1, 1000, "segments"},
        "Merge segments above this number.");
}

void describe_queries(Description& to) {
  const TableOf match(to, &RunConfig::match, "match", "Queries.");
  match("shards", &MatchOptions::shards, TextList{.file_names = true},
        "Index files that are searched together with store.database, as one index.");
  match("calibration", &MatchOptions::calibration, Text{.file_name = true},
        "Index file whose calibration gives the probabilities. Empty: the first one searched.");
  match("top", &MatchOptions::top, Integer{1, 1000, "images"}, "Maximum matches per query.");
  match("min_decision", &MatchOptions::min_decision,
        Choice{{"all", "similar", "part", "same_object", "duplicate"}},
        "Weakest decision to list.");
  match("min_probability", &MatchOptions::min_probability, Number{0, 1},
        "Minimum probability of a match to list.");
  match("shortlist", &MatchOptions::shortlist, Integer{1, 100000, "images", "auto"},
        "Candidates for geometric verification. \"auto\": grows with the collection.");
  match("words_per_feature", &MatchOptions::words_per_feature, Integer{1, 8, "words"},
        "Nearest words of each query feature.");
  match("hamming_threshold", &MatchOptions::hamming_threshold, Integer{0, 64, "bits"},
        "Maximum distance between the signatures of matching features.");
  match("mirror", &MatchOptions::mirror, Boolean{},
        "Also find mirrored images, by a second search.");
  match("expansion_hits", &MatchOptions::expansion_hits, Integer{0, 10, "images"},
        "Best sure matches whose features expand the query, if there are two or more.");
  match("second_look", &MatchOptions::second_look, Boolean{},
        "Search again, more thoroughly, when no match has an even chance.");
  match("resolve_overlaps", &MatchOptions::resolve_overlaps, Boolean{},
        "Leave features that several matches claim to the most probable of them.");
  match("min_inliers", &MatchOptions::min_inliers, Integer{4, 1000, "pairs"},
        "Minimum inliers for a pose.");
  match("inlier_distance", &MatchOptions::inlier_distance,
        Number{0.0001, 0.5, "of the query's diagonal"},
        "Maximum distance between an inlier and its position under the pose.");
  match("refine_candidates", &MatchOptions::refine_candidates, Integer{0, 1000, "images"},
        "Matches whose pixels are compared in the first pass; all listed ones are compared in the "
        "end. 0: never compare pixels.");
  match("same_probability", &MatchOptions::same_probability, Number{0, 1},
        "Minimum probability of the decision same_object.");
  match("duplicate_correlation", &MatchOptions::duplicate_correlation, Number{-1, 1},
        "Minimum correlation of a duplicate, whose two images must also show each other whole.");
  match("cache_mib", &MatchOptions::cache_mib, Integer{0, 65536, "MiB"},
        "Cache of posting lists and image records.");
  match("device_voting", &MatchOptions::device_voting, Choice{{"auto", "on", "off"}},
        "Search posting lists in the device's memory. \"auto\": on a GPU where they fit, for a "
        "service and for 100 photos or more.");
  match("seed", &MatchOptions::seed, kSeed, "Seed for RANSAC.");

  const TableOf locate(to, &RunConfig::locate, "locate", "Locating an object in a scene.");
  locate("method", &LocateOptions::method, Choice{{"auto", "features", "correlation"}},
         "Search method. \"auto\": features, and correlation where they find nothing.");
  locate("min_turn_degrees", &LocateOptions::min_turn_degrees, Number{-360, 360, "degrees"},
         "Smallest rotation to search, clockwise as seen.");
  locate("max_turn_degrees", &LocateOptions::max_turn_degrees, Number{-360, 360, "degrees"},
         "Largest rotation to search; not below min_turn_degrees.");
  locate(
      "turn_step_degrees", &LocateOptions::turn_step_degrees, Number{0.001, 90, "degrees", "auto"},
      "Rotation step of the coarsest level, halved at each finer one. \"auto\": one pixel at the "
      "object's rim.");
  locate("min_scale", &LocateOptions::min_scale, Number{0.05, 20},
         "Smallest scale to search, px of the scene per px of the object.");
  locate("max_scale", &LocateOptions::max_scale, Number{0.05, 20},
         "Largest scale to search; not below min_scale.");
  locate("scale_step", &LocateOptions::scale_step, Number{0.001, 1, "", "auto"},
         "Relative scale step of the coarsest level. \"auto\": one pixel at the object's rim.");
  locate("min_correlation", &LocateOptions::min_correlation, Number{0, 1},
         "Minimum correlation of a hit by correlation.");
  locate(
      "margin", &LocateOptions::margin, Number{0.001, 1, "", "auto"},
      "How far below min_correlation a candidate on a coarse level may score. \"auto\": measured "
      "on the object.");
  locate("polarity", &LocateOptions::polarity, Choice{{"same", "reversed", "either"}},
         "Polarity of the object's contrast in the scene.");
  locate("max_overlap", &LocateOptions::max_overlap, Number{0, 1},
         "Drop the weaker of two hits whose intersection over union is above this.");
  locate("max_hits", &LocateOptions::max_hits, Integer{1, 10000, "hits"},
         "Maximum hits per object and scene, best first.");

  const TableOf run(to, &RunConfig::run, "run", "The indexing process.");
  run("metrics", &RunOptions::metrics, Text{.file_name = true},
      "Metrics file in Prometheus' text format, written after each run. Empty: none.");
  run("niceness", &RunOptions::niceness, Integer{0, 19}, "Process niceness.");

  const TableOf serve(to, &RunConfig::serve, "serve", "The web page and its API.");
  serve("listen", &ServeOptions::listen, Text{},
        "Where to listen: ADDRESS:PORT, or unix:/PATH. A socket from systemd comes first.");
  serve("hosts", &ServeOptions::hosts, TextList{},
        "Names under which a proxy serves the page, besides localhost and the address itself.");
  serve("token_file", &ServeOptions::token_file, Text{.file_name = true},
        "File with the token that requests over TCP must bring. Empty: a new one for each run.");
  serve("max_body_mib", &ServeOptions::max_body_mib, Integer{1, 512, "MiB"},
        "Maximum size of an uploaded photo.");
  serve("max_megapixels", &ServeOptions::max_megapixels, Integer{1, 1000, "megapixels"},
        "Larger photos are refused before they are decoded; images.max_megapixels also applies.");
  serve("max_connections", &ServeOptions::max_connections, Integer{1, 10000, "connections"},
        "Open connections; further ones wait.");
  serve("queue", &ServeOptions::queue, Integer{1, 10000, "requests"},
        "Requests that may wait for a free core; further ones are answered 503.");
  serve("request_seconds", &ServeOptions::request_seconds, Integer{1, 3600, "seconds"},
        "Time for sending a request, and for taking its answer.");
}

const Description& description() {
  static const Description all = [] {
    Description to;
    describe_indexing(to);
    describe_queries(to);
    return to;
  }();
  return all;
}

}  // namespace

std::string ConfigField::name() const {
  return fmt::format("{}.{}", table, key);
}

std::span<const ConfigTable> config_tables() {
  return description().tables;
}

std::span<const ConfigField> config_fields() {
  return description().fields;
}

const ConfigField* find_config_field(std::string_view name) {
  const auto& fields = description().fields;
  const auto found = std::ranges::find(fields, name, &ConfigField::name);
  return found == fields.end() ? nullptr : &*found;
}

const ConfigField& config_field(std::string_view name) {
  const ConfigField* field = find_config_field(name);
  require(field != nullptr, "config_field: unknown field");
  return *field;
}

void set_field(RunConfig& config, const ConfigField& field, const std::string& text,
               std::string_view source) {
  const std::optional<FieldValue> value = parse(field.rule, text);
  if (!value) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: must be {}, was \"{}\"", source, allowed(field.rule), text));
  }
  field.set(config, *value);
}

std::string to_toml(const RunConfig& config) {
  const RunConfig defaults;
  std::string text =
      "# All keys of lookalike's configuration. A file needs only the keys it changes; relative\n"
      "# paths in it start at the folder of the file.\n";
  for (const ConfigTable& table : config_tables()) {
    text += fmt::format("\n# {}\n[{}]\n", table.meaning, table.name);
    for (const ConfigField& field : config_fields()) {
      if (field.table != table.name) continue;
      text += fmt::format("\n# {}\n# Must be {}. Default: {}\n{} = {}\n", field.meaning,
                          allowed(field.rule), to_toml(field.rule, field.get(defaults)), field.key,
                          to_toml(field.rule, field.get(config)));
    }
  }
  return text;
}

std::string to_toml(const RunConfig& config,
                    const std::function<std::string(const ConfigField&)>& remark) {
  std::string text;
  for (const ConfigTable& table : config_tables()) {
    text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", table.name);
    for (const ConfigField& field : config_fields()) {
      if (field.table != table.name) continue;
      const std::string comment = remark(field);
      text += fmt::format("{} = {}{}{}\n", field.key, to_toml(field.rule, field.get(config)),
                          comment.empty() ? "" : "  # ", comment);
    }
  }
  return text;
}

}  // namespace lookalike
