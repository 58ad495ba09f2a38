// Pictures on standard input, which command lines name "-".

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "tests/content_of.h"
#include "tests/end_to_end/run_program.h"
#include "tests/fixtures/drawing.h"
#include "tests/report_data.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class StandardInputTest : public testing::Test {
 protected:
  StandardInputTest() {
    std::filesystem::create_directories(at("posters"));
    for (std::uint64_t i = 0; i < 4; ++i) {
      cv::imwrite(at("posters/" + std::to_string(i) + ".png"), draw_poster(i, {300, 400}));
    }
  }
  std::string at(const std::string& name) const { return (folder_.path() / name).native(); }
  // Returns the JSON that a command prints for poster 2 on its standard input.
  json answer(const std::string& command) const {
    const std::string line = "cd '" + at("posters") + "' && '" LOOKALIKE_PROGRAMS "/lookalike' " +
                             command + " < 2.png > ../out.json";
    EXPECT_EQ(std::system(line.c_str()), 0) << line;
    return json::parse(content_of(at("out.json")));
  }
  void index() const {
    EXPECT_EQ(
        run_program("lookalike", {"index", "-q", at("posters"), "-d", at("index.db")}).exit_code,
        0);
  }

  TemporaryFolder folder_;
};

TEST_F(StandardInputTest, QueryLooksItUp) {
  index();
  const json found = answer("query --json -d ../index.db -");
  EXPECT_EQ(found["query"], "-");
  EXPECT_EQ(found["matches"].at(0)["path"], at("posters/2.png"));
  EXPECT_EQ(found["matches"].at(0)["decision"], "duplicate");
}

TEST_F(StandardInputTest, NamesAreAnsweredAsTheyArrive) {
  index();
  // The second name comes once the first is answered.
  const std::string line =
      "cd '" + at("posters") +
      "' && { echo 1.png; i=0; while [ $i -lt 600 ] && [ ! -s ../out.json ]; do sleep 0.1; "
      "i=$((i+1)); done; cp ../out.json ../first.json; printf 2.png; } | '" LOOKALIKE_PROGRAMS
      "/lookalike' query -q --json -d ../index.db --files-from - > ../out.json";
  ASSERT_EQ(std::system(line.c_str()), 0) << line;
  const std::string first = content_of(at("first.json"));
  const std::string all = content_of(at("out.json"));
  ASSERT_FALSE(first.empty());
  EXPECT_EQ(json::parse(first)["query"], "1.png");
  ASSERT_TRUE(all.starts_with(first));
  EXPECT_EQ(json::parse(all.substr(first.size()))["query"], "2.png") << "without an end of line";
}

TEST_F(StandardInputTest, ExplainExplainsIt) {
  index();
  const json found = answer("explain --json -d ../index.db - 2.png");
  EXPECT_EQ(found["query"], "-");
  EXPECT_EQ(found["decision"], "duplicate");
}

TEST_F(StandardInputTest, LocateSearchesItOrForIt) {
  const json scene = answer("locate --json --object 2.png --scene -");
  EXPECT_EQ(scene["scene"], "-");
  EXPECT_EQ(scene["hits"].size(), 1U);
  const json object = answer("locate --json --object - --scene 2.png");
  EXPECT_EQ(object["hits"].at(0)["object"], "-");
}

TEST_F(StandardInputTest, ReportsCallItByItsName) {
  index();
  for (const std::string command :
       {"query --json -d ../index.db -", "explain --json -d ../index.db - 2.png",
        "locate --json --object - --scene -"}) {
    answer(command + " --report ../page.html --force");
    const std::string page = content_of(at("page.html"));
    EXPECT_TRUE(data_in(page, "pictures").at(0).at("photo -").contains("url")) << command;
    EXPECT_THAT(page, Not(HasSubstr("/proc/"))) << command;
  }
}

TEST_F(StandardInputTest, ItIsInNoFolderThatAKilledProgramCouldLeaveItIn) {
  EXPECT_EQ(run_program("/usr/bin/env",
                        {"TMPDIR=/nowhere", "sh", "-c",
                         LOOKALIKE_PROGRAMS "/lookalike features - < " + at("posters/2.png")})
                .exit_code,
            0);
}

TEST_F(StandardInputTest, ItIsReadNoFurtherThanTheLimitOfFiles) {
  const std::string file = folder_.write("large", std::string(std::size_t{3} << 20U, 'x'));
  const ProgramResult result = run_program(
      "/usr/bin/env",
      {"sh", "-c",
       "{ " LOOKALIKE_PROGRAMS "/lookalike features --set images.max_file_mib=1 -; wc -c; } < " +
           file});
  EXPECT_THAT(result.err, HasSubstr("images.max_file_mib = 1"));
  EXPECT_GT(std::stoul(result.out), 1'000'000U);  // bytes that it left unread
}

TEST_F(StandardInputTest, FeaturesAreExtractedFromIt) {
  const json found = answer("features --format json -");
  EXPECT_EQ(found["image"], "-");
  EXPECT_EQ(found["width"], 300);
  EXPECT_EQ(found["features"], answer("features --json 2.png")["features"]);
  EXPECT_GT(found["features"].size(), 10U);
}

}  // namespace
}  // namespace lookalike
