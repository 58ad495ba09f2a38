// The examples of --help, pasted into a shell.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "tests/content_of.h"
#include "tests/end_to_end/json_schema.h"
#include "tests/end_to_end/run_program.h"
#include "tests/fixtures/drawing.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

// Returns the lines behind "Example: " in a command's help, with wrapped lines joined.
std::vector<std::string> examples_in(const std::string& help) {
  const std::string mark = "Example: ";
  std::vector<std::string> examples;
  std::istringstream lines(help.substr(std::min(help.size(), help.find(mark))));
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    const std::size_t start = line.starts_with(mark) ? mark.size() : line.find_first_not_of(' ');
    const std::string text = line.substr(start);
    if (text.starts_with("lookalike")) {
      examples.push_back(text);
    } else if (!examples.empty()) {
      examples.back() += ' ' + text;
    }
  }
  return examples;
}

// A home folder with the files that the examples name.
class Examples : public testing::Test {
 protected:
  Examples() {
    for (const char* folder : {"photos/2019", "scans", "tuning"})
      fs::create_directories(at(folder));
    const char* const photos[] = {"beach", "cat", "dog", "2019/a", "2019/b", "private/c"};
    fs::create_directories(at("photos/private"));
    for (std::uint64_t i = 0; i < std::size(photos); ++i) {
      draw(std::string("photos/") + photos[i] + ".jpg", draw_poster(i, {300, 400}));
    }
    draw("scans/one.jpg", draw_poster(1, {300, 400}));
    const Placement placement = {draw_poster(0, {300, 400}),
                                 {{{120, 70}, {420, 118}, {404, 500}, {96, 540}}}};
    draw("holiday.jpg", draw_scene(std::span(&placement, 1), {640, 600}, 1));
    draw("photo.jpg", draw_poster(2, {300, 400}));
    draw("logo.png", draw_poster(7, {200, 200}));
    cv::Mat shelf(400, 500, CV_8UC3, cv::Scalar::all(120));
    draw_poster(7, {200, 200}).copyTo(shelf(cv::Rect(150, 100, 200, 200)));
    draw("shelf.jpg", shelf);
    folder_.write("truth.csv",
                  "query,relevant\n"
                  "holiday.jpg,photos/beach.jpg\n");
  }
  std::string at(const std::string& name) const { return (folder_.path() / name).native(); }
  void draw(const std::string& name, const cv::Mat& image) const { cv::imwrite(at(name), image); }
  // Runs a line as a user would in the home folder, with the kernels that are already built.
  int paste(const std::string& line) const {
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    const std::string caches =
        cache != nullptr ? cache : std::string(std::getenv("HOME")) + "/.cache";
    const std::string command =
        "cd '" + folder_.path().native() + "' && export HOME=\"$PWD\" " + "XDG_CACHE_HOME='" +
        caches + "' PATH='" LOOKALIKE_PROGRAMS "':\"$PATH\"; ( " + line + " ) > out.txt 2> err.txt";
    return WEXITSTATUS(std::system(command.c_str()));
  }
  void expect_examples_of(const std::string& command) const {
    const bool is_stage = command.starts_with("lookalike-");
    const auto help =
        is_stage ? run_program(command, {"--help"}) : run_program("lookalike", {command, "--help"});
    const std::vector<std::string> lines = examples_in(help.out);
    EXPECT_FALSE(lines.empty()) << command;
    for (const std::string& line : lines) {
      EXPECT_EQ(paste(line + shorter(line)), 0) << line << '\n' << content("err.txt");
    }
  }
  // Returns what makes a line of minutes one of seconds.
  static std::string shorter(const std::string& line) {
    const auto has = [&](const char* words) { return line.find(words) != line.npos; };
    return has("lookalike tune")    ? " --quick --folder tuning"
           : has("lookalike bench") ? " --quick"
           : has("lookalike serve") ? std::string(has("--listen") ? "" : " --listen 127.0.0.1:0") +
                                          " & i=0; while [ ! -s out.txt ] && kill -0 $! && "
                                          "[ $((i += 1)) -le 1200 ]; do sleep 0.05; done; "
                                          "kill $!; wait $!"
           : has("--synthetic") ? " --photos 2 --kinds jpeg"
                                : "";
  }
  std::string content(const std::string& name) const { return content_of(at(name)); }

  TemporaryFolder folder_;
};

// The commands in an order that satisfies each one's needs.
const std::vector<std::string> kCommands = {
    "init",       "index",    "query",    "duplicates", "reject", "serve",   "explain",
    "locate",     "features", "formats",  "list",       "show",   "runs",    "folders",
    "quarantine", "check",    "backup",   "compact",    "config", "devices", "calibrate",
    "merge",      "retrain",  "evaluate", "move",       "remove", "tune",    "bench"};

TEST_F(Examples, WorkWhenPasted) {
  for (const std::string& command : kCommands) {
    if (command == "merge") fs::copy(at("photos.db"), at("scans.db"));
    if (command == "move") fs::rename(at("photos/2019"), at("photos/2020"));
    expect_examples_of(command);
  }
}

TEST_F(Examples, OfStagesWorkInTheirOrder) {
  for (const std::string stage :
       {"scan", "extract", "variance", "sample", "codebook", "assign", "store", "match"}) {
    if (stage == "match") fs::copy(at("photos.features"), at("queries.features"));
    expect_examples_of("lookalike-" + stage);
  }
  EXPECT_THAT(content("out.txt"), testing::StartsWith("{"));
  EXPECT_THAT(output_faults("query", content("out.txt")), testing::IsEmpty());
}

TEST_F(Examples, AreThereForEveryCommand) {
  EXPECT_THAT(commands_of("lookalike"), testing::UnorderedElementsAreArray(kCommands));
}

}  // namespace
}  // namespace lookalike
