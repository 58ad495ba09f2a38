#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/program.h"
#include "base/text.h"
#include "pipeline/answers.h"
#include "pipeline/groups/rejections.h"
#include "pipeline/searcher.h"
#include "pipeline/staged/single_stage.h"
#include "stages/decode/decoders.h"
#include "tools/command_line/command_line.h"

namespace lookalike {
namespace {

// Whether the photo that the features were taken from could still be read and was answered.
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

int match_command(int argc, const char* const* argv) {
  CLI::App app(
      "Finds the indexed images that photos show, from features taken before.\n"
      "Input: an index, and files of features taken under its settings; the photos themselves are "
      "read again for correlation.\n"
      "Output: on standard output one JSON object a photo, one a line, as lookalike query has it.\n"
      "Example: lookalike-match --database photos.db --features queries.features",
      "lookalike-match");
  ConfigArguments arguments(app);
  arguments.add_databases();
  arguments.add("--top", "match.top");
  arguments.add("--longest-side", "extract.longest_side_px");
  arguments.add("--device", "device.choice");
  const VerbosityArguments verbosity(app);
  std::vector<std::string> files;
  app.add_option("--features", files, "Files of lookalike-extract")
      ->type_name("FILE...")
      ->required();
  if (!parse_command_line(app, argc, argv)) return kExitDone;
  RunConfig config = arguments.load();
  verbosity.apply();

  const IndexReader index = arguments.open_searched(config);
  const Rejections rejections = searched_rejections(config);
  Searcher searcher(index, config);
  bool all = true;
  for_each_record<ImageFeatures>(files, [&](const ImageFeatures& features) {
    all = answer(searcher, features, config, rejections) && all;
  });
  return all ? kExitDone : kExitSkippedItems;
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike-match",
                             [&] { return lookalike::match_command(argc, argv); });
}
