#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/text.h"
#include "pipeline/answers.h"
#include "pipeline/open_session.h"
#include "pipeline/searcher.h"
#include "stages/match/locate/locate.h"
#include "storage/index_reader.h"
#include "tools/command_line/command_line.h"
#include "tools/command_line/output_arguments.h"
#include "tools/lookalike/commands.h"
#include "tools/lookalike/correlation_picture.h"
#include "tools/lookalike/findings.h"
#include "tools/lookalike/indexed_image.h"
#include "tools/lookalike/object_mask.h"

namespace lookalike {
namespace {

struct Arguments {
  explicit Arguments(CLI::App& command) : config(command), talk(command), outputs(command) {
    command.add_option("--object", objects, "Pictures of what is looked for")->type_name("IMAGE");
    config.add("--database", "store.database");
    command.add_option("--id", ids, "Indexed images that are looked for")->type_name("PATH|NUMBER");
    command.add_option("--scene", scenes, "Photos they are looked for in")
        ->required()
        ->type_name("IMAGE");
    config.add("--method", "locate.method");
    longest_side = config.add("--longest-side", "extract.longest_side_px");
    max_features = config.add("--max-features", "extract.max_features");
    config.add("--hessian-threshold", "extract.hessian_threshold");
    config.add("--device", "device.choice");
    command
        .add_option("--mask", mask,
                    "Picture of the one object's size: what is black does not count")
        ->type_name("IMAGE");
    command.add_flag("--json", json, "Print one JSON object per scene, one a line");
    command.add_option("--report", report, "Write a page that shows what was found")
        ->type_name("FILE.html");
    command.add_option("--map", map, "Write how the one object correlates over the one scene")
        ->type_name("FILE.png");
  }
  ConfigArguments config;
  TalkArguments talk;
  OutputArguments outputs;
  CLI::Option* longest_side = nullptr;
  CLI::Option* max_features = nullptr;
  std::vector<std::string> objects;
  std::vector<std::string> ids;  // paths or numbers
  std::vector<std::string> scenes;
  bool json = false;
  std::string mask;
  std::string report;
  std::string map;
};

constexpr std::uint32_t kNoReduction = 1U << 20;  // px: more than any picture has

// One pair of pictures may cost more than each of a million: unless told otherwise, hardly
// anything is reduced or left out, and nothing where pixels alone are looked at.
ExtractOptions extract_options(const Arguments& arguments, const RunConfig& config) {
  ExtractOptions options = config.extract;
  if (arguments.config.has_file()) return options;
  const bool pixels_alone = config.locate.method == "correlation";
  options.enlarge_to_px = 0;
  options.descriptor_form = "plain";
  if (arguments.longest_side->count() == 0) {
    options.longest_side_px = pixels_alone ? kNoReduction : 4096;
  }
  if (arguments.max_features->count() == 0) options.max_features = 5000;
  return options;
}

// The index, if --id needs it.
std::optional<IndexReader> open_index(const Arguments& arguments, const RunConfig& config) {
  if (arguments.ids.empty()) return std::nullopt;
  if (config.store.database.empty()) {
    throw Error(ErrorKind::kUsage, "--id: an index must be named with --database");
  }
  return std::optional<IndexReader>(std::filesystem::path(config.store.database));
}

// The files of the objects: those named, then those of the indexed images.
std::vector<std::string> object_files(const Arguments& arguments,
                                      const std::optional<IndexReader>& index) {
  std::vector<std::string> files = arguments.objects;
  for (const std::string& name : arguments.ids) {
    files.push_back(index->image(must_find(*index, name))->paths.front());
  }
  if (files.empty()) throw Error(ErrorKind::kUsage, "nothing to look for: give --object or --id");
  if (!arguments.mask.empty() && files.size() > 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--mask is for one object, there are {}", files.size()));
  }
  if (!arguments.map.empty() && (files.size() > 1 || arguments.scenes.size() > 1)) {
    throw Error(ErrorKind::kUsage, fmt::format("--map is for one object in one scene, there are {} "
                                               "and {}",
                                               files.size(), arguments.scenes.size()));
  }
  return files;
}

// Reads pictures, with features where these are asked.
class Loader {
 public:
  Loader(OpenClSession& session, const RunConfig& config, const ExtractOptions& options)
      : config_(config), options_(options) {
    if (config.locate.method != "correlation") extract_.emplace(session, options);
  }

  std::variant<Query, SkippedFile> load(const std::string& path) {
    auto decoded = decode_file(path, wanted_size(options_), config_.images);
    if (auto* skipped = std::get_if<SkippedFile>(&decoded)) return std::move(*skipped);
    auto& image = std::get<DecodedImage>(decoded);
    return extract_ ? query_of(*extract_, std::move(image)) : Query{std::move(image), {}};
  }

 private:
  const RunConfig& config_;
  ExtractOptions options_;
  std::optional<ExtractStage> extract_;  // where features are asked
};

void print_text(const std::string& scene, const ObjectLocated& one) {
  const Located& located = one.located;
  const std::string names = printable(scene) + ": " + printable(one.object);
  if (located.hits.empty()) {
    fmt::print("{} was not found: {}\n", names, located.reason);
  }
  for (const Hit& hit : located.hits) {
    fmt::print(
        "{}: centre ({:.2f}, {:.2f}){}  turned {:.2f} degrees  scale {:.4f}  "
        "correlation {:.3f}  by {}\n",
        names, hit.centre.x, hit.centre.y,
        hit.position_error_px ? fmt::format(" +- {:.2f}", *hit.position_error_px) : "",
        hit.angle_degrees, hit.scale, hit.correlation, to_string(located.method));
  }
}

ReportEntry entry_of(const std::string& scene, const std::vector<ObjectLocated>& objects) {
  ReportEntry entry{.photo = scene};
  for (const ObjectLocated& one : objects) {
    for (const Hit& hit : one.located.hits) {
      entry.findings.push_back(finding_of(one.object, one.located.method, hit));
    }
  }
  entry.found = !entry.findings.empty();
  entry.verdict =
      entry.found ? fmt::format("{} found", entry.findings.size()) : std::string("nothing found");
  return entry;
}

// An object as it is looked for.
struct Sought {
  std::string file;
  Query query{};          // its alpha is the mask
  std::string problem{};  // why it cannot be looked for; empty when it can
};

std::vector<Sought> load_objects(const Arguments& arguments, const RunConfig& config,
                                 const std::vector<std::string>& files, Loader& loader) {
  std::vector<Sought> objects;
  for (const std::string& file : files) {
    Sought& object = objects.emplace_back(Sought{.file = file});
    auto loaded = loader.load(file);
    if (const auto* skipped = std::get_if<SkippedFile>(&loaded)) {
      object.problem = fmt::format("{}: {}", skipped->reason, skipped->detail);
      spdlog::error("{}: {}", printable(file), object.problem);
      continue;
    }
    object.query = std::get<Query>(std::move(loaded));
    object.query.image.alpha = object_mask(object.query.image, arguments.mask, config.images);
  }
  return objects;
}

struct Outputs {
  std::optional<OutputFile> report;
  std::optional<OutputFile> map;
};

Outputs open_outputs(const Arguments& arguments, const RunConfig& config,
                     const std::vector<std::string>& objects, const IndexReader* index) {
  OutputGuard guard = arguments.outputs.guard(arguments.config, config, index);
  guard.add_inputs(objects);
  guard.add_inputs(arguments.scenes);
  guard.add_input(arguments.mask);
  return {guard.open_if_named("--report", arguments.report, page_kind()),
          guard.open_if_named("--map", arguments.map, correlation_picture_kind())};
}

// Looks for every object in a scene and answers.
ReportEntry answer(const Arguments& arguments, const RunConfig& config, OpenClSession& session,
                   const std::vector<Sought>& objects, const std::string& file, const Query& scene,
                   std::optional<OutputFile>& map) {
  std::vector<ObjectLocated> found;
  for (const Sought& object : objects) {
    if (!object.problem.empty()) {
      found.push_back({object.file, {.reason = object.problem}});
      continue;
    }
    found.push_back({object.file, locate(session, object.query, scene, config.match, config.locate,
                                         map.has_value())});
    if (!arguments.json) print_text(file, found.back());
    if (map) {
      map->write(encode_picture(correlation_picture(found.back().located.map)));
      map->commit();
    }
  }
  if (arguments.json) fmt::print("{}\n", json_text(locate_answer(file, found)));
  return entry_of(file, found);
}

int run_locate(const Arguments& arguments) {
  const RunConfig config = arguments.config.load();
  arguments.talk.apply();
  std::optional<IndexReader> index = open_index(arguments, config);
  const std::vector<std::string> files = object_files(arguments, index);
  Outputs outputs = open_outputs(arguments, config, files, index ? &*index : nullptr);
  index.reset();  // lets a writer truncate its log meanwhile
  OpenClSession session(session_options(config.device));
  Loader loader(session, config, extract_options(arguments, config));
  const std::vector<Sought> objects = load_objects(arguments, config, files, loader);
  Report report{.title = "Where lookalike found it", .facts = {}, .entries = {}};
  for (const Sought& object : objects) {
    report.facts.emplace_back(
        "object", object.problem.empty() ? object.file : object.file + ": " + object.problem);
  }
  const auto bad_objects = static_cast<std::size_t>(
      std::ranges::count_if(objects, [](const Sought& object) { return !object.problem.empty(); }));
  if (bad_objects == objects.size()) return exit_code(ErrorKind::kInput);
  std::size_t bad_scenes = 0;
  for (const std::string& file : arguments.scenes) {
    const auto scene = loader.load(file);
    if (const auto* unread = std::get_if<SkippedFile>(&scene)) {
      spdlog::error("{}: {}: {}", printable(file), unread->reason, unread->detail);
      if (arguments.json) fmt::print("{}\n", json_text(failed_answer("scene", file, *unread)));
      report.entries.push_back({.photo = file, .problem = unread->detail});
      ++bad_scenes;
      continue;
    }
    report.entries.push_back(
        answer(arguments, config, session, objects, file, std::get<Query>(scene), outputs.map));
  }
  if (outputs.report) write_whole(*outputs.report, render_report(report, config.images));
  if (bad_scenes + bad_objects == 0) return kExitDone;
  return bad_scenes == arguments.scenes.size() ? exit_code(ErrorKind::kInput) : kExitSkippedItems;
}

}  // namespace

void add_locate_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("locate", "Find every place where scenes show objects");
  command->footer(
      "Output: a line per place, or with --json one object per scene:\n"
      "  {\"scene\": path, \"hits\": [{\"object\", \"method\", \"centre\", \"position_error_px\",\n"
      "  \"angle_degrees\", \"scale\", \"correlation\", \"quad\"}, ...],\n"
      "  \"not_found\": [{\"object\", \"method\", \"reason\"}, ...]}\n"
      "  {\"scene\": path, \"error\": {\"kind\", \"reason\", \"message\"}} for one that cannot be "
      "read\n"
      "Transparent parts of an object do not count.\n"
      "Example: lookalike locate --object logo.png --scene shelf.jpg");
  const auto arguments = std::make_shared<Arguments>(*command);
  command->callback([=, &action] { action = [=] { return run_locate(*arguments); }; });
}

}  // namespace lookalike
