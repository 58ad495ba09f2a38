#include <variant>

#include "pipeline/answers.h"
#include "pipeline/searcher.h"
#include "stages/match/explain.h"
#include "tools/command_line/standard_input.h"
#include "tools/lookalike/commands.h"
#include "tools/report/report.h"

namespace lookalike {
namespace {

struct ExplainArguments : OutputtingArguments {
  explicit ExplainArguments(CLI::App& command)
      : OutputtingArguments(command), format(command, {.columns = {"step", "passed", "reason"}}) {
    config.add_databases();
    config.add({"match.mirror", "device.choice"});
    add_value(command, "--report FILE.html", report,
              "Write an HTML page of both pictures, their pairs of features and the steps");
    add_value(command, "QUERY", photo, "The photo that is looked up, or - for standard input")
        ->required();
    add_value(command, "IMAGE", image, "The indexed image, by path or number")->required();
  }
  FormatArgument format;
  std::string report;
  std::string photo;
  std::string image;
};

constexpr std::size_t kTextWidth = 80;   // maximum columns of the text
constexpr std::size_t kStepIndent = 18;  // columns before a reason

void print_terms(const std::vector<EvidenceTerm>& terms) {
  constexpr const char* kRow = "{:{}}{:<26}{:>8}{:>9}{:>10}\n";
  constexpr std::size_t kTermWidth = 53;
  const std::size_t indent =
      std::min(kStepIndent, text_columns() - std::min(text_columns(), kTermWidth));
  fmt::print(kRow, "", indent, "", "value", "weight", "product");
  for (const EvidenceTerm& term : terms) {
    fmt::print(kRow, "", indent, term.name, fmt::format("{:.2f}", term.value),
               fmt::format("{:.2f}", term.weight), fmt::format("{:+.2f}", term.product()));
  }
}

void print_explain(const std::string& photo, const Explanation& explanation) {
  const Match& match = explanation.match;
  fmt::print("photo    {}\nimage {:>2} {}\n\n", printable(photo), match.image.id,
             printable(path_of(match)));
  for (const ExplainedStep& step : steps_of(explanation)) {
    fmt::print(
        "{:<13}{:<5}{}\n", step.name, step.passed ? "yes" : "no",
        wrapped(step.reason, std::min(kTextWidth, text_columns()), kStepIndent, kStepIndent));
    if (step.name == "probability" && !explanation.terms.empty()) print_terms(explanation.terms);
  }
}

// Reports an input that cannot be used; returns the exit code.
int failure(const ExplainArguments& arguments, const char* what, const SkippedFile& why,
            const std::string& name) {
  spdlog::error("{}", unusable_text(name, why));
  Printer(arguments.format).print(failed_answer(what, name, why), Json::array(), [] {});
  return exit_code(ErrorKind::kInput);
}

int explain(const ExplainArguments& arguments, RunConfig config, Progress::Style /*style*/) {
  const IndexReader index = arguments.config.open_searched(config);
  OutputGuard guard = arguments.outputs.guard(arguments.config, config, &index);
  StandardInput input(config.images);
  const std::string photo = input.file_of(arguments.photo);
  guard.add_input(photo);
  std::optional<OutputFile> report = guard.open_if_named("--report", arguments.report, page_kind());
  const auto id = find_image(index, arguments.image);
  if (!id) {
    const SkippedFile unknown = {{.path = arguments.image}, "not_indexed", "is not in the index"};
    return failure(arguments, "image", unknown, arguments.image);
  }
  Searcher searcher(index, config);
  const auto loaded = searcher.load(photo);
  if (const auto* skipped = std::get_if<SkippedFile>(&loaded)) {
    return failure(arguments, "query", *skipped, arguments.photo);
  }
  const Explanation explanation = searcher.explain(std::get<Query>(loaded), *id);
  const Json answer = explain_answer(arguments.photo, explanation);
  Printer(arguments.format).print(answer, answer["steps"], [&] {
    print_explain(arguments.photo, explanation);
  });
  if (report) {
    const Match& match = explanation.match;
    const ReportItem item{answer,
                          {photo_picture(arguments.photo, photo),
                           {fmt::format("{}", match.image.id), path_of(match), kMatchSidePx}}};
    write_report(*report,
                 {"Why an image was found, or not",
                  {{"index", config.store.database}, {"device", searcher.device().name}},
                  {item}},
                 config.images);
  }
  return kExitDone;
}

}  // namespace

void add_explain_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "explain", "Explain why a query finds an indexed image, or does not",
      "Output: each step of a query with yes or no and the reason: features; words; votes, by "
      "which images are ranked, the first ranks being verified; pairs of features; pose, that "
      "pairs agree on; refine, the comparison of pixels; probability, with the contribution of "
      "each quantity of the evidence; decision, as if no other image were found; answer, what the "
      "query lists. The image is verified and compared even where a query would have stopped "
      "earlier.\n"
      "Example: lookalike explain -d photos.db holiday.jpg ~/photos/beach.jpg\n"
      "         lookalike explain -d photos.db --report why.html holiday.jpg 1",
      explain);
}

}  // namespace lookalike
