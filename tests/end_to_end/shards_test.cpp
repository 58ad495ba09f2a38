// An index split over several databases answers as the whole one.

#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "tests/end_to_end/run_program.h"
#include "tests/stages/pictures.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

class Shards : public testing::Test {
 protected:
  static constexpr int kFolders = 3;

  // A database per folder and one of all. The folders share pictures: the same bytes in two of
  // them, and the same pixels in other bytes, which score the same.
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    Words index = {"index", "-q", "-d", at("whole.db")};
    for (int i = 0; i < kFolders; ++i) {
      fs::create_directory(at(std::to_string(i)));
      index.push_back(at(std::to_string(i)));
      for (unsigned picture = 0; picture < 6; ++picture) {
        const unsigned seed = static_cast<unsigned>(i) * 6 + picture;
        write(fmt::format("{}/{}.png", i, seed), seed);
      }
      write(fmt::format("{}/alike.png", i), 4, i);
    }
    fs::copy_file(at("0/1.png"), at("2/copy.png"));
    EXPECT_EQ(run(index).exit_code, 0);
    EXPECT_EQ(run({"calibrate", "-q", "-d", at("whole.db")}).exit_code, 0);
    for (int i = 0; i < kFolders; ++i) {
      const std::string shard = at(fmt::format("{}.db", i));
      fs::copy(at("whole.db"), shard);
      Words others = {"remove", "-q", "-d", shard};
      for (int other = 0; other < kFolders; ++other) {
        if (other != i) others.push_back(at(std::to_string(other)));
      }
      EXPECT_EQ(run(others).exit_code, 0);
    }
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static void write(const std::string& name, unsigned seed, int compression = 3) {
    cv::imwrite(at(name), draw_picture(200, 150, seed), {cv::IMWRITE_PNG_COMPRESSION, compression});
  }
  static std::string at(const std::string& name) { return (folder_->path() / name).native(); }
  static ProgramResult run(const Words& words) { return run_program("lookalike", words); }
  // Returns the words of a command for the whole index and for the shards.
  static Words of_whole(Words words) {
    words.insert(words.end(), {"-d", at("whole.db")});
    return words;
  }
  static Words of_shards(Words words) {
    for (int i = 0; i < kFolders; ++i) {
      words.insert(words.end(), {"-d", at(fmt::format("{}.db", i))});
    }
    return words;
  }
  // Removes the numbers of images, which differ between a whole index and shards.
  static json without_ids(json answer) {
    for (json& match : answer["matches"]) match.erase("id");
    return answer;
  }
  static void expect_same(const Words& words) {
    const ProgramResult whole = run(of_whole(words));
    const ProgramResult shards = run(of_shards(words));
    ASSERT_EQ(whole.exit_code, 0) << whole.err;
    EXPECT_EQ(shards.exit_code, 0) << shards.err;
    EXPECT_FALSE(whole.out.empty());
    EXPECT_EQ(shards.out, whole.out);
  }

  static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> Shards::folder_;

// Edges of the neighbour graph join images of one shard.
constexpr const char* kAlone = "match.related=false";

TEST_F(Shards, AnswerPhotosAsOneIndexDoes) {
  for (const char* photo : {"0/1.png", "1/alike.png", "2/15.png"}) {
    const Words words = {"query", "--json", "--all", "--top", "100", "--set", kAlone, at(photo)};
    const ProgramResult whole = run(of_whole(words));
    const ProgramResult shards = run(of_shards(words));
    ASSERT_EQ(shards.exit_code, 0) << shards.err;
    EXPECT_EQ(without_ids(json::parse(shards.out)), without_ids(json::parse(whole.out)));
  }
  expect_same({"query", "--format", "tsv", "--all", "--set", kAlone, "--id", at("0/1.png")});
  expect_same({"duplicates", "--format", "csv"});
}

TEST_F(Shards, TakeTheCalibrationThatIsNamedAndFitThatOfOneIndex) {
  const Words query = {"query", "--format", "tsv", at("1/8.png"), "--all", "--set", kAlone};
  const Words calibrate = {"calibrate", "-q", "--json"};
  const json weights = json::parse(run(of_whole(calibrate)).out)["weights"];
  for (int i = 0; i < kFolders; ++i)
    fs::copy(at(fmt::format("{}.db", i)), at(fmt::format("my-{}.db", i)));
  Words of_mine = calibrate;
  for (int i = 0; i < kFolders; ++i) {
    of_mine.insert(of_mine.end(), {"-d", at(fmt::format("my-{}.db", i))});
  }
  EXPECT_EQ(json::parse(run(of_mine).out)["weights"], weights);
  // One shard with another's calibration.
  const Words named = {"--set", "match.calibration='" + at("whole.db") + "'"};
  Words first = query;
  first.insert(first.end(), named.begin(), named.end());
  EXPECT_EQ(run(of_shards(first)).out, run(of_whole(query)).out);
  const ProgramResult none = run({"query", at("1/8.png"), "-d", at("0.db"), "--set",
                                  "match.calibration='" + at("none.db") + "'"});
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err, HasSubstr("none.db"));
}

TEST_F(Shards, AreNamedByTheConfigurationToo) {
  const fs::path config = at("shards.toml");
  folder_->write("shards.toml", "[store]\ndatabase = '0.db'\n[match]\nshards = ['1.db', '2.db']\n");
  const Words query = {"query", "--format", "paths", at("1/8.png")};
  Words by_config = query;
  by_config.insert(by_config.end(), {"--config", config.native()});
  EXPECT_EQ(run(by_config).out, run(of_whole(query)).out);
  by_config.insert(by_config.end(), {"-d", at("0.db")});  // only this one
  EXPECT_THAT(run(by_config).out, Not(HasSubstr("8.png")));
}

TEST_F(Shards, OfAnotherCodebookOrNamedTwiceAreRefused) {
  ASSERT_EQ(run({"index", "-q", at("0"), "-d", at("alone.db")}).exit_code, 0);
  const ProgramResult other =
      run({"query", at("0/1.png"), "-d", at("whole.db"), "-d", at("alone.db")});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("codebook.hash"));
  const ProgramResult twice = run({"query", at("0/1.png"), "-d", at("0.db"), "-d", at("0.db")});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("is named twice"));
  const ProgramResult list = run({"list", "-d", at("0.db"), "-d", at("1.db")});
  EXPECT_EQ(list.exit_code, 2);
}

TEST_F(Shards, BeginWithTheWordsOfAnotherIndex) {
  const auto index = [](const Words& more) {
    Words words = {"index", "-q", at("1")};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  const ProgramResult begun = index({"-d", at("begun.db"), "--codebook", at("whole.db")});
  ASSERT_EQ(begun.exit_code, 0) << begun.err;
  const auto hash_of = [](const std::string& database) -> std::string {
    return json::parse(run({"show", "--json", "--content-hash", "-d", at(database)}).out)
        .at("content_hash");
  };
  EXPECT_EQ(hash_of("begun.db"), hash_of("1.db"));
  EXPECT_EQ(index({"-d", at("begun.db"), "--codebook", at("whole.db")}).exit_code, 0);

  const ProgramResult others =
      index({"-d", at("other.db"), "--codebook", at("whole.db"), "--max-features", "500"});
  EXPECT_EQ(others.exit_code, 2);
  EXPECT_THAT(others.err, HasSubstr("extract.max_features"));

  ASSERT_EQ(index({"-d", at("own.db")}).exit_code, 0);
  const ProgramResult kept = index({"-d", at("own.db"), "--codebook", at("whole.db")});
  EXPECT_EQ(kept.exit_code, 0);
  EXPECT_THAT(kept.err, HasSubstr("has no effect: the index has other words"));
  const Words retrain = {"retrain", "-d", at("own.db"), "--codebook", at("whole.db")};
  ASSERT_EQ(run(retrain).exit_code, 0);
  EXPECT_EQ(hash_of("own.db"), hash_of("1.db"));
  EXPECT_THAT(run(retrain).err, HasSubstr("the index has these words already; training new ones"));
}

TEST_F(Shards, BeginWithTheWordsOfAFile) {
  ASSERT_EQ(run_program("lookalike-extract", {"--images", at("0"), "--output", at("0.features")})
                .exit_code,
            0);
  ASSERT_EQ(run_program("lookalike-codebook",
                        {"--features", at("0.features"), "--output", at("0.codebook")})
                .exit_code,
            0);
  const Words words = {"index", "-q", at("1"), "-d", at("from-file.db"), "--codebook"};
  const auto with = [&](const std::string& file) {
    Words all = words;
    all.push_back(at(file));
    return run(all);
  };
  const ProgramResult none = with("nothing.codebook");
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err, HasSubstr("nothing.codebook"));
  ASSERT_EQ(with("0.codebook").exit_code, 0);
  EXPECT_EQ(run({"query", at("1/8.png"), "-d", at("from-file.db")}).exit_code, 0);
}

TEST_F(Shards, KnowWhatWasRejectedInAnyOfThem) {
  for (const char* name : {"0.db", "1.db"})
    fs::copy(at(name), at(std::string("rejecting-") + name));
  const Words both = {"-d", at("rejecting-0.db"), "-d", at("rejecting-1.db")};
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Words pair = {"reject", at("0/1.png"), at("1/8.png")};  // one in each
  const Words list = {"reject", "--format", "csv"};
  ASSERT_EQ(run(with(pair, both)).exit_code, 0);
  const std::string listed = run(with(list, both)).out;
  EXPECT_THAT(listed, HasSubstr("8.png"));
  fs::rename(at("rejecting-0.db.rejected"), at("rejecting-1.db.rejected"));
  EXPECT_EQ(run(with(list, both)).out, listed);
  EXPECT_EQ(run(with(with(pair, {"--undo"}), both)).exit_code, 0);
  EXPECT_THAT(run(with(list, both)).out, Not(HasSubstr("8.png")));
}

TEST_F(Shards, AnswerByTheNumberOfACopyAsByThatOfItsOriginal) {
  // 0/1.png is the first image of 0.db, and a copy of it the last of 2.db.
  const json shown = json::parse(run({"show", "--json", "-d", at("2.db"), at("2/copy.png")}).out);
  const std::size_t copy = shown["id"].get<std::size_t>() * kFolders + 2;
  const auto explained = [](const std::string& image) {
    return run(of_shards({"explain", "--json", at("0/1.png"), image})).out;
  };
  EXPECT_EQ(explained(std::to_string(copy)), explained(at("0/1.png")));
}

TEST_F(Shards, AreNotReplacedByAReport) {
  const ProgramResult result = run(of_shards({"query", at("0/1.png"), "--report", at("1.db")}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(run({"check", "-d", at("1.db")}).exit_code, 0);
}

}  // namespace
}  // namespace lookalike
