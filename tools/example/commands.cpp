#include "tools/example/commands.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "pipeline/error.h"
#include "tools/example/drawing.h"

namespace lookalike {
namespace {

const cv::Size kPosterSize = {480, 640};
const cv::Size kSceneSize = {1000, 640};

cv::Mat read_picture(const std::string& path) {
  cv::Mat image = cv::imread(path, cv::IMREAD_COLOR);
  if (image.empty()) {
    throw Error(ErrorKind::kInput, fmt::format("{}: cannot be read as a picture", path));
  }
  return image;
}

void write_picture(const std::string& path, const cv::Mat& image) {
  if (!cv::imwrite(path, image, {cv::IMWRITE_JPEG_QUALITY, 88})) {
    throw Error(ErrorKind::kStorage, fmt::format("{}: the picture cannot be written", path));
  }
}

// Where the first two pictures of a scene hang: one seen from its left, one from below and turned.
Quad place(std::size_t index) {
  if (index == 0) return {{{110, 96}, {436, 150}, {428, 530}, {98, 598}}};
  return {{{612, 70}, {924, 122}, {860, 560}, {548, 484}}};
}

struct Arguments {
  std::string output;
  std::vector<std::string> inputs;
  int count = 12;
  std::uint64_t seed = 1;
  double angle_degrees = 30;
  double scale = 0.75;
};

int draw_posters(const Arguments& arguments) {
  std::filesystem::create_directories(arguments.output);
  for (int i = 0; i < arguments.count; ++i) {
    const cv::Mat poster = draw_poster(arguments.seed + static_cast<std::uint64_t>(i), kPosterSize);
    write_picture(fmt::format("{}/poster-{:02}.png", arguments.output, i), poster);
  }
  return kExitDone;
}

int draw_scene_of(const Arguments& arguments) {
  std::vector<Placement> placements;
  for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
    placements.push_back({read_picture(arguments.inputs[i]), place(i)});
  }
  write_picture(arguments.output, draw_scene(placements, kSceneSize, arguments.seed));
  return kExitDone;
}

int draw_crop(const Arguments& arguments) {
  write_picture(arguments.output, turned_crop(read_picture(arguments.inputs.front()),
                                              arguments.angle_degrees, arguments.scale));
  return kExitDone;
}

int draw_a_stranger(const Arguments& arguments) {
  write_picture(arguments.output, draw_stranger(arguments.seed, kSceneSize));
  return kExitDone;
}

// Draws the first line of what `lookalike query --json` printed.
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
  write_picture(arguments.output, draw_result(read_picture(answer.at("query")), found));
  return kExitDone;
}

// A subcommand that writes a picture, or a folder of them, and does so when it was named.
CLI::App* add_drawing(CLI::App& app, std::function<int()>& action, const char* name,
                      const char* help, const std::shared_ptr<Arguments>& arguments,
                      int (*draw)(const Arguments&)) {
  CLI::App* command = app.add_subcommand(name, help);
  command->add_option("--output", arguments->output, "What is written")->required();
  command->callback([=, &action] { action = [=] { return draw(*arguments); }; });
  return command;
}

}  // namespace

void add_example_commands(CLI::App& app, std::function<int()>& action) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* posters =
      add_drawing(app, action, "posters", "Draws posters into a folder", arguments, draw_posters);
  posters->add_option("--count", arguments->count, "How many")->check(CLI::Range(1, 1000));
  posters->add_option("--seed", arguments->seed, "Of the first; the next has the next");

  CLI::App* scene =
      add_drawing(app, action, "scene", "Draws a scene that shows one or two pictures", arguments,
                  draw_scene_of);
  scene->add_option("PICTURE", arguments->inputs, "What hangs there")->required()->expected(1, 2);
  scene->add_option("--seed", arguments->seed, "Of the wall and the noise");

  CLI::App* crop = add_drawing(
      app, action, "crop", "Turns, scales and cuts the middle of a picture", arguments, draw_crop);
  crop->add_option("PICTURE", arguments->inputs, "What is cut")->required()->expected(1);
  crop->add_option("--angle", arguments->angle_degrees, "Clockwise, in degrees");
  crop->add_option("--scale", arguments->scale, "Below 1: smaller")->check(CLI::Range(0.01, 100.0));

  CLI::App* stranger = add_drawing(app, action, "stranger", "Draws what looks like nothing else",
                                   arguments, draw_a_stranger);
  stranger->add_option("--seed", arguments->seed, "Of the drawing");

  CLI::App* result = add_drawing(app, action, "result", "Draws an answer of lookalike query",
                                 arguments, draw_answer);
  result->add_option("ANSWERS", arguments->inputs, "What lookalike query --json printed")
      ->required()
      ->expected(1);
}

}  // namespace lookalike
