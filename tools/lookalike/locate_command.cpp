#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <variant>

#include <opencv2/imgproc.hpp>

#include "base/path_set.h"
#include "pipeline/answers.h"
#include "pipeline/device/open_session.h"
#include "pipeline/searcher.h"
#include "stages/decode/colours.h"
#include "stages/decode/encode.h"
#include "stages/match/locate/locate.h"
#include "stages/match/refine/frame.h"
#include "tools/command_line/standard_input.h"
#include "tools/lookalike/commands.h"
#include "tools/lookalike/object_mask.h"
#include "tools/report/report.h"

namespace lookalike {
namespace {

struct LocateArguments : OutputtingArguments {
  explicit LocateArguments(CLI::App& command)
      : OutputtingArguments(command),
        format(command, {.json = "one JSON object per scene, one per line",
                         .columns = {"scene", "object", "method", "x", "y", "position_error_px",
                                     "angle_degrees", "scale", "correlation", "colour", "error"},
                         .paths = {"scene", "object"}}) {
    add_value(command, "--object IMAGE", objects,
              "Pictures of the objects to find; - for standard input");
    add_value(command, "--id PATH|NUMBER", ids, "Indexed images to find");
    config.add_databases();
    add_value(command, "--scene IMAGE", scenes, "Photos to search; - for standard input")
        ->required();
    config.add({"locate.method", "locate.gray", "locate.changed", "locate.min_correlation",
                "locate.min_scale", "locate.max_scale", "locate.min_turn_degrees",
                "locate.max_turn_degrees", "locate.max_hits"});
    command.add_flag("--fail-if-none", fail_if_none,
                     "Exit with 6 when every scene was searched and an object is in none of them");
    add_value(command, "--mask IMAGE", mask,
              "Mask of the same size as the one object; pixels black in it are ignored");
    add_value(command, "--report FILE.html", report,
              "Write an HTML page that shows what was found");
    add_value(command, "--map FILE.png", map,
              "Write the correlation of the one object at each position of the one scene");
    longest_side = config.add("extract.longest_side_px")
                       ->default_str(
                           "4096, or the configuration file's; --method correlation: "
                           "no limit");
    max_features =
        config.add("extract.max_features")->default_str("5000, or the configuration file's");
    config.add({"extract.hessian_threshold", "device.choice"});
  }
  FormatArgument format;
  CLI::Option* longest_side = nullptr;
  CLI::Option* max_features = nullptr;
  std::vector<std::string> objects;
  std::vector<std::string> ids;  // paths or numbers
  std::vector<std::string> scenes;
  std::string mask;
  std::string report;
  std::string map;
  bool fail_if_none = false;
};

constexpr std::uint32_t kNoReductionPx = 1U << 20;  // above the longest side of any picture

// Returns the settings for objects and scenes. Without a configuration file they hardly reduce
// pictures or limit features, and do not reduce for correlation alone: one pair of pictures may
// take longer than one of a million indexed images.
ExtractOptions extract_options(const LocateArguments& arguments, const RunConfig& config) {
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

std::optional<IndexReader> open_locate_index(const LocateArguments& arguments, RunConfig& config) {
  if (arguments.ids.empty()) return std::nullopt;
  return arguments.config.open_searched(config);
}

// Returns the names of the objects: of --object, then the files of --id.
std::vector<std::string> object_names(const LocateArguments& arguments,
                                      const std::optional<IndexReader>& index) {
  std::vector<std::string> names = arguments.objects;
  for (const std::string& name : arguments.ids) {
    names.push_back(file_of_image(*index, name));
  }
  if (names.empty()) throw Error(ErrorKind::kUsage, "no object is named: give --object or --id");
  if (!arguments.mask.empty() && names.size() > 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--mask is for one object, there were {}", names.size()));
  }
  if (!arguments.map.empty() && (names.size() > 1 || arguments.scenes.size() > 1)) {
    throw Error(ErrorKind::kUsage, fmt::format("--map is for one object in one scene, there were "
                                               "{} and {}",
                                               names.size(), arguments.scenes.size()));
  }
  return names;
}

// Reads a picture in colour; empty if it cannot be read.
ColourImage colours_of(const std::string& path, double most_pixels, const ImagesOptions& limits) {
  const auto loaded = load_file(path, limits);
  const auto* file = std::get_if<LoadedFile>(&loaded);
  if (file == nullptr) return {};
  auto decoded = decode_in_colour(*file, most_pixels, limits);
  auto* picture = std::get_if<ColourImage>(&decoded);
  return picture != nullptr ? std::move(*picture) : ColourImage{};
}

struct Colours {
  std::once_flag read;
  ColourImage picture;
};

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
    Query query = extract_ ? query_of(*extract_, std::move(image)) : Query{std::move(image), {}};
    // Read once, because every object is sought in every scene.
    query.colours = [path, limits = config_.images,
                     known = std::make_shared<Colours>()](double most_pixels) {
      std::call_once(known->read, [&] { known->picture = colours_of(path, most_pixels, limits); });
      return known->picture;
    };
    return query;
  }

 private:
  const RunConfig& config_;
  ExtractOptions options_;
  std::optional<ExtractStage> extract_;
};

void print_locate(const std::string& scene, const std::vector<ObjectLocated>& objects) {
  std::size_t found = 0;
  for (const ObjectLocated& one : objects) found += one.located.hits.size();
  fmt::print("{}: {}\n", styled(printable(scene), fmt::emphasis::bold),
             found > 0 ? fmt::format("{} found", found) : std::string("nothing found"));
  std::size_t number = 0;
  for (const ObjectLocated& one : objects) {
    const std::string object = printable(one.object);
    for (const Hit& hit : one.located.hits) {
      const auto& error = hit.position_error_px;
      print_row(++number, std::string(to_string(one.located.method)),
                fg(fmt::terminal_color::green),
                {{"x", fmt::format("{:.2f}", hit.centre.x)},
                 {"y", fmt::format("{:.2f}", hit.centre.y)},
                 {"turn", fmt::format("{:.2f}", hit.angle_degrees)},
                 {"scale", fmt::format("{:.4f}", hit.scale)},
                 {"correlation", fmt::format("{:.3f}", hit.correlation)},
                 {"colour", hit.colour ? fmt::format("{:.3f}", *hit.colour) : "-"},
                 {"error", error ? fmt::format("{:.2f}", *error) : "-"}},
                object);
    }
    if (one.located.hits.empty()) {
      const std::string text = fmt::format("{} was not found: {}", object, one.located.reason);
      fmt::print("      {}\n", wrapped(text, text_columns(), 6, 6));
    }
  }
}

// Returns a row per place and per object that was not found.
Json locate_rows(const Json& answer) {
  Json rows = Json::array();
  for (Json hit : answer["hits"]) {
    hit["x"] = hit["centre"][0];
    hit["y"] = hit["centre"][1];
    hit["scene"] = answer["scene"];
    rows.push_back(std::move(hit));
  }
  for (const Json& missing : answer["not_found"]) {
    rows.push_back({{"scene", answer["scene"]},
                    {"object", missing["object"]},
                    {"method", missing["method"]},
                    {"error", missing["reason"]}});
  }
  return rows;
}

struct Object {
  std::string name;
  std::string file;       // to read
  Query query{};          // its alpha is the mask
  std::string problem{};  // why it could not be read; empty if it was
};

// Returns the answer with the number of features that agree, and its pictures.
//   file   of the scene
//   found  parallel to the objects
ReportItem report_item(const std::string& scene, const std::string& file,
                       const std::vector<Object>& objects,
                       const std::vector<ObjectLocated>& found) {
  ReportItem item{locate_answer(scene, found), {photo_picture(scene, file)}};
  auto hit_answer = item.answer["hits"].begin();
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const Hit& hit : found[i].located.hits) (*hit_answer++)["inliers"] = hit.inliers;
    if (found[i].located.hits.empty()) continue;
    item.pictures.push_back(
        {text_of_path(found[i].object), normal_path(objects[i].file), kMatchSidePx});
  }
  return item;
}

// Makes the colours of what the mask hides transparent.
void hide_masked(Query& query) {
  query.colours = [colours = std::move(query.colours),
                   mask = query.image.alpha](double most_pixels) {
    ColourImage picture = colours(most_pixels);
    if (picture.empty() || mask.empty()) return picture;
    picture.alpha = GrayImage(picture.brightness.width, picture.brightness.height);
    cv::Mat alpha(picture.alpha.height, picture.alpha.width, CV_8U, picture.alpha.pixels.data());
    cv::resize(
        cv::Mat(mask.height, mask.width, CV_8U, const_cast<std::uint8_t*>(mask.pixels.data())),
        alpha, alpha.size(), 0, 0, cv::INTER_NEAREST);
    return picture;
  };
}

std::vector<Object> load_objects(const LocateArguments& arguments, const RunConfig& config,
                                 const std::vector<std::string>& names, StandardInput& input,
                                 Loader& loader) {
  std::vector<Object> objects;
  for (const std::string& name : names) {
    Object& object = objects.emplace_back(Object{.name = name, .file = input.file_of(name)});
    auto loaded = loader.load(object.file);
    if (const auto* skipped = std::get_if<SkippedFile>(&loaded)) {
      object.problem = fmt::format("{}: {}", skipped->reason, skipped->detail);
      spdlog::error("{}", unusable_text(name, *skipped));
      continue;
    }
    object.query = std::get<Query>(std::move(loaded));
    object.query.image.alpha = object_mask(object.query.image, arguments.mask, config.images);
    if (!arguments.mask.empty()) hide_masked(object.query);
  }
  return objects;
}

// Returns the PNG text chunk "Software: lookalike", which identifies a map: length of the data,
// type, data, checksum of type and data. PNG Specification (ISO/IEC 15948); annex D defines the
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

// A PNG file starts with this signature and the chunk IHDR of 13 bytes of data.
constexpr std::string_view kPngSignature{"\x89PNG\r\n\x1A\n", 8};
constexpr std::size_t kPngHeaderEnd = kPngSignature.size() + 12 + 13;

// Encodes the map as a grey PNG file: black where the correlation is undefined, 0 or negative,
// white where it is 1.
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

Outputs open_outputs(const LocateArguments& arguments, const RunConfig& config,
                     const std::vector<std::string>& objects, const IndexReader* index) {
  OutputGuard guard = arguments.outputs.guard(arguments.config, config, index);
  guard.add_inputs(objects);
  guard.add_inputs(arguments.scenes);
  guard.add_input(arguments.mask);
  return {guard.open_if_named("--report", arguments.report, page_kind()),
          guard.open_if_named("--map", arguments.map, map_kind())};
}

// Searches a scene for every object, and writes the map of the one object.
std::vector<ObjectLocated> locate_all(OpenClSession& session, const RunConfig& config,
                                      const std::vector<Object>& objects, const Query& scene,
                                      std::optional<OutputFile>& map) {
  std::vector<ObjectLocated> found;
  for (const Object& object : objects) {
    if (!object.problem.empty()) {
      found.push_back({object.name, {.reason = object.problem}});
      continue;
    }
    found.push_back({object.name, locate(session, object.query, scene, config.match, config.locate,
                                         map.has_value())});
    if (map) {
      map->write(png_of(found.back().located.map));
      map->commit();
    }
  }
  return found;
}

void print_answer(const Printer& printer, const std::string& scene,
                  const std::vector<ObjectLocated>& found) {
  const Json answer = locate_answer(scene, found);
  Json rows = locate_rows(answer);
  if (printer.format() == Format::kPaths) {  // scenes with a hit
    rows = answer["hits"].empty() ? Json::array() : Json{{"path", answer["scene"]}};
  }
  printer.print(answer, rows, [&] { print_locate(scene, found); });
}

void print_failure(const Printer& printer, const std::string& scene, const SkippedFile& why) {
  spdlog::error("{}", unusable_text(scene, why));
  const Json answer = failed_answer("scene", scene, why);
  printer.print(answer, {{"scene", answer["scene"]}, {"error", answer["error"]["message"]}}, [] {});
}

int run_locate(const LocateArguments& arguments, RunConfig config, Progress::Style /*style*/) {
  std::optional<IndexReader> index = open_locate_index(arguments, config);
  const std::vector<std::string> names = object_names(arguments, index);
  Outputs outputs = open_outputs(arguments, config, names, index ? &*index : nullptr);
  index.reset();  // so that a writer can truncate its log meanwhile
  OpenClSession session(session_options(config.device));
  Loader loader(session, config, extract_options(arguments, config));
  StandardInput input(config.images);
  const std::vector<Object> objects = load_objects(arguments, config, names, input, loader);
  Report report{.title = "Where lookalike found it", .facts = {}, .items = {}};
  for (const Object& object : objects) {
    report.facts.emplace_back(
        "object", object.problem.empty() ? object.name : object.name + ": " + object.problem);
  }
  const auto bad_objects = static_cast<std::size_t>(
      std::ranges::count_if(objects, [](const Object& object) { return !object.problem.empty(); }));
  if (bad_objects == objects.size()) return exit_code(ErrorKind::kInput);
  const Printer printer(arguments.format);
  std::size_t bad_scenes = 0;
  std::vector<bool> is_found(objects.size());
  for (const std::string& name : arguments.scenes) {
    const std::string file = input.file_of(name);
    const auto scene = loader.load(file);
    if (const auto* unread = std::get_if<SkippedFile>(&scene)) {
      print_failure(printer, name, *unread);
      report.items.push_back({failed_answer("scene", name, *unread), {}});
      ++bad_scenes;
      continue;
    }
    const std::vector<ObjectLocated> found =
        locate_all(session, config, objects, std::get<Query>(scene), outputs.map);
    for (std::size_t i = 0; i < found.size(); ++i) {
      is_found[i] = is_found[i] || !found[i].located.hits.empty();
    }
    print_answer(printer, name, found);
    report.items.push_back(report_item(name, file, objects, found));
  }
  if (outputs.report) write_report(*outputs.report, report, config.images);
  if (bad_scenes + bad_objects == 0) {
    const bool is_missing = std::ranges::find(is_found, false) != is_found.end();
    return arguments.fail_if_none && is_missing ? kExitNothingFound : kExitDone;
  }
  return bad_scenes == arguments.scenes.size() ? exit_code(ErrorKind::kInput) : kExitSkippedItems;
}

}  // namespace

void add_locate_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "locate", "Find every place where scenes show given objects",
      "Output: the places in each scene: centre in px, rotation in degrees clockwise, scale, "
      "correlation, standard error of the centre in px. A table has a row per place; paths are the "
      "scenes in which something was found.\n"
      "Transparent parts of an object are ignored.\n"
      "Example: lookalike locate --object logo.png --scene shelf.jpg",
      run_locate);
}

}  // namespace lookalike
