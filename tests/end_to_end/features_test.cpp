// `lookalike features` on drawn pictures.

#include <sstream>
#include <string>
#include <sys/stat.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "tests/content_of.h"
#include "tests/end_to_end/run_program.h"
#include "tests/fixtures/drawing.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string drawn(const TemporaryFolder& folder, const std::string& name, const cv::Mat& image) {
  const std::string file = (folder.path() / name).native();
  cv::imwrite(file, image);
  return file;
}

// Returns the rows of a table without its header, split at the commas.
std::vector<std::vector<double>> rows(const std::string& table) {
  std::istringstream lines(table);
  std::string line;
  std::getline(lines, line);
  std::vector<std::vector<double>> result;
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    auto& row = result.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
  }
  return result;
}

TEST(Features, ATableOnStandardOutput) {
  const TemporaryFolder folder;
  const std::string photo = drawn(folder, "poster.png", draw_poster(1, {300, 400}));
  const ProgramResult result = run_program("lookalike", {"features", "--csv", "-", photo});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("x,y,size,angle,response,octave,class_id,d0,d1,"));
  const auto table = rows(result.out);
  ASSERT_GT(table.size(), 50U);
  for (const auto& row : table) {
    ASSERT_EQ(row.size(), 7U + 64U);
    EXPECT_GE(row[0], 0);
    EXPECT_LT(row[0], 300);
    EXPECT_LT(row[1], 400);
    EXPECT_GE(row[4], 10) << "weaker than the threshold";
  }
}

TEST(Features, OptionsDoWhatTheySay) {
  const TemporaryFolder folder;
  const std::string photo = drawn(folder, "poster.png", draw_poster(1, {300, 400}));
  const std::string file = (folder.path() / "features.csv").native();
  const ProgramResult result =
      run_program("lookalike", {"features", "--descriptor-size", "128", "--max-features", "20",
                                "--upright", "--csv", file, photo});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto table = rows(content_of(file));
  EXPECT_LE(table.size(), 20U);
  EXPECT_GT(table.size(), 10U);
  for (const auto& row : table) {
    EXPECT_EQ(row.size(), 7U + 128U);
    EXPECT_EQ(row[3], 270) << "upright";
  }
}

TEST(Features, ATableReplacesATableOfEitherDescriptorSizeAndNoOther) {
  const TemporaryFolder folder;
  const std::string photo = drawn(folder, "poster.png", draw_poster(1, {300, 400}));
  const auto extract_to = [&](const std::string& file, const std::string& size) {
    std::vector<std::string> words = {"features", "--descriptor-size", size, "--csv", file, photo};
    if (size == "128") words.emplace_back("--upright");  // by the kernels of the other test
    return run_program("lookalike", words);
  };
  const std::string table = (folder.path() / "features.csv").native();
  for (const std::string size : {"64", "128", "64"}) {
    EXPECT_EQ(extract_to(table, size).exit_code, 0) << size;
  }
  const std::string header = content_of(table).substr(0, content_of(table).find('\n'));
  for (const std::string& theirs : {std::string("x,y\n1,2\n"), header, header + ",note\n",
                                    "x,y,size,angle,response,octave,class_id,d0\n" + header}) {
    const std::string file = folder.write("theirs.csv", theirs);
    const ProgramResult result = extract_to(file, "64");
    EXPECT_EQ(result.exit_code, 2) << theirs;
    EXPECT_THAT(result.err, HasSubstr("is a file, but not a table of features"));
    EXPECT_EQ(content_of(file), theirs);
  }
}

TEST(Features, AMaskKeepsThemInside) {
  const TemporaryFolder folder;
  const std::string photo = drawn(folder, "poster.png", draw_poster(1, {300, 400}));
  cv::Mat left(400, 300, CV_8U, cv::Scalar(0));
  left.colRange(0, 150).setTo(255);
  const std::string mask = drawn(folder, "mask.png", left);
  const ProgramResult result =
      run_program("lookalike", {"features", "--mask", mask, "--csv", "-", photo});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto table = rows(result.out);
  EXPECT_GT(table.size(), 20U);
  for (const auto& row : table) EXPECT_LT(row[0], 150);
}

TEST(Features, AMaskOfAnotherSizeIsAnInputError) {
  const TemporaryFolder folder;
  const std::string photo = drawn(folder, "poster.png", draw_poster(1, {300, 400}));
  const std::string mask = drawn(folder, "mask.png", cv::Mat(20, 10, CV_8U, cv::Scalar(255)));
  const ProgramResult result = run_program("lookalike", {"features", "--mask", mask, photo});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err,
              HasSubstr("a mask must have the image's size, 300 x 400 px, was 10 x 20"));
}

TEST(Features, AMaskThatIsNoPictureIsAnInputError) {
  const TemporaryFolder folder;
  const std::string photo = drawn(folder, "poster.png", draw_poster(1, {300, 400}));
  const std::string fifo = (folder.path() / "mask.png").native();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const ProgramResult result = run_program("lookalike", {"features", "--mask", fifo, photo});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("mask.png: unreadable: not a regular file"));
}

TEST(Features, APhotoThatIsNoneIsAnInputError) {
  const TemporaryFolder folder;
  const ProgramResult result =
      run_program("lookalike", {"features", folder.write("photo.jpg", "no photo at all")});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("undecodable"));
}

}  // namespace
}  // namespace lookalike
