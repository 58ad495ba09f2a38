#include <variant>

#include <spdlog/spdlog.h>

#include "pipeline/answers.h"
#include "pipeline/duplicates/rejections.h"
#include "pipeline/searcher.h"
#include "pipeline/staged/single_stage.h"
#include "stages/decode/pixels.h"
#include "tools/command_line/stage_arguments.h"
#include "tools/stages/stages.h"

namespace lookalike {
namespace {

// Looks up the photo that features were taken from. Returns false if it can no longer be read or
// has changed.
bool answer(Searcher& searcher, const ImageFeatures& features, const RunConfig& config,
            const Rejections& rejections) {
  const std::string& path = features.image.file.path;
  const auto fail = [&](const SkippedFile& why) {
    spdlog::error("{}", unusable_text(path, why));
    print_json(failed_answer("query", path, why));
    return false;
  };
  auto decoded = decode_file(path, wanted_size(config.extract), config.images);
  if (const auto* unread = std::get_if<SkippedFile>(&decoded)) return fail(*unread);
  const Query query = {std::get<DecodedImage>(std::move(decoded)), features.features};
  if (query.image.record.content != features.image.content) {
    return fail({features.image.file, "changed", "since its features were taken"});
  }
  QueryResult result = searcher.search(query);
  mark_rejected(result.matches, query.image.record.content, rejections);
  print_json(query_answer(path, result));
  return true;
}

struct MatchArguments : ComputeArguments {
  explicit MatchArguments(CLI::App& app) : ComputeArguments(app) {
    add_value(app, "--features FILE", files, "Files of lookalike-extract")->required();
    config.add_databases();
    config.add({"match.top", "extract.longest_side_px", "device.choice"});
  }
  std::vector<std::string> files;
};

int run_match(const MatchArguments& arguments, RunConfig config, Progress::Style /*style*/) {
  const IndexReader index = arguments.config.open_searched(config);
  const Rejections rejections = searched_rejections(config);
  Searcher searcher(index, config);
  bool all = true;
  for_each_record<ImageFeatures>(arguments.files, [&](const ImageFeatures& features) {
    all = answer(searcher, features, config, rejections) && all;
  });
  return all ? kExitDone : kExitSkippedItems;
}

}  // namespace

int match_stage(int argc, const char* const* argv) {
  return run_stage(
      argc, argv, "lookalike-match",
      "Finds the indexed images that photos show, from features taken before.\n"
      "Input: an index, and files of features taken under its settings; the photos themselves are "
      "read again for correlation.\n"
      "Output: on standard output one JSON object per photo, one per line, as lookalike query "
      "prints.\n"
      "Example: lookalike-match --database photos.db --features queries.features",
      run_match);
}

}  // namespace lookalike
