// lookalike tune and lookalike bench, at sizes that take seconds.

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <system_error>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "pipeline/device/open_session.h"
#include "tests/content_of.h"
#include "tests/end_to_end/run_program.h"
#include "tests/fixtures/drawing.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsSupersetOf;

TEST(Bench, QuickJsonIsOneObjectOnEveryKernel) {
  const ProgramResult result = run_program("lookalike", {"bench", "--quick", "--json", "--quiet"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_GT(json.at("ceilings").at("multiply_add_gflops"), 0);
  std::vector<std::string> kernels;
  for (const auto& row : json.at("results")) {
    kernels.push_back(row.at("kernel"));
    EXPECT_EQ(row.at("peer"), false);
    EXPECT_TRUE(row.at("note").is_null()) << row;
    EXPECT_GT(row.at("kernel_ms"), 0) << row;
  }
  EXPECT_THAT(kernels, IsSupersetOf({"assign", "transpose", "variance", "convolution",
                                     "integral_image", "correlation", "pose_search", "surf"}));
}

TEST(Bench, OneKernelIsOneTable) {
  const ProgramResult result =
      run_program("lookalike", {"bench", "--quick", "--kernel", "variance", "--quiet"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, ContainsRegex("\nvariance +kernel ms +transfer ms"));
  EXPECT_EQ(result.err, "");
}

TEST(Bench, AnUnknownKernelIsAUsageError) {
  const ProgramResult result =
      run_program("lookalike", {"bench", "--quick", "--kernel", "nothing", "--quiet"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("kernel must be one of assign"));
}

TEST(Bench, ALargeIndexIsBuiltSearchedAndChanged) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "photos");
  for (std::uint64_t i = 0; i < 6; ++i) {
    const std::string name = folder.path() / "photos" / (std::to_string(i) + ".png");
    cv::imwrite(name, draw_poster(i, {300, 400}));
  }
  const std::string sample = folder.path() / "sample.db";
  ASSERT_EQ(
      run_program("lookalike", {"index", "-q", folder.path() / "photos", "-d", sample}).exit_code,
      0);
  std::filesystem::create_directory(folder.path() / "scratch");
  const auto scale = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"bench", "--features", "200", "--queries", "2", "--quiet",
                               "--scratch", folder.path() / "scratch"});
    return run_program("lookalike", more);
  };
  const ProgramResult result = scale({"--scale", "300", "--sample", sample, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json.at("images"), 300);
  EXPECT_EQ(json.at("warm").at("queries"), 2);
  EXPECT_EQ(json.at("cold").at("queries"), 2);
  EXPECT_GT(json.at("warm").at("matching").at("p50_ms"), 0);
  EXPECT_EQ(json.at("recall_at_1"), 1);
  EXPECT_EQ(json.at("added"), 300);
  EXPECT_GT(json.at("compared"), 300);
  EXPECT_GT(json.at("graph").at("cpu_s"), 0);
  EXPECT_EQ(json.at("removed"), 100);
  EXPECT_GT(json.at("store_memory_bytes"), 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "scratch"));

  EXPECT_THAT(scale({"--scale", "300", "--sample", sample}).out,
              ContainsRegex("\nremove 1 file +0"));
  const ProgramResult alone = scale({"--scale", "300"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("--scale needs --sample"));
  const ProgramResult large = scale({"--scale", "100000000", "--sample", sample});
  EXPECT_EQ(large.exit_code, 5);
  EXPECT_THAT(large.err, HasSubstr("GB free"));
  std::filesystem::remove(folder.path() / "photos/3.png");
  const ProgramResult gone = scale({"--scale", "300", "--sample", sample});
  EXPECT_EQ(gone.exit_code, 3);
  EXPECT_THAT(gone.err, HasSubstr("3.png is gone"));
}

TEST(Bench, APipelineIsComparedWithDecodingAndDrawn) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "photos");
  for (std::uint64_t i = 0; i < 4; ++i) {
    const std::string name = folder.path() / "photos" / (std::to_string(i) + ".png");
    cv::imwrite(name, draw_poster(i, {300, 400}));
  }
  const std::string page = folder.path() / "timeline.html";
  const ProgramResult result = run_program(
      "lookalike",
      {"bench", "--pipeline", folder.path() / "photos", "--timeline", page, "--json", "--quiet"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json.at("images"), 4);
  EXPECT_GT(json.at("decode_s"), 0);
  std::set<std::string> stages;
  for (const auto& stage : json.at("with_codebook").at("stages")) {
    stages.insert(stage.at("stage"));
    EXPECT_GE(stage.at("threads"), 1) << stage;
  }
  EXPECT_THAT(stages, IsSupersetOf({"decode", "extract", "variance", "assign", "store"}));
  EXPECT_FALSE(stages.contains("codebook")) << "that is the first run's";
  const std::string html = content_of(page);
  EXPECT_THAT(html, HasSubstr("<title>extract 0."));
}

TEST(Tune, StoresAFileAndPrintsWhatItChose) {
  const TemporaryFolder folder;
  const ProgramResult result =
      run_program("lookalike", {"tune", "--quick", "--quiet", "--folder", folder.path()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("assign descriptors=512 dimensions=64 words=64: "));
  const std::filesystem::directory_iterator files(folder.path());
  ASSERT_NE(files, std::filesystem::directory_iterator());
  EXPECT_EQ(files->path().extension(), ".txt");
}

TEST(Tune, OfSmallSizesChoosesForNoLaterRun) {
  const fs::path tuning = own_cache_folder("tuning");
  const auto stored = [&] {
    std::map<fs::path, fs::file_time_type> files;
    std::error_code missing;
    for (const auto& file : fs::directory_iterator(tuning, missing)) {
      files[file.path()] = file.last_write_time();
    }
    return files;
  };
  const auto before = stored();
  const ProgramResult result = run_program("lookalike", {"tune", "--quick", "--device", ":CPU:"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("assign descriptors=512 dimensions=64 words=64: "));
  EXPECT_THAT(result.err, HasSubstr("measurements of small sizes, which are not stored"));
  EXPECT_EQ(stored(), before);
}

}  // namespace
}  // namespace lookalike
