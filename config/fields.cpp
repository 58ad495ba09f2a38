#include "config/fields.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "config/field_table.h"

namespace lookalike {
namespace {

constexpr WholeNumber kSeed = {0, std::numeric_limits<std::int64_t>::max()};

void add_image_fields(std::vector<ConfigField>& to) {
  constexpr auto kTable = &RunConfig::images;
  using Options = ImagesOptions;
  to.push_back(
      field<kTable, &Options::folders>("images", "folders", TextList{.file_names = true}, "",
                                       "Folders that are indexed, searched to the bottom."));
  to.push_back(field<kTable, &Options::extensions>("images", "extensions", TextList{}, "",
                                                   "Endings of the files to index, in any case."));
  to.push_back(field<kTable, &Options::max_file_mib>(
      "images", "max_file_mib", WholeNumber{1, 65536}, "MiB", "Larger files are skipped."));
  to.push_back(field<kTable, &Options::max_megapixels>(
      "images", "max_megapixels", WholeNumber{1, 1000}, "megapixels",
      "Larger images are skipped before they are decoded."));
  to.push_back(field<kTable, &Options::decode_threads>(
      "images", "decode_threads", WholeNumber{0, 256}, "threads",
      "Threads that decode images. 0: one per core."));
  to.push_back(field<kTable, &Options::max_removed_share>(
      "images", "max_removed_share", Number{0, 1}, "of a folder's files",
      "If more of a folder's files are gone, and more than 20, none of them is removed."));
}

void add_device_fields(std::vector<ConfigField>& to) {
  constexpr auto kTable = &RunConfig::device;
  using Options = DeviceOptions;
  to.push_back(field<kTable, &Options::choice>(
      "device", "choice", Text{}, "",
      "platform:type:name-or-index, each part may be empty. Empty: the first GPU, else CPU."));
  to.push_back(field<kTable, &Options::memory_limit_mib>(
      "device", "memory_limit_mib", WholeNumber{0, 1048576}, "MiB",
      "Device memory that may be used. 0: the device's own limit."));
  to.push_back(field<kTable, &Options::on_out_of_memory>(
      "device", "on_out_of_memory", Choice{{"cpu", "stop"}}, "",
      "When device memory runs out: go on on the CPU and say so, or stop."));
}

void add_extract_fields(std::vector<ConfigField>& to) {
  constexpr auto kTable = &RunConfig::extract;
  using Options = ExtractOptions;
  to.push_back(
      field<kTable, &Options::hessian_threshold>("extract", "hessian_threshold", Number{0, 1e6}, "",
                                                 "Features with a weaker response are dropped."));
  to.push_back(field<kTable, &Options::octaves>("extract", "octaves", WholeNumber{1, 6}, "",
                                                "Doublings of scale that are searched."));
  to.push_back(field<kTable, &Options::layers>("extract", "layers", WholeNumber{1, 8}, "",
                                               "Scales within an octave."));
  to.push_back(field<kTable, &Options::descriptor_size>(
      "extract", "descriptor_size", WholeNumber{64, 128, 64}, "numbers",
      "Length of a descriptor; 128 tells more apart and costs more."));
  to.push_back(field<kTable, &Options::upright>(
      "extract", "upright", YesOrNo{}, "",
      "Features are not turned: faster, for photos that are never tilted."));
  to.push_back(field<kTable, &Options::max_features>(
      "extract", "max_features", WholeNumber{1, 100000}, "features",
      "The strongest so many of an image are kept."));
  to.push_back(field<kTable, &Options::longest_side_px>("extract", "longest_side_px",
                                                        WholeNumber{64, 16384}, "px",
                                                        "Larger images are reduced first."));
  to.push_back(field<kTable, &Options::enlarge_to_px>(
      "extract", "enlarge_to_px", WholeNumber{0, 4096}, "px",
      "Images whose longest side is shorter are enlarged to it first."));
  to.push_back(field<kTable, &Options::descriptor_form>(
      "extract", "descriptor_form", Choice{{"plain", "signed_root"}}, "",
      "Descriptor normalisation: none, or signed square root."));
}

void add_codebook_fields(std::vector<ConfigField>& to) {
  constexpr auto kTable = &RunConfig::codebook;
  using Options = CodebookOptions;
  to.push_back(field<kTable, &Options::words>(
      "codebook", "words", WholeNumber{1, 262144, 1, "auto"}, "words",
      "Visual words. \"auto\": from the size of the collection."));
  to.push_back(field<kTable, &Options::features_per_word>(
      "codebook", "features_per_word", WholeNumber{1, 1024}, "features",
      "Features that train one word; fewer, down to 16, where that is more than 2^20 in all."));
  to.push_back(field<kTable, &Options::sample_images>("codebook", "sample_images",
                                                      WholeNumber{1, 1000000}, "images",
                                                      "Images that training may look at."));
  to.push_back(field<kTable, &Options::max_iterations>(
      "codebook", "max_iterations", WholeNumber{1, 1000}, "", "Passes of k-means at most."));
  to.push_back(field<kTable, &Options::min_improvement>(
      "codebook", "min_improvement", Number{0, 1}, "",
      "Training ends when a pass betters the objective by a smaller share."));
  to.push_back(field<kTable, &Options::seed>("codebook", "seed", kSeed, "",
                                             "Training's random choices follow from it."));
}

void add_assign_fields(std::vector<ConfigField>& to) {
  to.push_back(field<&RunConfig::assign, &AssignOptions::kernel>(
      "assign", "kernel",
      Choice{{"auto", "gpu1", "gpu2", "gpu3", "gpu4", "gpu5", "fused", "matrix", "cpu"}}, "",
      "How the nearest word is found. \"auto\": what was fastest on the device."));
}

void add_variance_fields(std::vector<ConfigField>& to) {
  to.push_back(field<&RunConfig::variance, &VarianceOptions::minimum>(
      "variance", "minimum", Number{0, 16256.25}, "grey levels squared",
      "Images that vary less are recorded as blank and never found."));
}

void add_store_fields(std::vector<ConfigField>& to) {
  constexpr auto kTable = &RunConfig::store;
  using Options = StoreOptions;
  to.push_back(field<kTable, &Options::database>("store", "database", Text{.file_name = true}, "",
                                                 "The index's file."));
  to.push_back(field<kTable, &Options::batch_images>(
      "store", "batch_images", WholeNumber{1, 4096}, "images",
      "Images that are published together, in one transaction."));
  to.push_back(field<kTable, &Options::max_segments>("store", "max_segments", WholeNumber{1, 1000},
                                                     "segments", "More are merged."));
}

// Which images are looked at, and how they are ranked.
void add_ranking_fields(std::vector<ConfigField>& to) {
  constexpr auto kTable = &RunConfig::match;
  using Options = MatchOptions;
  to.push_back(field<kTable, &Options::top>("match", "top", WholeNumber{1, 1000}, "images",
                                            "Matches that are reported per query, at most."));
  to.push_back(field<kTable, &Options::report>(
      "match", "report", Choice{{"all", "similar", "part", "same_object", "duplicate"}}, "",
      "The weakest kind of match that is reported."));
  to.push_back(field<kTable, &Options::shortlist>(
      "match", "shortlist", WholeNumber{1, 100000, 1, "auto"}, "images",
      "Candidates that geometry verifies. \"auto\": grows with the collection."));
  to.push_back(field<kTable, &Options::words_per_feature>(
      "match", "words_per_feature", WholeNumber{1, 8}, "words",
      "Nearest words that each feature of the query has."));
  to.push_back(field<kTable, &Options::hamming_threshold>(
      "match", "hamming_threshold", WholeNumber{0, 64}, "bits",
      "Features whose signatures are further apart do not match."));
  to.push_back(field<kTable, &Options::mirror>(
      "match", "mirror", YesOrNo{}, "",
      "Images are also looked for as a mirror shows them, which takes another search."));
}

// How candidates are verified and decided upon.
void add_verification_fields(std::vector<ConfigField>& to) {
  constexpr auto kTable = &RunConfig::match;
  using Options = MatchOptions;
  to.push_back(field<kTable, &Options::expansion_hits>(
      "match", "expansion_hits", WholeNumber{0, 10}, "images",
      "Sure matches whose features are then asked for as well."));
  to.push_back(field<kTable, &Options::explain_once>(
      "match", "explain_once", YesOrNo{}, "",
      "Of matches that explain the same features differently, only the best keeps them."));
  to.push_back(field<kTable, &Options::min_inliers>("match", "min_inliers", WholeNumber{4, 1000},
                                                    "pairs", "Fewer are no pose."));
  to.push_back(field<kTable, &Options::inlier_distance>(
      "match", "inlier_distance", Number{0.0001, 0.5}, "of the query's diagonal",
      "How far an inlier may lie from where the pose puts it."));
  to.push_back(field<kTable, &Options::locate_candidates>(
      "match", "locate_candidates", WholeNumber{0, 1000}, "images",
      "Best matches that are compared by pixels at first; all that are listed are. 0: none is."));
  to.push_back(field<kTable, &Options::same_probability>(
      "match", "same_probability", Number{0, 1}, "",
      "A match is the same object from this probability on."));
  to.push_back(field<kTable, &Options::duplicate_correlation>(
      "match", "duplicate_correlation", Number{-1, 1}, "",
      "The same object is a duplicate from this correlation on, where it fills the photo."));
  to.push_back(field<kTable, &Options::cache_mib>("match", "cache_mib", WholeNumber{0, 65536},
                                                  "MiB", "Of the index, kept between queries."));
  to.push_back(field<kTable, &Options::seed>("match", "seed", kSeed, "",
                                             "Verification's random choices follow from it."));
}

void add_run_fields(std::vector<ConfigField>& to) {
  constexpr auto kTable = &RunConfig::run;
  using Options = RunOptions;
  to.push_back(field<kTable, &Options::metrics>(
      "run", "metrics", Text{.file_name = true}, "",
      "Written after each run in Prometheus' text format. Empty: none."));
  to.push_back(field<kTable, &Options::niceness>("run", "niceness", WholeNumber{0, 19}, "",
                                                 "How far other programs go first."));
}

std::vector<ConfigField> all_fields() {
  std::vector<ConfigField> fields;
  add_image_fields(fields);
  add_device_fields(fields);
  add_extract_fields(fields);
  add_codebook_fields(fields);
  add_assign_fields(fields);
  add_variance_fields(fields);
  add_store_fields(fields);
  add_ranking_fields(fields);
  add_verification_fields(fields);
  add_locate_fields(fields);
  add_run_fields(fields);
  return fields;
}

}  // namespace

std::string ConfigField::name() const {
  return fmt::format("{}.{}", table, key);
}

std::span<const ConfigTable> config_tables() {
  static constexpr ConfigTable kTables[] = {
      {"images", "What is indexed."},
      {"device", "Where kernels run; `lookalike devices` lists what is there."},
      {"extract", "SURF features. An index keeps the settings that it was made with."},
      {"codebook", "Visual words, trained by k-means when an index is made."},
      {"assign", "Features to words."},
      {"variance", "Blank images."},
      {"store", "The index."},
      {"match", "Looking things up."},
      {"locate", "Where a scene shows an object."},
      {"run", "The nightly run as a process."},
  };
  return kTables;
}

std::span<const ConfigField> config_fields() {
  static const std::vector<ConfigField> fields = all_fields();
  return fields;
}

const ConfigField& config_field(std::string_view name) {
  const auto fields = config_fields();
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const ConfigField& field) { return field.name() == name; });
  require(found != fields.end(), "config_field: there is no such field");
  return *found;
}

}  // namespace lookalike
