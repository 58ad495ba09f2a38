#include <chrono>

#include "base/files.h"
#include "pipeline/answers.h"
#include "pipeline/duplicates/rejections.h"
#include "pipeline/named.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

struct RejectArguments : ComputeArguments {
  explicit RejectArguments(CLI::App& command)
      : ComputeArguments(command),
        format(command, {.json = "one JSON object per rejected pair, one per line",
                         .columns = {"content", "other_content", "since_ns", "path", "other_path"},
                         .paths = {"path", "other_path"},
                         .has_paths_format = false}) {
    config.add_databases();
    auto* const first_option =
        add_value(command, "A", first, "An image: path, number, or content as listed");
    add_value(command, "B", second, "Another")->needs(first_option);
    command.add_flag("--undo", undo, "Forget that these two were rejected")->needs(first_option);
    add_value(command, "--import FILE.csv", import,
              "Add the pairs of a file that --format csv printed")
        ->excludes(first_option);
  }
  FormatArgument format;
  std::string first;
  std::string second;
  bool undo = false;
  std::string import;
};

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void reject_pair(const RunConfig& config, const IndexReader& index,
                 const RejectArguments& arguments) {
  const Rejection pair = rejection_of(content_named(index, arguments.first),
                                      content_named(index, arguments.second), now_ns());
  const bool changed = set_rejected(config, pair, !arguments.undo);
  if (arguments.undo) {
    spdlog::info(changed ? "no longer rejected" : "this pair was not rejected");
  } else {
    spdlog::info(changed ? "rejected: the two stay apart in groups" : "was rejected already");
  }
}

void import_pairs(const std::string& database, const std::string& file) {
  const std::optional<std::string> text = read_file(file, kRejectionCsv);
  if (!text) {
    throw Error(ErrorKind::kInput,
                fmt::format("{}: cannot be read: {}", printable(file), why_unread()));
  }
  const Rejections more = Rejections::parse(*text, printable(file));
  const std::size_t added = add_rejections(database, more);
  spdlog::info("{} added, {} rejected already", counted(added, "pair"), more.all().size() - added);
}

void list_rejections(const RunConfig& config, const IndexReader& index,
                     const FormatArgument& format) {
  const Printer printer(format);
  const Rejections rejections = searched_rejections(config);
  for (const Rejection& pair : rejections.all()) {
    const Json row = rejection_answer(index, pair);
    const auto name = [&](const char* path, const char* content) {
      const Json& known = row[row[path].is_null() ? content : path];
      return printable(path_of_text(known.get<std::string>()));
    };
    printer.print(row, [&] {
      fmt::print("{}  {}  {}\n", utc_text(pair.since_ns), name("path", "content"),
                 name("other_path", "other_content"));
    });
  }
}

int reject(const RejectArguments& arguments, RunConfig config, Progress::Style /*style*/) {
  const IndexReader index = arguments.config.open_searched(config);
  if (arguments.first.empty() != arguments.second.empty()) {
    throw Error(ErrorKind::kUsage, "reject: name two images");
  }
  if (!arguments.import.empty()) {
    import_pairs(config.store.database, arguments.import);
  } else if (!arguments.first.empty()) {
    reject_pair(config, index, arguments);
  } else {
    list_rejections(config, index, arguments.format);
  }
  return kExitDone;
}

}  // namespace

void add_reject_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "reject", "Remember that two indexed images do not match",
      "Output: with two images, none: `lookalike duplicates` keeps them in different "
      "groups from now on. Without any, the rejected pairs: since when, and a path of each, "
      "or its content if the index lacks it. --import reads what --format csv prints.\n"
      "Pairs are stored by content in DATABASE.rejected, so that they outlast moved files "
      "and a retrained index. Does not wait for a run that writes the index.\n"
      "Example: lookalike reject -d photos.db photos/cat.jpg photos/dog.jpg\n"
      "         lookalike reject -d photos.db --undo photos/cat.jpg photos/dog.jpg\n"
      "         lookalike reject -d photos.db --format csv > rejected.csv",
      reject);
}

}  // namespace lookalike
