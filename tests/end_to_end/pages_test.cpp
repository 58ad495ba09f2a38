// The commands of README.md and of pages in docs/ (blocks marked as sh), pasted in turn.

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <ostream>
#include <regex>
#include <span>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "tests/content_of.h"
#include "tests/fixtures/drawing.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

// A document, and the commands to run before its first one.
struct Page {
  std::string file;
  std::string before;
  std::size_t blocks = 0;
};

void PrintTo(const Page& page, std::ostream* out) {
  *out << page.file;
}

class Pages : public testing::TestWithParam<Page> {};

TEST_P(Pages, EveryCommandSucceeds) {
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

  const std::string text =
      content_of(std::filesystem::path(LOOKALIKE_SOURCE_DIR) / GetParam().file);
  std::string script =
      fmt::format("set -euo pipefail\nPATH={}:$PATH\n{}\n", LOOKALIKE_PROGRAMS, GetParam().before);
  const std::regex block("```sh\n([^`]*)```");
  std::size_t blocks = 0;
  for (std::sregex_iterator found(text.begin(), text.end(), block), end; found != end; ++found) {
    // Bash writes each line to stderr before it runs it, so the last line is the faulty one.
    script += fmt::format("set -v\n{}set +v\n", (*found)[1].str());
    ++blocks;
  }
  EXPECT_EQ(blocks, GetParam().blocks);

  folder.write("script.sh", script);
  const int status = std::system(
      fmt::format("cd '{}' && bash script.sh > out.txt 2> err.txt", folder.path().native())
          .c_str());
  EXPECT_EQ(status, 0) << content_of(folder.path() / "out.txt")
                       << content_of(folder.path() / "err.txt");
}

// Uses the kernels that are already built, whatever the home folder.
const std::string kAtHome =
    "export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$HOME/.cache} HOME=$PWD\n"
    "mv photos Pictures; mv more scans; mv shelf.png photo.jpg\n";

INSTANTIATE_TEST_SUITE_P(
    All, Pages,
    testing::Values(Page{"README.md", kAtHome, 1}, Page{"docs/guide.md", "", 17},
                    Page{"docs/answers.md",
                         kAtHome + "lookalike index -q Pictures; touch -d yesterday last\n", 1}));

}  // namespace
}  // namespace lookalike
