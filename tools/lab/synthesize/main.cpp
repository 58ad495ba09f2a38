// Writes a large index for measurements.

#include <cstdint>
#include <span>
#include <string>

#include <fmt/format.h>

#include "base/error.h"
#include "base/program.h"
#include "tools/command_line/command_line.h"
#include "tools/evaluate/truth.h"
#include "tools/lab/synthesize/synthesize.h"

namespace lookalike {
namespace {

struct Arguments {
  std::string sample;
  std::string database;
  std::string truth;
  SynthesisOptions synthesis{};
};

void write_truth(std::span<const PlantedCopy> planted, OutputFile& file) {
  std::string rows = fmt::format("{}\n", kTruthHeader);
  for (const PlantedCopy& copy : planted) {
    rows += fmt::format("{},{}", copy.original, copy.path);
    for (const Point& corner : copy.quad) rows += fmt::format(",{:.1f},{:.1f}", corner.x, corner.y);
    rows += '\n';
  }
  write_whole(file, rows);
}

int run(const Arguments& arguments) {
  OutputGuard guard;
  guard.add_index(arguments.sample);
  guard.claim_index("--database", arguments.database);
  std::optional<OutputFile> truth = guard.open_if_named(
      "--truth", arguments.truth,
      kind_that_begins("a table of ground truth", fmt::format("{}\n", kTruthHeader)));
  const IndexReader sample(arguments.sample);
  IndexWriter writer(arguments.database);
  if (writer.counts().images > 0) {
    throw Error(ErrorKind::kUsage, "--database: " + arguments.database + ": holds images already");
  }
  const auto planted = store_synthetic(sample, arguments.synthesis, writer);
  if (truth) write_truth(planted, *truth);
  return kExitDone;
}

int synthesize_command(int argc, const char* const* argv) {
  CLI::App app(
      "Writes a large index for measurements, made of the words of a small one.\n"
      "Example: lookalike-synthesize --sample photos.db --database large.db --images 100000 "
      "--planted 50 --truth planted.csv",
      "lookalike-synthesize");
  Arguments arguments;
  SynthesisOptions& synthesis = arguments.synthesis;
  app.add_option("--sample", arguments.sample, "Index of real images")->required();
  app.add_option("--database", arguments.database, "New index")->required();
  app.add_option("--images", synthesis.images, "Images, those of the sample included")
      ->capture_default_str();
  app.add_option("--features", synthesis.features, "Features per synthetic image")
      ->capture_default_str();
  app.add_option("--planted", synthesis.planted,
                 "Images of the sample, the last by path, of which only a near-duplicate is stored")
      ->capture_default_str();
  app.add_option("--truth", arguments.truth, "Ground truth of the near-duplicates, for evaluate");
  app.add_option("--seed", synthesis.seed, "Seed")->capture_default_str();
  return parse_command_line(app, argc, argv) ? run(arguments) : kExitDone;
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike-synthesize",
                             [&] { return lookalike::synthesize_command(argc, argv); });
}
