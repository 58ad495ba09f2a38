#include <cstddef>
#include <iterator>
#include <limits>
#include <string_view>

#include <fmt/ranges.h>
#include <opencv2/imgproc.hpp>

#include "pipeline/device/open_session.h"
#include "stages/decode/decode.h"
#include "stages/extract/extract_stage.h"
#include "tools/command_line/standard_input.h"
#include "tools/lookalike/commands.h"
#include "tools/lookalike/object_mask.h"

namespace lookalike {
namespace {

std::vector<std::string> column_names(std::size_t descriptor_size) {
  std::vector<std::string> names = {"x", "y", "size", "angle", "response", "octave", "class_id"};
  for (std::size_t i = 0; i < descriptor_size; ++i) names.push_back(fmt::format("d{}", i));
  return names;
}

struct FeaturesArguments : OutputtingArguments {
  explicit FeaturesArguments(CLI::App& command)
      : OutputtingArguments(command),
        format(command, {.columns = {"x", "y", "size", "angle", "response", "octave", "class_id",
                                     "d0", "d1", "..."}}) {
    add_value(command, "IMAGE", image, "Photo to extract features from, or - for standard input")
        ->required();
    add_value(command, "--mask IMAGE", mask,
              "Extract features only where this picture is not black");
    add_value(command, "--csv FILE", csv, "Write the table as CSV; - for standard output")
        ->excludes("--format")
        ->excludes("--json");
    config.add_extraction();
    longest_side =
        config.add("extract.longest_side_px")->default_str("no limit, or the configuration file's");
    max_features =
        command.get_option("--max-features")->default_str("no limit, or the configuration file's");
    config.add("device.choice");
  }
  FormatArgument format;
  CLI::Option* max_features = nullptr;
  CLI::Option* longest_side = nullptr;
  std::string mask;
  std::string csv;
  std::string image;
};

DecodedImage must_decode(const FeaturesArguments& arguments, const RunConfig& config,
                         const std::string& file) {
  // Reduces the photo only for a configuration file or the option.
  const bool reduce = arguments.config.has_file() || arguments.longest_side->count() > 0;
  const std::uint32_t longest_side_px =
      reduce ? config.extract.longest_side_px : std::numeric_limits<std::uint32_t>::max();
  auto decoded = decode_file(file, longest_side_px, config.images);
  if (const auto* skipped = std::get_if<SkippedFile>(&decoded)) {
    throw Error(ErrorKind::kInput, unusable_text(arguments.image, *skipped));
  }
  return std::get<DecodedImage>(std::move(decoded));
}

// Returns the mask of features at the size of extraction: not 0 where the image is not transparent
// and the mask file, if any, is not black. Empty means everywhere.
GrayImage load_mask(const std::string& path, const DecodedImage& image,
                    const ImagesOptions& limits) {
  if (path.empty()) return image.alpha;
  const cv::Mat mask = read_mask(path, image.record, limits);
  GrayImage result(image.pixels.width, image.pixels.height);
  cv::Mat target(result.height, result.width, CV_8U, result.pixels.data());
  cv::resize(mask, target, target.size(), 0, 0, cv::INTER_NEAREST);
  for (std::size_t i = 0; i < image.alpha.pixels.size(); ++i) {
    if (image.alpha.pixels[i] == 0) result.pixels[i] = 0;
  }
  return result;
}

FeatureSet extract(const FeaturesArguments& arguments, const RunConfig& config,
                   const DecodedImage& image) {
  const GrayImage mask = load_mask(arguments.mask, image, config.images);
  ExtractOptions options = config.extract;
  if (!arguments.config.has_file() && arguments.max_features->count() == 0) {
    options.max_features = 0;  // unlimited
  }
  if (!arguments.config.has_file()) options.descriptor_form = "plain";
  OpenClSession session(session_options(config.device));
  ExtractStage stage(session, options);
  const ImageView allowed = mask.view();
  return std::move(stage.run({&image, 1}, {&allowed, 1}).front().features);
}

std::string csv_header(std::size_t descriptor_size) {
  return fmt::format("{}\n", fmt::join(column_names(descriptor_size), ","));
}

// Formats the features as CSV; numbers read back to the same floats.
std::string csv(const FeatureSet& features) {
  std::string text = csv_header(features.descriptor_size);
  auto out = std::back_inserter(text);
  const MatrixView<const float> descriptors = features.descriptor_matrix();
  for (std::size_t i = 0; i < features.size(); ++i) {
    const Keypoint& point = features.keypoints[i];
    fmt::format_to(out, "{},{},{},{},{},{},{}", point.x, point.y, point.size, point.angle_degrees,
                   point.response, point.octave, point.laplacian_sign);
    for (const float value : descriptors.row(i)) fmt::format_to(out, ",{}", value);
    text += '\n';
  }
  return text;
}

// Returns the double nearest to the shortest decimal of a float, which prints as that decimal.
double to_double(float value) {
  return std::stod(fmt::format("{}", value));
}

Json to_json(const std::string& name, const ImageRecord& image, const FeatureSet& features) {
  Json json = {{"image", text_of_path(name)},
               {"width", image.width},
               {"height", image.height},
               {"descriptor_size", features.descriptor_size},
               {"features", Json::array()}};
  const MatrixView<const float> descriptors = features.descriptor_matrix();
  for (std::size_t i = 0; i < features.size(); ++i) {
    const Keypoint& point = features.keypoints[i];
    Json descriptor = Json::array();
    for (const float value : descriptors.row(i)) descriptor.push_back(to_double(value));
    json["features"].push_back({{"x", to_double(point.x)},
                                {"y", to_double(point.y)},
                                {"size", to_double(point.size)},
                                {"angle", to_double(point.angle_degrees)},
                                {"response", to_double(point.response)},
                                {"octave", point.octave},
                                {"class_id", point.laplacian_sign},
                                {"descriptor", std::move(descriptor)}});
  }
  return json;
}

// Not with a Printer, whose tables round numbers.
void print(const FeaturesArguments& arguments, const ImageRecord& image,
           const FeatureSet& features) {
  const Format format = arguments.format.get();
  if (format == Format::kJson) return print_json(to_json(arguments.image, image, features));
  if (format == Format::kText) {
    fmt::print("{}: {} features of {} numbers in {} x {} px\n", printable(arguments.image),
               features.size(), features.descriptor_size, image.width, image.height);
    return;
  }
  std::string rows = csv(features);
  if (format == Format::kTsv) std::ranges::replace(rows, ',', '\t');
  fmt::print("{}", rows);
}

OutputKind csv_kind() {
  return {"a table of features", [](std::string_view start) {
            return start.starts_with(csv_header(64)) || start.starts_with(csv_header(128));
          }};
}

int features(const FeaturesArguments& arguments, RunConfig config, Progress::Style /*style*/) {
  OutputGuard guard = arguments.outputs.guard(arguments.config, config);
  StandardInput input(config.images);
  const std::string file = input.file_of(arguments.image);
  guard.add_input(file);
  guard.add_input(arguments.mask);
  std::optional<OutputFile> table = guard.open_if_named("--csv", arguments.csv, csv_kind());
  const DecodedImage image = must_decode(arguments, config, file);
  const FeatureSet found = extract(arguments, config, image);
  if (table) {
    write_whole(*table, csv(found));
  } else {
    print(arguments, image.record, found);
  }
  return kExitDone;
}

}  // namespace

void add_features_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "features", "Extract the SURF features of one photo",
      "Output: the number of features, or a table of them. Units are px of the upright photo at "
      "full size and degrees; strongest first; class_id is the sign of the Laplacian.\n"
      "Without --config, the photo is not reduced, all features are kept, and descriptors are not "
      "normalised.\n"
      "Example: lookalike features --hessian-threshold 400 --csv features.csv photo.jpg",
      features);
}

}  // namespace lookalike
