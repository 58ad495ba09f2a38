// Libraries, kernels and messages at the start of a command.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "base/parallel.h"
#include "config/image_formats.h"
#include "kernels/session/device.h"
#include "tests/end_to_end/run_program.h"
#include "tests/fixtures/drawing.h"
#include "tests/fixtures/image_files.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// The dynamic linker lists the libraries that the program and its readers load, here as what they
// print.
ProgramResult traced(const std::vector<std::string>& words) {
  const TemporaryFolder folder;
  ProgramResult result =
      run_program("lookalike", words,
                  {"LD_DEBUG=files", "LD_DEBUG_OUTPUT=" + (folder.path() / "libraries").native()});
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    std::ifstream file(entry.path());
    result.err.append(std::istreambuf_iterator<char>(file), {});
  }
  return result;
}

class StartupTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    std::filesystem::create_directories(folder_->path() / "posters");
    for (std::uint64_t i = 0; i < 4; ++i) {
      draw("posters/" + std::to_string(i) + ".jpg", draw_poster(i, {300, 400}));
    }
    draw("photo.jpg", draw_poster(2, {300, 400}));
    draw("photo.png", draw_poster(2, {300, 400}));
    draw("photo.webp", draw_poster(2, {300, 400}));
    const ProgramResult indexed = run_program(
        "lookalike", {"index", "--images", path("posters"), "--database", path("index.db")});
    ASSERT_EQ(indexed.exit_code, 0) << indexed.err;
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string path(const std::string& name) { return (folder_->path() / name).native(); }
  static void draw(const std::string& name, const cv::Mat& image) {
    cv::imwrite(path(name), image);
  }
  static std::vector<std::string> query(const std::string& photo) {
    return {"query", "--database", path("index.db"), path(photo)};
  }

  static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> StartupTest::folder_;

TEST_F(StartupTest, HelpAndVersionLoadNoImageCodecsAndNoDevice) {
  for (const char* option : {"--version", "--help"}) {
    const ProgramResult result = traced({option});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.err, AllOf(HasSubstr("libopencv_core"), Not(HasSubstr("imgcodecs")),
                                  Not(HasSubstr("_reader.so")), Not(HasSubstr("libpocl"))));
  }
}

TEST_F(StartupTest, JpegAndPngAreLookedUpWithoutOpenCvsCodecs) {
  for (const char* photo : {"photo.jpg", "photo.png"}) {
    const ProgramResult result = traced(query(photo));
    EXPECT_THAT(result.out, HasSubstr("posters/2.jpg"));
    EXPECT_THAT(result.err, AllOf(HasSubstr("libjpeg"), Not(HasSubstr("imgcodecs")),
                                  Not(HasSubstr("opencv_reader.so"))));
  }
}

TEST_F(StartupTest, OtherFormatsLoadThem) {
  const ProgramResult result = traced(query("photo.webp"));
  EXPECT_THAT(result.out, HasSubstr("posters/2.jpg"));
  EXPECT_THAT(result.err, AllOf(HasSubstr("opencv_reader.so"), HasSubstr("imgcodecs")));
}

TEST_F(StartupTest, AReaderOfOneFormatIsLoadedAlone) {
  if (!is_built(ReaderModule::kGif)) GTEST_SKIP() << "built without giflib";
  const FileBytes gif = make_gif(draw_poster(2, {300, 400}));
  std::ofstream(path("photo.gif"), std::ios::binary)
      .write(reinterpret_cast<const char*>(gif.data()), static_cast<std::streamsize>(gif.size()));
  const ProgramResult result = traced(query("photo.gif"));
  EXPECT_THAT(result.out, HasSubstr("posters/2.jpg"));
  EXPECT_THAT(result.err, AllOf(HasSubstr("gif_reader.so"), Not(HasSubstr("heif_reader.so")),
                                Not(HasSubstr("imgcodecs"))));
}

TEST_F(StartupTest, WithoutTheirModuleTheErrorNamesIt) {
  std::filesystem::create_directory(folder_->path() / "bin");
  std::filesystem::copy_file(LOOKALIKE_PROGRAMS "/lookalike", path("bin/lookalike"));
  const std::string alone =
      std::filesystem::relative(path("bin/lookalike"), LOOKALIKE_PROGRAMS).native();
  EXPECT_THAT(run_program(alone, query("photo.jpg")).out, HasSubstr("posters/2.jpg"));
  const ProgramResult result = run_program(alone, query("photo.webp"));
  EXPECT_EQ(result.exit_code, 70);
  EXPECT_THAT(result.err, HasSubstr("lookalike-reader cannot be started; reinstall lookalike"));
  const std::string formats = run_program(alone, {"formats", "--format", "tsv"}).out;
  EXPECT_THAT(formats, ContainsRegex("\nBMP\tbmp\tOpenCV\tfalse\t.*opencv_reader.so"));
  EXPECT_THAT(formats, ContainsRegex("\nJPEG\t.*\ttrue\t\t\n"));
}

TEST_F(StartupTest, TheFirstCommandOfAHomeSaysThatKernelsAreBuilt) {
  const std::vector<std::string> home = {"XDG_CACHE_HOME=" + path("cache"),
                                         "POCL_CACHE_DIR=" + pocl_cache_folder().native()};
  // The test of the device would build more.
  const std::string program =
      install_with(path("first"), "lookalike-device-test", "echo ready; echo done");
  const ProgramResult first = run_program(program, query("photo.jpg"), home);
  EXPECT_THAT(first.out, HasSubstr("posters/2.jpg"));
  EXPECT_THAT(first.err, AllOf(HasSubstr("building kernels for "), HasSubstr(", which are kept")));
  EXPECT_THAT(run_program(program, query("photo.jpg"), home).err,
              Not(HasSubstr("building kernels")));
}

TEST_F(StartupTest, WithoutAHomeThatCanBeWrittenKernelsAreKeptInAPrivateFolder) {
  if (std::getenv("POCL_CACHE_DIR") != nullptr) GTEST_SKIP() << "PoCL has another folder";
  std::filesystem::create_directory(path("temporary"));
  const std::vector<std::string> nowhere = {"HOME=/proc/nowhere", "XDG_CACHE_HOME=/proc/nowhere",
                                            "TMPDIR=" + path("temporary")};
  const std::vector<std::string> list = {"devices"};
  const ProgramResult result = run_program("lookalike", list, nowhere);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string folder = path("temporary/lookalike-") + std::to_string(::geteuid());
  EXPECT_THAT(result.err, HasSubstr("cannot be written; compiled kernels are kept in " + folder));
  EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms::owner_all);
  // A folder that others can enter is not taken.
  std::filesystem::permissions(folder, std::filesystem::perms::all);
  EXPECT_THAT(run_program("lookalike", list, nowhere).err,
              AllOf(Not(HasSubstr("kept in")), Not(HasSubstr("install your GPU"))));
}

TEST_F(StartupTest, AnotherProcessBuildsWhatAFirstQueryHasNotComeTo) {
  if (core_count() == 1) GTEST_SKIP() << "on one core there is none";
  cv::Mat noise(240, 320, CV_8UC1);
  cv::randu(noise, 0, 256);
  draw("noise.png", noise);
  // The test of the device would build the same kernels.
  const std::string program =
      install_with(path("untested"), "lookalike-device-test", "echo ready; echo done");
  const ProgramResult result =
      run_program(program, query("noise.png"),
                  {"XDG_CACHE_HOME=" + path("empty"), "POCL_CACHE_DIR=" + path("empty/kernels")});
  EXPECT_THAT(result.out, HasSubstr("nothing found")) << result.err;
  std::string programs;  // each begins with its source
  for (const auto& entry : std::filesystem::directory_iterator(path("empty/lookalike"))) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    programs.append(std::istreambuf_iterator<char>(file), {});
  }
  EXPECT_THAT(programs, HasSubstr("kernel void hessian("));
  EXPECT_THAT(programs, HasSubstr("kernel void warp("));  // for poses, of which there are none
}

}  // namespace
}  // namespace lookalike
