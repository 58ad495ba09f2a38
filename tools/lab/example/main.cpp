// Draws pictures for the demo, the README and the tests.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>

#include "base/error.h"
#include "base/program.h"
#include "stages/decode/encode.h"
#include "stages/decode/pixels.h"
#include "storage/output_file.h"
#include "tests/fixtures/drawing.h"
#include "tests/fixtures/image_files.h"
#include "tools/command_line/command_line.h"

namespace lookalike {
namespace {

const cv::Size kPosterSize = {480, 640};
const cv::Size kFileSize = {160, 120};
const cv::Size kSceneSize = {1000, 640};

cv::Mat read_picture(const std::string& path) {
  return must_load_pixels(path, PixelMode::kColour, ImagesOptions()).pixels;
}

// The places of the pictures in a scene: the first seen from its left, the second from below and
// rotated.
Quad place(std::size_t index) {
  if (index == 0) return {{{110, 96}, {436, 150}, {428, 530}, {98, 598}}};
  return {{{612, 70}, {924, 122}, {860, 560}, {548, 484}}};
}

struct Arguments {
  std::string output;
  std::vector<std::string> inputs;
  std::uint64_t count = 12;
  std::uint64_t seed = 1;
  double angle_degrees = 30;
  double scale = 0.75;
  double megapixels = 0;
  bool mutated = false;
  bool force = false;
};

// Picture formats share no mark, so only --force replaces a file.
OutputFile open_output(const Arguments& arguments, const std::string& path) {
  OutputGuard guard(arguments.force);
  guard.add_inputs(arguments.inputs);
  return guard.open("--output", path, {"an empty one", [](std::string_view) { return false; }});
}

void write_file(const Arguments& arguments, const std::string& path, const FileBytes& bytes) {
  OutputFile file = open_output(arguments, path);
  file.write(bytes);
  file.commit();
}

constexpr int kJpegQuality = 88;

FileBytes encoded(const cv::Mat& image, const std::string& extension) {
  return encode_image(extension, image, kJpegQuality);
}

int write_picture(const Arguments& arguments, const cv::Mat& image) {
  const std::string extension = std::filesystem::path(arguments.output).extension();
  write_file(arguments, arguments.output, encoded(image, extension));
  return kExitDone;
}

// Writes a folder of files: make(i) gives the name and the bytes of each.
template <typename Make>
int write_folder(const Arguments& arguments, const Make& make) {
  std::filesystem::create_directories(arguments.output);
  for (std::uint64_t i = 0; i < arguments.count; ++i) {
    const auto [name, bytes] = make(i);
    write_file(arguments, arguments.output + '/' + name, bytes);
  }
  return kExitDone;
}

int draw_posters(const Arguments& arguments) {
  return write_folder(arguments, [&](std::uint64_t i) {
    return std::pair(fmt::format("poster-{:02}.png", i),
                     encoded(draw_poster(arguments.seed + i, kPosterSize), ".png"));
  });
}

const FileFormat& format_of(std::uint64_t seed) {
  return file_formats()[seed % file_formats().size()];
}

FileBytes image_file(std::uint64_t seed) {
  return format_of(seed).make(draw_poster(seed, kFileSize));
}

// Writes posters in each format in turn. Mutated files take foreign starts from the first ones.
int draw_files(const Arguments& arguments) {
  std::vector<FileBytes> others;
  for (std::uint64_t i = 0; i < file_formats().size(); ++i) others.push_back(image_file(i));
  Random random(arguments.seed);
  return write_folder(arguments, [&](std::uint64_t i) {
    FileBytes bytes = image_file(arguments.seed + i);
    if (arguments.mutated) bytes = mutated(std::move(bytes), others, random);
    return std::pair(fmt::format("{:06}{}", i, format_of(arguments.seed + i).ending),
                     std::move(bytes));
  });
}

// Resized unless the size is 0, with a square of noise at a random place.
cv::Mat changed_copy(const cv::Mat& picture, double megapixels, std::uint64_t seed) {
  cv::Mat copy = picture.clone();
  if (megapixels > 0) {
    const double factor = std::sqrt(megapixels * 1e6 / static_cast<double>(picture.total()));
    cv::resize(picture, copy, {}, factor, factor, cv::INTER_CUBIC);
  }
  const int side = std::min({32, copy.cols, copy.rows});
  Random random(seed);
  const cv::Point at(random.below(copy.cols - side + 1), random.below(copy.rows - side + 1));
  draw_stranger(seed, {side, side}).copyTo(copy(cv::Rect(at, cv::Size(side, side))));
  return copy;
}

int draw_copies(const Arguments& arguments) {
  return write_folder(arguments, [&](std::uint64_t i) {
    const cv::Mat picture = read_picture(arguments.inputs[i % arguments.inputs.size()]);
    const cv::Mat copy = changed_copy(picture, arguments.megapixels, arguments.seed + i);
    return std::pair(fmt::format("{:06}.jpg", i), encoded(copy, ".jpg"));
  });
}

int draw_scene_with(const Arguments& arguments) {
  std::vector<Placement> placements;
  for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
    placements.push_back({read_picture(arguments.inputs[i]), place(i)});
  }
  return write_picture(arguments, draw_scene(placements, kSceneSize, arguments.seed));
}

int draw_crop(const Arguments& arguments) {
  return write_picture(arguments, turned_crop(read_picture(arguments.inputs.front()),
                                              arguments.angle_degrees, arguments.scale));
}

// Draws the first line of the output of `lookalike query --json`.
int draw_answer(const Arguments& arguments) {
  std::ifstream stream(arguments.inputs.front());
  std::string line;
  std::getline(stream, line);
  const nlohmann::json answer = nlohmann::json::parse(line);
  std::vector<Outlined> found;
  for (const auto& match : answer.at("matches")) {
    Quad quad{};
    for (std::size_t i = 0; i < quad.size(); ++i) {
      quad[i] = {match.at("quad").at(i).at(0), match.at("quad").at(i).at(1)};
    }
    found.push_back({read_picture(match.at("path")), quad});
  }
  return write_picture(arguments, draw_result(read_picture(answer.at("query")), found));
}

// Adds a subcommand that writes a picture.
CLI::App* add_drawing(CLI::App& app, Action& action, const char* name, const char* help,
                      const std::shared_ptr<Arguments>& arguments, int (*draw)(const Arguments&)) {
  CLI::App* command = app.add_subcommand(name, help);
  command->add_option("--output", arguments->output, "File or folder to write")->required();
  command->add_flag("--force", arguments->force, "Replace existing files");
  command->callback([=, &action] { action = [=] { return draw(*arguments); }; });
  return command;
}

// The same for a folder of numbered files.
CLI::App* add_series(CLI::App& app, Action& action, const char* name, const char* help,
                     const std::shared_ptr<Arguments>& arguments, int (*draw)(const Arguments&),
                     int most) {
  CLI::App* command = add_drawing(app, action, name, help, arguments, draw);
  command->add_option("--count", arguments->count, "Number of files")->check(CLI::Range(1, most));
  command->add_option("--seed", arguments->seed, "Seed of the first file; each further one adds 1");
  return command;
}

void add_commands(CLI::App& app, Action& action) {
  const auto arguments = std::make_shared<Arguments>();
  add_series(app, action, "posters", "Draw posters into a folder", arguments, draw_posters, 1000);
  add_series(app, action, "files", "Write small posters in every format that can be made here",
             arguments, draw_files, 1000000)
      ->add_flag("--mutated", arguments->mutated, "Flip bits, truncate, or exchange the start");
  CLI::App* copies = add_series(app, action, "copies", "Copy photos, each with some pixels changed",
                                arguments, draw_copies, 1000000);
  copies->add_option("PICTURE", arguments->inputs, "Pictures to copy in turn")->required();
  copies->add_option("--megapixels", arguments->megapixels, "Size of the copies; 0 keeps it")
      ->check(CLI::Range(0.0, 100.0));

  CLI::App* scene = add_drawing(app, action, "scene", "Draw a scene that shows one or two pictures",
                                arguments, draw_scene_with);
  scene->add_option("PICTURE", arguments->inputs, "Pictures on the wall")
      ->required()
      ->expected(1, 2);
  scene->add_option("--seed", arguments->seed, "Seed of the wall and the noise");

  CLI::App* crop = add_drawing(
      app, action, "crop", "Rotate, scale and crop the middle of a picture", arguments, draw_crop);
  crop->add_option("PICTURE", arguments->inputs, "Picture to crop")->required()->expected(1);
  crop->add_option("--angle", arguments->angle_degrees, "Clockwise, in degrees");
  crop->add_option("--scale", arguments->scale, "Below 1: smaller")->check(CLI::Range(0.01, 100.0));

  CLI::App* result = add_drawing(app, action, "result", "Draw an answer of lookalike query",
                                 arguments, draw_answer);
  result->add_option("ANSWERS", arguments->inputs, "Output of lookalike query --json")
      ->required()
      ->expected(1);
}

int run(int argc, const char* const* argv) {
  CLI::App app("Draws the pictures of the demo, the README and the tests.", "lookalike-example");
  app.require_subcommand(1);
  Action action;
  add_commands(app, action);
  return parse_command_line(app, argc, argv) ? action() : kExitDone;
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  return lookalike::run_main("lookalike-example", [&] { return lookalike::run(argc, argv); });
}
