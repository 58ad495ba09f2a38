// The commands of docs/guide.md, run as a reader would who pastes them in turn.

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <span>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "tests/temporary_folder.h"
#include "tools/example/drawing.h"

namespace lookalike {
namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Guide, EveryCommandSucceeds) {
  const TemporaryFolder folder;
  const auto draw = [&](const std::string& name, const cv::Mat& picture) {
    std::filesystem::create_directories((folder.path() / name).parent_path());
    cv::imwrite((folder.path() / name).native(), picture);
  };
  for (unsigned i = 1; i <= 14; ++i) {
    draw(fmt::format("{}/{:02}.png", i <= 12 ? "photos" : "more", i), draw_poster(i, {300, 400}));
  }
  const Placement placement = {draw_poster(4, {300, 400}),
                               {{{120, 70}, {420, 118}, {404, 500}, {96, 540}}}};
  draw("shelf.png", draw_scene(std::span(&placement, 1), {640, 600}, 1));
  draw("stranger.png", draw_stranger(5, {500, 400}));

  const std::string guide = contents(std::filesystem::path(LOOKALIKE_SOURCE_DIR) / "docs/guide.md");
  std::string script = fmt::format("set -euo pipefail\nPATH={}:$PATH\n", LOOKALIKE_PROGRAMS);
  const std::regex block("```sh\n([^`]*)```");
  std::size_t blocks = 0;
  for (std::sregex_iterator found(guide.begin(), guide.end(), block), end; found != end; ++found) {
    // Bash writes each line to stderr before it runs it, so the last one written is the one at
    // fault.
    script += fmt::format("set -v\n{}set +v\n", (*found)[1].str());
    ++blocks;
  }
  ASSERT_GE(blocks, 15U);

  folder.write("script.sh", script);
  const int status = std::system(
      fmt::format("cd '{}' && bash script.sh > out.txt 2> err.txt", folder.path().native())
          .c_str());
  EXPECT_EQ(status, 0) << contents(folder.path() / "out.txt")
                       << contents(folder.path() / "err.txt");
}

}  // namespace
}  // namespace lookalike
