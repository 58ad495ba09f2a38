#include "tools/lookalike/evaluate_synthetic.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "pipeline/single_stage.h"
#include "pipeline/index/index_run.h"
#include "pipeline/searcher.h"
#include "tools/evaluate/synthetic/suite_report.h"
#include "tools/scratch_folder.h"

namespace lookalike {
namespace {

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const VariantKind& kind : variant_kinds()) names.push_back(kind.name);
  return names;
}

std::vector<VariantKind> chosen_kinds(const std::vector<std::string>& names) {
  std::vector<VariantKind> kinds = variant_kinds();
  if (names.empty()) return kinds;
  std::erase_if(kinds, [&](const VariantKind& kind) {
    return std::find(names.begin(), names.end(), kind.name) == names.end();
  });
  return kinds;
}

Selection select(const IndexReader& index, const SyntheticArguments& arguments,
                 const ImagesOptions& images) {
  if (images.folders.empty()) {
    return select_photos(index, std::nullopt, arguments.photos, arguments.seed);
  }
  const ScanResult found = scan_images(images);
  return select_photos(index, std::span<const SourceFile>(found.files), arguments.photos,
                       arguments.seed);
}

struct Outcome {
  SuiteResult result;
  Facts facts;
};

Outcome run(const SyntheticArguments& arguments, const RunConfig& config, const IndexReader& index,
            Progress::Style style) {
  Searcher searcher(index, config);
  const SuiteOptions options{chosen_kinds(arguments.kinds), arguments.seed,
                             searcher.extract_options(), config.images};
  const Ask ask = [&](DecodedImage photo) { return searcher.search(std::move(photo)).matches; };
  SuiteResult result = run_suite(select(index, arguments, config.images), options, ask, style);
  return {std::move(result),
          {{"images in the index", fmt::format("{}", index.counts().images)},
           {"seed", fmt::format("{}", arguments.seed)},
           {"device", searcher.device().name}}};
}

// The folders are indexed for this run alone.
Outcome run_on_folders(const SyntheticArguments& arguments, RunConfig config,
                       Progress::Style style) {
  const ScratchFolder scratch;
  config.store.database = scratch.path() / "index.db";
  run_index(config, style);
  return run(arguments, config, IndexReader(config.store.database), style);
}

}  // namespace

SyntheticArguments::SyntheticArguments(CLI::App& command) {
  auto* flag = command.add_flag("--synthetic", chosen,
                                "Look up photos that were made different: cropped, turned, ...");
  command.add_option("--kinds", kinds, "Ways of making them different; all unless given")
      ->check(CLI::IsMember(kind_names()))
      ->type_name("NAME")
      ->needs(flag);
  command.add_option("--photos", photos, "Photos that are made different, at most")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N")
      ->capture_default_str()
      ->needs(flag);
  command.add_option("--seed", seed, "Chooses the photos, and what chance does to them")
      ->type_name("N")
      ->capture_default_str()
      ->needs(flag);
  command.add_option("--report", report, "Write a page with charts")
      ->type_name("FILE.html")
      ->needs(flag);
}

int evaluate_synthetic(const SyntheticArguments& arguments, const RunConfig& config,
                       const IndexReader* index, SyntheticOutputs outputs, Progress::Style style) {
  const Outcome outcome = index == nullptr ? run_on_folders(arguments, config, style)
                                           : run(arguments, config, *index, style);
  if (outputs.json) {
    fmt::print("{}\n", suite_json(outcome.result));
  } else {
    fmt::print("{}", suite_table(outcome.result));
  }
  if (outputs.answers) write_whole(*outputs.answers, suite_answers_csv(outcome.result));
  if (outputs.page) write_whole(*outputs.page, suite_page(outcome.result, outcome.facts));
  return kExitDone;
}

}  // namespace lookalike
