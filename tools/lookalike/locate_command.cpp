#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
#include "stages/decode/opencv_codecs.h"
#include "stages/match/locate/locate.h"
#include "tools/lookalike/commands.h"
#include "tools/lookalike/object_mask.h"
#include "tools/report/report.h"

namespace lookalike {
namespace {

struct Arguments : ComputeArguments {
  explicit Arguments(CLI::App& command) : ComputeArguments(command) {
    command.add_option("--object", objects, "Pictures of the objects to find")->type_name("IMAGE");
    config.add_database();
    command.add_option("--id", ids, "Indexed images to find")->type_name("PATH|NUMBER");
    command.add_option("--scene", scenes, "Photos to search")->required()->type_name("IMAGE");
    config.add("--method", "locate.method");
    longest_side = config.add("--longest-side", "extract.longest_side_px");
    max_features = config.add("--max-features", "extract.max_features");
    config.add("--hessian-threshold", "extract.hessian_threshold");
    config.add("--device", "device.choice");
    command
        .add_option("--mask", mask,
                    "Mask of the same size as the one object; pixels black in it are ignored")
        ->type_name("IMAGE");
    command.add_flag("--json", json, "Print one JSON object per scene, one per line");
    command.add_option("--report", report, "Write an HTML page that shows what was found")
        ->type_name("FILE.html");
    command
        .add_option("--map", map,
                    "Write the correlation of the one object at each position of the one scene")
        ->type_name("FILE.png");
  }
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

constexpr std::uint32_t kNoReductionPx = 1U << 20;  // above the side of any picture

// One pair of pictures may take longer than each of a million indexed ones. So the defaults here
// hardly reduce pictures or limit features, and do not reduce at all for correlation alone.
ExtractOptions extract_options(const Arguments& arguments, const RunConfig& config) {
  ExtractOptions options = config.extract;
  if (arguments.config.has_file()) return options;
  const bool pixels_alone = config.locate.method == "correlation";
  options.enlarge_to_px = 0;
  options.descriptor_form = "plain";
  if (arguments.longest_side->count() == 0) {
    options.longest_side_px = pixels_alone ? kNoReductionPx : 4096;
  }
  if (arguments.max_features->count() == 0) options.max_features = 5000;
  return options;
}

// Opens the index if --id needs it.
std::optional<IndexReader> open_index(const Arguments& arguments, RunConfig& config) {
  if (arguments.ids.empty()) return std::nullopt;
  return std::optional<IndexReader>(
      std::filesystem::path(arguments.config.existing_database(config)));
}

// The files of the objects: those of --object, then those of --id.
std::vector<std::string> object_files(const Arguments& arguments,
                                      const std::optional<IndexReader>& index) {
  std::vector<std::string> files = arguments.objects;
  for (const std::string& name : arguments.ids) {
    files.push_back(index->image(must_find(*index, name))->paths.front());
  }
  if (files.empty()) throw Error(ErrorKind::kUsage, "no object is named: give --object or --id");
  if (!arguments.mask.empty() && files.size() > 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--mask is for one object, there were {}", files.size()));
  }
  if (!arguments.map.empty() && (files.size() > 1 || arguments.scenes.size() > 1)) {
    throw Error(ErrorKind::kUsage, fmt::format("--map is for one object in one scene, there were "
                                               "{} and {}",
                                               files.size(), arguments.scenes.size()));
  }
  return files;
}

// Reads pictures, and extracts their features if the method uses them.
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
  std::optional<ExtractStage> extract_;
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
      entry.findings.push_back({.image = one.object,
                                .paths = {printable(one.object)},
                                .facts = {{"found by", std::string(to_string(one.located.method))},
                                          {"angle", fmt::format("{:.1f}°", hit.angle_degrees)},
                                          {"scale", fmt::format("{:.3f}", hit.scale)},
                                          {"correlation", fmt::format("{:.3f}", hit.correlation)}},
                                .quad = hit.quad,
                                .pairs = {}});
      if (hit.inliers > 0) {
        entry.findings.back().facts.emplace_back("inliers", fmt::format("{}", hit.inliers));
      }
    }
  }
  entry.found = !entry.findings.empty();
  entry.verdict =
      entry.found ? fmt::format("{} found", entry.findings.size()) : std::string("nothing found");
  return entry;
}

struct Object {
  std::string file;
  Query query{};          // its alpha is the mask
  std::string problem{};  // why it could not be read; empty when it was
};

std::vector<Object> load_objects(const Arguments& arguments, const RunConfig& config,
                                 const std::vector<std::string>& files, Loader& loader) {
  std::vector<Object> objects;
  for (const std::string& file : files) {
    Object& object = objects.emplace_back(Object{.file = file});
    auto loaded = loader.load(file);
    if (const auto* skipped = std::get_if<SkippedFile>(&loaded)) {
      object.problem = fmt::format("{}: {}", skipped->reason, skipped->detail);
      spdlog::error("{}", unusable_text(file, *skipped));
      continue;
    }
    object.query = std::get<Query>(std::move(loaded));
    object.query.image.alpha = object_mask(object.query.image, arguments.mask, config.images);
  }
  return objects;
}

// The text chunk "Software: lookalike", by which a map is recognised: length of the data, type,
// data, checksum of type and data. PNG Specification (ISO/IEC 15948), whose annex D defines the
// checksum.
std::string software_chunk() {
  constexpr std::string_view kTypeAndData{"tEXtSoftware\0lookalike", 22};
  constexpr std::uint32_t kPolynomial = 0xEDB88320U;
  std::uint32_t crc = ~0U;
  for (const char byte : kTypeAndData) {
    crc ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ ((crc & 1U) != 0 ? kPolynomial : 0U);
  }
  std::string chunk;
  const auto put = [&](std::size_t value) {  // big-endian
    for (const int shift : {24, 16, 8, 0}) chunk += static_cast<char>(value >> shift & 0xFFU);
  };
  put(kTypeAndData.size() - 4);
  chunk += kTypeAndData;
  put(~crc);
  return chunk;
}

// A PNG file starts with this signature and the chunk IHDR, which has 13 bytes of data.
constexpr std::string_view kPngSignature{"\x89PNG\r\n\x1A\n", 8};
constexpr std::size_t kPngHeaderEnd = kPngSignature.size() + 12 + 13;

// The map as a grey PNG file: black where the correlation is undefined, 0 or negative, white where
// it is 1.
Bytes png_of(const PoseMap& map) {
  cv::Mat picture(map.height, map.width, CV_8U);
  std::transform(map.scores.begin(), map.scores.end(), picture.begin<std::uint8_t>(),
                 [](float score) {
                   return static_cast<std::uint8_t>(std::lround(255 * std::clamp(score, 0.F, 1.F)));
                 });
  Bytes bytes = encode_image(".png", picture);
  require(bytes.size() > kPngHeaderEnd, "locate: OpenCV made no PNG file");
  const std::string chunk = software_chunk();
  bytes.insert(bytes.begin() + kPngHeaderEnd, chunk.begin(), chunk.end());
  return bytes;
}

OutputKind map_kind() {
  return {"a correlation map of lookalike", [](std::string_view start) {
            return start.starts_with(kPngSignature) && start.size() > kPngHeaderEnd &&
                   start.substr(kPngHeaderEnd).starts_with(software_chunk());
          }};
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
          guard.open_if_named("--map", arguments.map, map_kind())};
}

// Searches a scene for every object, prints the answer and returns its entry in the report.
ReportEntry answer(const Arguments& arguments, const RunConfig& config, OpenClSession& session,
                   const std::vector<Object>& objects, const std::string& file, const Query& scene,
                   std::optional<OutputFile>& map) {
  std::vector<ObjectLocated> found;
  for (const Object& object : objects) {
    if (!object.problem.empty()) {
      found.push_back({object.file, {.reason = object.problem}});
      continue;
    }
    found.push_back({object.file, locate(session, object.query, scene, config.match, config.locate,
                                         map.has_value())});
    if (!arguments.json) print_text(file, found.back());
    if (map) {
      map->write(png_of(found.back().located.map));
      map->commit();
    }
  }
  if (arguments.json) print_json(locate_answer(file, found));
  return entry_of(file, found);
}

int run_locate(const Arguments& arguments) {
  RunConfig config = arguments.config.load();
  arguments.verbosity.apply();
  std::optional<IndexReader> index = open_index(arguments, config);
  const std::vector<std::string> files = object_files(arguments, index);
  Outputs outputs = open_outputs(arguments, config, files, index ? &*index : nullptr);
  index.reset();  // so that a writer can truncate its log meanwhile
  OpenClSession session(session_options(config.device));
  Loader loader(session, config, extract_options(arguments, config));
  const std::vector<Object> objects = load_objects(arguments, config, files, loader);
  Report report{.title = "Where lookalike found it", .facts = {}, .entries = {}};
  for (const Object& object : objects) {
    report.facts.emplace_back(
        "object", object.problem.empty() ? object.file : object.file + ": " + object.problem);
  }
  const auto bad_objects = static_cast<std::size_t>(
      std::ranges::count_if(objects, [](const Object& object) { return !object.problem.empty(); }));
  if (bad_objects == objects.size()) return exit_code(ErrorKind::kInput);
  std::size_t bad_scenes = 0;
  for (const std::string& file : arguments.scenes) {
    const auto scene = loader.load(file);
    if (const auto* unread = std::get_if<SkippedFile>(&scene)) {
      spdlog::error("{}", unusable_text(file, *unread));
      if (arguments.json) print_json(failed_answer("scene", file, *unread));
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
  add_command(
      app, action, "locate", "Find every place where scenes show given objects",
      "Output: one line per place, or with --json one object per scene:\n"
      "  {\"scene\": path, \"hits\": [{\"object\", \"method\", \"centre\", \"position_error_px\",\n"
      "  \"angle_degrees\", \"scale\", \"correlation\", \"quad\"}, ...],\n"
      "  \"not_found\": [{\"object\", \"method\", \"reason\"}, ...]}\n"
      "  {\"scene\": path, \"error\": {\"kind\", \"reason\", \"message\"}} for a scene that cannot "
      "be read\n"
      "Transparent parts of an object are ignored.\n"
      "Example: lookalike locate --object logo.png --scene shelf.jpg",
      run_locate);
}

}  // namespace lookalike
