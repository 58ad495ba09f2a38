// Groups of a small collection, as a user sees them.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "config/image_formats.h"
#include "pipeline/duplicates/pair.h"
#include "pipeline/duplicates/pair_file.h"
#include "storage/writer_lock.h"
#include "tests/content_of.h"
#include "tests/end_to_end/run_program.h"
#include "tests/fixtures/image_files.h"
#include "tests/kept_copy.h"
#include "tests/report_data.h"
#include "tests/stages/pictures.h"
#include "tests/temporary_folder.h"
#include "tests/wait_until.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;
using Names = std::set<std::string>;

// a.png, copies of it, a crop, and turned and mirrored ones; b.png twice; c.png.
class Duplicates : public testing::Test {
 protected:
  void SetUp() override {
    kept_->put_back();
    index();
  }
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    fs::create_directories(at("photos"));
    fs::create_directories(at("phone"));
    const cv::Mat a = draw_picture(640, 480, 1);
    cv::imwrite(at("photos/a.png"), a);
    cv::imwrite(at("photos/a-low.jpg"), a, {cv::IMWRITE_JPEG_QUALITY, 30});
    cv::Mat small;
    cv::resize(a, small, {}, 0.5, 0.5, cv::INTER_AREA);
    cv::imwrite(at("phone/a-small.png"), small);
    cv::imwrite(at("photos/a-crop.png"), a(cv::Rect(200, 100, 320, 240)));
    cv::Mat turned;
    cv::rotate(a, turned, cv::ROTATE_90_CLOCKWISE);
    cv::imwrite(at("photos/a-turned.jpg"), turned, {cv::IMWRITE_JPEG_QUALITY, 80});
    cv::Mat mirrored;
    cv::flip(a, mirrored, 1);
    cv::imwrite(at("photos/a-mirrored.jpg"), mirrored, {cv::IMWRITE_JPEG_QUALITY, 80});
    cv::imwrite(at("photos/b.png"), draw_picture(640, 480, 2));
    fs::copy_file(at("photos/b.png"), at("phone/b-again.png"));
    fs::last_write_time(at("phone/b-again.png"),
                        fs::last_write_time(at("photos/b.png")) - std::chrono::hours(1));
    cv::imwrite(at("photos/c.png"), draw_picture(640, 480, 3));
    index();
    kept_ = std::make_unique<KeptCopy>(*folder_);
  }
  static void TearDownTestSuite() {
    folder_.reset();
    kept_.reset();
  }

  static std::string at(const std::string& name) { return folder_->path() / name; }
  static ProgramResult run(const std::string& command, std::vector<std::string> words,
                           int exit_code = 0) {
    words.insert(words.begin(), command);
    ProgramResult result = run_program("lookalike", words);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    return result;
  }
  static void index() { run("index", {"-q", "-d", at("index.db"), at("photos"), at("phone")}); }
  std::string text(std::vector<std::string> words) const {
    words.insert(words.begin(), {"-q", "-d", at("index.db")});
    return run("duplicates", words).out;
  }
  std::vector<json> groups(std::vector<std::string> words = {}) const {
    words.emplace_back("--json");
    std::vector<json> groups;
    std::istringstream lines(text(words));
    for (std::string line; std::getline(lines, line);) groups.push_back(json::parse(line));
    return groups;
  }
  // Returns the names of a group's files, with the proposals.
  static Names files(const json& group, const std::string& proposal = "") {
    Names names;
    for (const json& file : group["files"]) {
      if (proposal.empty() || file["proposal"] == proposal) {
        names.insert(fs::path(file["path"].get<std::string>()).filename());
      }
    }
    return names;
  }
  // Returns the names of the files that may go, but for those of a.png and b.png.
  Names added_that_go() const {
    Names names;
    for (const json& group : groups()) {
      for (const std::string& name : files(group, "go")) {
        if (!name.starts_with("a-") && !name.starts_with("b")) names.insert(name);
      }
    }
    return names;
  }
  static void write(const std::string& path, const std::vector<std::uint8_t>& bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  // A picture of 640 x 480 px whose shapes have colours of their own.
  static cv::Mat draw_in_colour(int seed) {
    const auto first = 3 * static_cast<unsigned>(seed);
    cv::Mat picture;
    cv::merge(std::vector<cv::Mat>{draw_picture(640, 480, first), draw_picture(640, 480, first),
                                   draw_picture(640, 480, first + 1)},
              picture);
    return picture;
  }
  static cv::Mat with_alpha(const cv::Mat& picture, const cv::Mat& alpha) {
    cv::Mat result;
    cv::cvtColor(picture, result, cv::COLOR_BGR2BGRA);
    cv::insertChannel(alpha, result, 3);
    return result;
  }
  static std::map<std::string, std::string> kinds(const json& group) {
    std::map<std::string, std::string> kinds;
    for (const json& file : group["files"]) {
      if (!file["kind"].is_null()) {
        kinds[fs::path(file["path"].get<std::string>()).stem()] = file["kind"];
      }
    }
    return kinds;
  }

  static inline std::unique_ptr<TemporaryFolder> folder_;
  static inline std::unique_ptr<KeptCopy> kept_;  // of the folder, as each test gets it
};

TEST_F(Duplicates, AreGroupedWithTheirKindsAndProposals) {
  const std::vector<json> found = groups();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(files(found[1]),
            Names({"a.png", "a-low.jpg", "a-small.png", "a-crop.png", "a-turned.jpg"}));
  EXPECT_THAT(kinds(found[1]),
              UnorderedElementsAre(std::pair("a-low", "copy"), std::pair("a-small", "copy"),
                                   std::pair("a-crop", "crop"), std::pair("a-turned", "turned")));
  EXPECT_EQ(files(found[1], "keep").size(), 1U);
  EXPECT_EQ(files(found[0]), Names({"b.png", "b-again.png"}));
  EXPECT_EQ(files(found[0], "go").size(), 1U);
  const auto crop = std::ranges::find_if(found[1]["pairs"], [](const json& pair) {
    return pair["kind"] == "crop" && (pair["first_shown"] == 1 || pair["second_shown"] == 1);
  });
  ASSERT_NE(crop, found[1]["pairs"].end());
  EXPECT_GE((*crop)["correlation"], 0.9);
}

TEST_F(Duplicates, NeitherAPhotoOfAPictureNorACopyWithALabelReplacesIt) {
  const cv::Mat picture = draw_picture(640, 480, 3);  // c.png
  // Both have more pixels.
  cv::Mat photo;
  const std::vector<cv::Point2f> corners = {{0, 0}, {639, 0}, {639, 479}, {0, 479}};
  const std::vector<cv::Point2f> seen = {{100, 80}, {900, 110}, {880, 690}, {120, 700}};
  cv::warpPerspective(picture, photo, cv::getPerspectiveTransform(corners, seen), {1000, 800},
                      cv::INTER_LINEAR, cv::BORDER_CONSTANT, cv::Scalar::all(120));
  cv::imwrite(at("photos/c-photo.png"), photo);
  cv::Mat labelled;
  cv::resize(picture, labelled, {800, 600}, 0, 0, cv::INTER_CUBIC);
  cv::rectangle(labelled, cv::Rect(320, 200, 80, 80), cv::Scalar::all(190), cv::FILLED);
  cv::imwrite(at("photos/c-label.png"), labelled);
  index();
  const auto of_c = [](const std::vector<json>& found) {
    return *std::ranges::find_if(found,
                                 [](const json& group) { return files(group).contains("c.png"); });
  };
  const json group = of_c(groups({"--kind", "variant"}));
  EXPECT_EQ(files(group), Names({"c.png", "c-label.png"}));
  EXPECT_EQ(kinds(group)["c"], "variant");
  EXPECT_EQ(files(group, "keep"), files(group));
  EXPECT_EQ(group["pairs"][0]["difference"]["places"].size(), 1);
  const json with_photo = of_c(groups({"--objects"}));
  EXPECT_TRUE(files(with_photo).contains("c-photo.png"));
  EXPECT_EQ(files(with_photo, "keep"), files(with_photo));
}

TEST_F(Duplicates, AreTheSameTwiceAndWhenRememberedAndMirroredOnRequest) {
  const std::string first = text({"--json"});
  const std::string remembered = text({"--json"});
  // Equal except for "new".
  std::string not_new = first;
  for (std::size_t at = 0; (at = not_new.find("\"new\":true", at)) != std::string::npos;) {
    not_new.replace(at, 10, "\"new\":false");
  }
  EXPECT_EQ(remembered, not_new);
  fs::remove(at("index.db.pairs"));
  EXPECT_EQ(text({"--json"}), first);
  for (const json& group : groups()) {
    for (const json& file : group["files"]) EXPECT_EQ(file["new"], false);
  }
  const std::vector<json> mirrored = groups({"--mirror"});
  EXPECT_EQ(kinds(mirrored.at(1))["a-mirrored"], "mirrored");
  EXPECT_EQ(groups().at(1).dump(), mirrored.at(1).dump());  // remembered
}

TEST_F(Duplicates, OptionsChooseThePairs) {
  EXPECT_THAT(groups({"--kind", "exact"}).size(), 1);
  const std::vector<json> copies = groups({"--kind", "copy,exact"});
  ASSERT_EQ(copies.size(), 2U);
  EXPECT_EQ(files(copies[1]), Names({"a.png", "a-low.jpg", "a-small.png"}));
  const std::vector<json> between = groups({"--between", at("photos"), at("phone")});
  ASSERT_EQ(between.size(), 2U);
  for (const json& pair : between[1]["pairs"]) {
    const bool first_on_phone = std::string(pair["first"]).starts_with(at("phone"));
    EXPECT_NE(first_on_phone, std::string(pair["second"]).starts_with(at("phone"))) << pair;
  }
  EXPECT_THAT(groups({"--within", at("phone")}), IsEmpty());
  EXPECT_EQ(groups({"--within", at("photos")}).size(), 1U);
  EXPECT_THAT(text({"--kind", "exact", "--format", "paths", "-0"}),
              AllOf(HasSubstr("/b"), testing::EndsWith(std::string("\0", 1))));
  EXPECT_THAT(run("duplicates", {"-d", at("index.db"), "--kind", "copies"}, 2).err,
              HasSubstr("--kind"));
  EXPECT_THAT(text({"--format", "csv"}),
              AllOf(HasSubstr("group,proposal,kind,of,"), HasSubstr("\"go\",\"crop\"")));
  EXPECT_THAT(text({}),
              AllOf(HasSubstr("group 1: 2 files"), HasSubstr("keep"), HasSubstr("turned")));
}

TEST_F(Duplicates, BetweenTwoFoldersEachFileMeetsOneOfTheOther) {
  // Two of three files with the same bytes are in scope; the oldest is the best.
  fs::copy_file(at("photos/b.png"), at("photos/b-third.png"));
  const auto oldest = fs::last_write_time(at("photos/b.png"));
  fs::last_write_time(at("photos/b-third.png"), oldest + std::chrono::hours(1));
  fs::last_write_time(at("phone/b-again.png"), oldest + std::chrono::hours(2));
  fs::copy_file(at("photos/a-low.jpg"), at("phone/a-low-again.jpg"));
  index();
  const std::vector<json> found = groups({"--between", at("photos"), at("phone")});
  ASSERT_EQ(found.size(), 2U);
  for (const json& group : found) {
    for (const json& file : group["files"]) {
      if (file["of"].is_null()) continue;
      EXPECT_NE(std::string(file["path"]).starts_with(at("phone")),
                std::string(file["of"]).starts_with(at("phone")))
          << file;
    }
  }
  // No file may go because of a file on its own side.
  for (const json& group : found) {
    if (!files(group).contains("b.png")) continue;
    EXPECT_EQ(files(group, "go"), Names({"b-again.png"}));
  }
}

TEST_F(Duplicates, AFileOfWhichMoreThanItsPictureIsStoredGoesOnlyForTheSameBytes) {
  if (!is_built(ReaderModule::kGif)) GTEST_SKIP() << "without giflib";
  cv::Mat small;
  cv::resize(draw_picture(640, 480, 1), small, {}, 0.5, 0.5, cv::INTER_AREA);
  for (const char* name : {"phone/a.gif", "photos/a-again.gif"}) write(at(name), make_gif(small));
  index();
  const json group = groups().at(1);
  const Names go = files(group, "go");
  EXPECT_TRUE(go.contains("a-small.png"));
  EXPECT_TRUE(files(group).contains("a.gif"));
  EXPECT_EQ(go.contains("a.gif") + go.contains("a-again.gif"), 1);
}

TEST_F(Duplicates, WhatAPersonWroteIntoAFileIsNotLost) {
  if (!is_built(ReaderModule::kMetadata)) GTEST_SKIP() << "without libexiv2";
  int seed = 40;
  // The picture as a JPEG that is `age` hours old, with a comment for each text.
  const auto add = [&](const std::string& name, const std::vector<std::string>& texts, int age) {
    std::vector<std::uint8_t> file = encode(".jpg", draw_in_colour(seed));
    for (const std::string& text : texts) {
      std::string segment = "\xff\xfe" + std::string(1, '\0');
      segment += static_cast<char>(text.size() + 2) + text;
      file.insert(file.begin() + 2, segment.begin(), segment.end());
    }
    write(at("photos/" + name), file);
    fs::last_write_time(at("photos/" + name),
                        fs::file_time_type::clock::now() - std::chrono::hours(age));
  };
  add("plain.jpg", {}, 9);
  add("told.jpg", {"Grandmother at the lake"}, 1);
  ++seed;
  add("lake.jpg", {"the lake"}, 9);
  add("sea.jpg", {"the sea"}, 1);
  ++seed;
  add("stamped.jpg", {"Created with GIMP"}, 1);
  add("older.jpg", {"CREATOR: gd-jpeg v1.0"}, 9);
  ++seed;
  add("copy (1).jpg", {}, 9);
  add("IMG_1.jpg", {}, 1);
  ++seed;
  add("o6.jpg", {}, 9);
  add("Grandma.jpg", {}, 1);
  index();
  EXPECT_THAT(added_that_go(),
              UnorderedElementsAre("plain.jpg", "stamped.jpg", "copy (1).jpg", "o6.jpg"));
  EXPECT_THAT(text({}), HasSubstr("has a comment that the other lacks: the sea"));
}

TEST_F(Duplicates, AnOriginalDoesNotGoForACutOutOfIt) {
  cv::Mat cut_out(480, 640, CV_8U, cv::Scalar(0));
  cv::ellipse(cut_out, {320, 240}, {290, 220}, 0, 0, 360, cv::Scalar(255), cv::FILLED);
  cv::Mat a_third(480, 640, CV_8U, cv::Scalar(255));
  a_third.rowRange(0, 160).setTo(0);
  int seed = 20;
  const std::map<std::string, cv::Mat> alphas = {{"cut-out", cut_out}, {"third", a_third}};
  for (const auto& [name, alpha] : alphas) {
    cv::imwrite(at("photos/" + name + "-of.jpg"), draw_in_colour(seed));
    cv::imwrite(at("photos/" + name + ".png"), with_alpha(draw_in_colour(seed++), alpha));
    cv::imwrite(at("photos/" + name + "-of.png"), draw_in_colour(seed));
    cv::imwrite(at("photos/" + name + "-2.png"), with_alpha(draw_in_colour(seed++), alpha));
  }
  // An alpha channel that is opaque all over is nothing more.
  const std::string original = at("photos/opaque-of.jpg");
  cv::imwrite(original, draw_in_colour(seed));
  cv::imwrite(at("photos/opaque.png"),
              with_alpha(cv::imread(original), cv::Mat(480, 640, CV_8U, cv::Scalar(255))));
  index();
  EXPECT_THAT(added_that_go(), ElementsAre("opaque.png"));
}

TEST_F(Duplicates, AnOriginalDoesNotGoForAPoorerCopyStoredWithoutLoss) {
  const auto decoded = [](const cv::Mat& picture, int quality) {
    return cv::imdecode(encode(".jpg", picture, {cv::IMWRITE_JPEG_QUALITY, quality}),
                        cv::IMREAD_COLOR);
  };
  int seed = 30;
  const auto original = [&](const std::string& name) {
    cv::imwrite(at("photos/" + name + "-of.jpg"), draw_in_colour(seed++),
                {cv::IMWRITE_JPEG_QUALITY, 85});
    return cv::imread(at("photos/" + name + "-of.jpg"));
  };
  cv::imwrite(at("photos/poor.png"), decoded(original("poor"), 10));
  cv::imwrite(at("photos/saved-between.png"), decoded(original("saved-between"), 92));
  cv::imwrite(at("photos/poor-jpeg.jpg"), decoded(original("poor-jpeg"), 10),
              {cv::IMWRITE_JPEG_QUALITY, 95});
  cv::Mat changed;
  cv::GaussianBlur(original("soft"), changed, {}, 1.5);
  cv::imwrite(at("photos/soft.png"), changed);
  cv::resize(original("halved"), changed, {}, 0.5, 0.5, cv::INTER_AREA);
  cv::resize(changed, changed, {640, 480}, 0, 0, cv::INTER_CUBIC);
  cv::imwrite(at("photos/halved.png"), changed);
  decoded(original("deep"), 10).convertTo(changed, CV_16U, 257);
  cv::imwrite(at("photos/deep.png"), changed);
  const cv::Mat lossless = draw_in_colour(seed++);
  cv::imwrite(at("photos/lossless-of.png"), lossless);
  cv::imwrite(at("photos/lossless-poor.png"), decoded(lossless, 10));
  // The other way round, copies go.
  const cv::Mat source = draw_in_colour(seed++);
  cv::imwrite(at("photos/source.png"), source);
  cv::imwrite(at("photos/source-60.jpg"), source, {cv::IMWRITE_JPEG_QUALITY, 60});
  cv::imwrite(at("photos/source-90.jpg"), source, {cv::IMWRITE_JPEG_QUALITY, 90});
  index();
  EXPECT_THAT(added_that_go(), ElementsAre("source-60.jpg", "source-90.jpg"));
}

TEST_F(Duplicates, AnOriginalDoesNotGoForACopySavedAgainAndTurned) {
  int seed = 50;
  const auto original = [&](const std::string& name) {
    cv::imwrite(at("photos/" + name + "-of.jpg"), draw_in_colour(seed++),
                {cv::IMWRITE_JPEG_QUALITY, 85});
    return cv::imread(at("photos/" + name + "-of.jpg"));
  };
  cv::Mat turned;
  cv::rotate(original("turned"), turned, cv::ROTATE_90_CLOCKWISE);
  cv::imwrite(at("photos/turned.jpg"), turned, {cv::IMWRITE_JPEG_QUALITY, 97});
  cv::rotate(original("turned-back"), turned, cv::ROTATE_90_COUNTERCLOCKWISE);
  cv::imwrite(at("photos/turned-back.png"), turned);
  const auto poor = encode(".jpg", original("poor"), {cv::IMWRITE_JPEG_QUALITY, 10});
  cv::rotate(cv::imdecode(poor, cv::IMREAD_COLOR), turned, cv::ROTATE_180);
  cv::imwrite(at("photos/poor.jpg"), turned, {cv::IMWRITE_JPEG_QUALITY, 95});
  // Turned without loss: either may go, here the younger one.
  const auto kept = encode(".jpg", draw_in_colour(seed++), {cv::IMWRITE_JPEG_QUALITY, 85});
  write(at("photos/kept.jpg"), kept);
  fs::last_write_time(at("photos/kept.jpg"),
                      fs::last_write_time(at("photos/kept.jpg")) - std::chrono::hours(1));
  write(at("photos/kept-turned.jpg"), with_orientation(kept, 6));
  index();
  EXPECT_THAT(added_that_go(), ElementsAre("kept-turned.jpg", "turned-back.png", "turned.jpg"));
}

TEST_F(Duplicates, AFileOfSeveralPagesGoesOnlyForTheSameBytes) {
  const auto small = [](unsigned seed) {
    cv::Mat page;
    cv::resize(draw_picture(640, 480, seed), page, {}, 0.5, 0.5, cv::INTER_AREA);
    return page;
  };
  const std::string scan = lookalike::text(encode_pages({small(3), small(7), small(1)}));
  folder_->write("photos/scan.tif", scan);
  folder_->write("phone/scan-again.tif", scan);
  index();
  Names pages;
  Names go;
  for (const json& group : groups()) {
    for (const std::string& name : files(group)) {
      if (name.starts_with("scan")) pages.insert(name);
    }
    for (const std::string& name : files(group, "go")) {
      if (name.starts_with("scan")) go.insert(name);
    }
  }
  // Page 2 is in no group: its two files are already a pair.
  EXPECT_THAT(pages, UnorderedElementsAre("scan.tif", "scan-again.tif", "scan.tif[3]",
                                          "scan-again.tif[3]"));
  EXPECT_EQ(go.size(), 2U) << "one of the files, and its third page with it";
  EXPECT_EQ(go.contains("scan.tif"), go.contains("scan.tif[3]"));
  const std::string paths = text({"--format", "paths"});
  EXPECT_THAT(paths, AllOf(HasSubstr("scan"), Not(HasSubstr("]"))));
}

TEST_F(Duplicates, OnlyWhatIsNewIsReportedOnRequest) {
  EXPECT_EQ(groups({"--new-only"}).size(), 2U);
  EXPECT_THAT(groups({"--new-only"}), IsEmpty());
  fs::copy_file(at("photos/c.png"), at("phone/c-again.png"));
  cv::imwrite(at("phone/d.png"), draw_picture(640, 480, 4));
  index();
  groups({"--within", at("phone")});  // remembers nothing
  const std::vector<json> found = groups({"--new-only"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(files(found[0]), Names({"c.png", "c-again.png"}));
}

// No device can be opened, so nothing was extracted or compared.
TEST_F(Duplicates, ExactCopiesAreKnownFromTheIndexAlone) {
  const std::vector<std::string> exact = {"--kind", "exact", "--device", ":GPU:none"};
  run("duplicates", {"-q", "-d", at("index.db"), "--device", ":GPU:none"}, 4);
  const std::vector<json> found = groups(exact);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(files(found[0], "keep"), ElementsAre("b-again.png"));
  EXPECT_THAT(files(found[0], "go"), ElementsAre("b.png"));
  EXPECT_THAT(
      groups({"--kind", "exact", "--device", ":GPU:none", "--between", at("photos"), at("phone")}),
      testing::SizeIs(1));
  run("duplicates", {"-q", "-d", at("index.db"), "--kind", "exact", "--device", ":GPU:none",
                     "--move-to", at("aside")});
  EXPECT_FALSE(fs::exists(at("photos/b.png")));
  EXPECT_TRUE(fs::exists(at("phone/b-again.png")));
}

TEST_F(Duplicates, ARunWithFewerKindsReportsItsOwnGroupsAlone) {
  groups({"--kind", "exact"});
  EXPECT_THAT(groups({"--kind", "exact", "--new-only"}), IsEmpty());
  const std::vector<json> found = groups({"--new-only"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(files(found[0]).contains("a.png"));
}

TEST_F(Duplicates, AFolderThatIsNotIndexedIsAWarning) {
  for (const char* option : {"--within", "--prefer"}) {
    EXPECT_THAT(run("duplicates", {"-d", at("index.db"), option, at("phtos")}).err,
                HasSubstr("phtos: is not in the index"));
  }
}

TEST_F(Duplicates, OfFilesThatCannotBeReadAreComparedOnceTheyCan) {
  const std::string whole = text({"--json"});
  fs::remove(at("index.db.pairs"));
  fs::rename(at("photos/a.png"), at("away.png"));
  EXPECT_THAT(run("duplicates", {"-d", at("index.db")}).err,
              HasSubstr("because files cannot be read: the next run compares them again"));
  fs::rename(at("away.png"), at("photos/a.png"));
  const std::vector<json> found = groups();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(files(found[1]), files(json::parse(whole.substr(whole.find('\n') + 1))));
}

TEST_F(Duplicates, AreReportedWhereTheyCannotBeRemembered) {
  fs::create_directory(at("index.db.pairs"));
  const ProgramResult result = run("duplicates", {"-d", at("index.db")});
  EXPECT_THAT(result.out, HasSubstr("group 2"));
  EXPECT_THAT(result.err, HasSubstr("the result of this run is not stored"));
}

TEST_F(Duplicates, ResumeAfterAStop) {
  const std::vector<std::string> words = {"duplicates", "-d", at("index.db"), "--report",
                                          at("groups.html")};
  RunningProgram program("lookalike", words);
  // The report is started before images are compared.
  const auto is_begun = [&] {
    return std::ranges::any_of(fs::directory_iterator(folder_->path()), [](const auto& entry) {
      return entry.path().extension() == ".lookalike-tmp";
    });
  };
  wait_until([&] { return is_begun() || !program.is_running(); });
  program.send(SIGINT);
  const ProgramResult stopped = program.wait();
  EXPECT_EQ(stopped.exit_code, 130);
  EXPECT_THAT(stopped.err, HasSubstr("stopped by SIGINT; the next run resumes from here"));
  EXPECT_TRUE(fs::exists(at("index.db.pairs")));
  EXPECT_FALSE(fs::exists(at("groups.html")));
  EXPECT_EQ(groups().size(), 2U);
}

TEST_F(Duplicates, AreNotRememberedWhileAnotherRunIsInProgress) {
  const auto other = lock_pairs(at("index.db"));
  EXPECT_THAT(run("duplicates", {"-d", at("index.db")}).err, HasSubstr("another process"));
  EXPECT_FALSE(fs::exists(at("index.db.pairs")));
}

TEST_F(Duplicates, AreRejectedWhileARunHoldsTheIndex) {
  const WriterLock held(at("index.db"));
  run("reject", {"-q", "-d", at("index.db"), at("photos/a.png"), at("photos/a-crop.png")});
  EXPECT_THAT(run("reject", {"-d", at("index.db")}).out, HasSubstr("a-crop.png"));
}

TEST_F(Duplicates, AreKeptApartAfterARejection) {
  run("reject", {"-q", "-d", at("index.db"), at("photos/a.png"), at("photos/a-crop.png")});
  const auto has_both = [&] {
    for (const json& group : groups()) {
      const Names names = files(group);
      if (names.contains("a.png") && names.contains("a-crop.png")) return true;
    }
    return false;
  };
  EXPECT_FALSE(has_both());
  const ProgramResult listed = run("reject", {"-d", at("index.db"), "--format", "csv"});
  EXPECT_THAT(listed.out, HasSubstr("a-crop.png"));
  std::ofstream(at("rejected.csv")) << listed.out;

  // Moves, compaction and retraining keep it.
  fs::rename(at("photos/a-crop.png"), at("phone/moved.png"));
  index();
  run("compact", {"-q", "-d", at("index.db")});
  run("retrain", {"-q", "-d", at("index.db")});
  EXPECT_THAT(run("reject", {"-d", at("index.db")}).out, HasSubstr("moved.png"));
  const auto together = [&](const std::string& name) {
    for (const json& group : groups()) {
      if (files(group).contains("a.png")) return files(group).contains(name);
    }
    return false;
  };
  EXPECT_FALSE(together("moved.png"));

  run("reject", {"-q", "-d", at("index.db"), "--undo", at("phone/moved.png"), at("photos/a.png")});
  EXPECT_TRUE(together("moved.png"));
  run("reject", {"-q", "-d", at("index.db"), "--import", at("rejected.csv")});
  EXPECT_FALSE(together("moved.png"));
}

TEST_F(Duplicates, RefusesProbabilitiesBelowThoseThatAreFound) {
  const auto answer = [&](const std::vector<std::string>& more, int exit_code) {
    std::vector<std::string> words = {"-q", "-d", at("index.db")};
    words.insert(words.end(), more.begin(), more.end());
    return run("duplicates", words, exit_code).err;
  };
  EXPECT_THAT(
      answer({"--min-probability", "0.1"}, 2),
      HasSubstr("--min-probability: must be from match.same_probability = 0.4 to 1, was 0.1"));
  answer({"--min-probability", "0.4"}, 0);
  answer({"--min-probability", "0.1", "--set", "match.same_probability=0.1"}, 0);
  answer({"--set", "match.same_probability=0.99"}, 0);  // the default is below
}

TEST_F(Duplicates, RejectSaysWhatIsWrong) {
  const auto error = [&](std::vector<std::string> words, int exit_code) {
    words.insert(words.begin(), {"-d", at("index.db")});
    return run("reject", words, exit_code).err;
  };
  EXPECT_THAT(error({at("photos/a.png")}, 2), HasSubstr("name two images"));
  EXPECT_THAT(error({at("photos/a.png"), at("nowhere.png")}, 3), HasSubstr("is not in the index"));
  EXPECT_THAT(error({at("photos/b.png"), at("phone/b-again.png")}, 2), HasSubstr("the same image"));
  EXPECT_THAT(error({"--import", at("photos/a.png")}, 3), HasSubstr("row 1"));
  EXPECT_THAT(error({"--import", at("photos")}, 3), HasSubstr("cannot be read: Is a directory"));
  EXPECT_FALSE(fs::exists(at("index.db.rejected")));
}

TEST_F(Duplicates, NothingIsProposedForFilesThatChangedOrAreGone) {
  groups();  // changed files can no longer be compared
  fs::remove(at("photos/b.png"));
  std::ofstream(at("photos/a-low.jpg"), std::ios::app) << "x";
  const std::vector<json> found = groups();
  EXPECT_EQ(files(found.at(0), "unknown"), Names({"b.png"}));
  EXPECT_EQ(files(found.at(0), "keep"), Names({"b-again.png"}));
  EXPECT_EQ(files(found.at(1), "unknown"), Names({"a-low.jpg"}));
  EXPECT_THAT(kinds(found.at(0)), IsEmpty());  // whether the bytes are the same is unknown
}

TEST_F(Duplicates, AFileWhoseTimesAloneChangedIsReadAndStaysExact) {
  const auto time = fs::last_write_time(at("photos/b.png"));
  const json before = groups().at(0);
  fs::last_write_time(at("photos/b.png"), time + std::chrono::hours(1));
  fs::last_write_time(at("photos/b.png"), time);  // what identifies it is the time of its status
  json after = groups().at(0);
  EXPECT_EQ(files(after, "go"), files(before, "go"));
  EXPECT_EQ(kinds(after), kinds(before));
  const std::string bytes = content_of(at("photos/b.png"));
  folder_->write("photos/b.png", bytes.substr(0, bytes.size() - 1) + '?');
  fs::last_write_time(at("photos/b.png"), time);
  EXPECT_EQ(files(groups().at(0), "unknown"), Names({"b.png"}));
}

TEST_F(Duplicates, PathsLeaveOutWhatChangedWithAWarning) {
  groups();  // changed files can no longer be compared
  std::ofstream(at("phone/a-small.png"), std::ios::app) << "x";
  const ProgramResult result = run("duplicates", {"-q", "-d", at("index.db"), "--format", "paths"});
  EXPECT_THAT(result.out, AllOf(HasSubstr("b"), Not(HasSubstr("a-small.png"))));
  EXPECT_THAT(result.err, HasSubstr("a-small.png: is gone or has changed since it was indexed"));
}

TEST_F(Duplicates, AreMovedAwayAndPutBack) {
  const auto contents = [&] {
    std::map<std::string, std::string> bytes;
    for (const char* folder : {"photos", "phone"}) {
      for (const auto& entry : fs::recursive_directory_iterator(at(folder))) {
        bytes[entry.path()] = content_of(entry.path());
      }
    }
    return bytes;
  };
  const auto before = contents();
  std::istringstream lines(text({"--format", "paths"}));
  Names paths;
  for (std::string line; std::getline(lines, line);) paths.insert(line);
  ASSERT_GE(paths.size(), 3U);
  const ProgramResult result =
      run("duplicates", {"-q", "-d", at("index.db"), "--move-to", at("away")});
  EXPECT_THAT(result.err, IsEmpty());
  for (const std::string& path : paths) {
    EXPECT_FALSE(fs::exists(path));
    const std::string there = at("away") / fs::path(path).lexically_relative(folder_->path());
    EXPECT_EQ(content_of(there), before.at(path));
  }
  EXPECT_THAT(run("index", {"-d", at("index.db")}).err, HasSubstr(" 0 indexed"));
  EXPECT_THAT(text({"--format", "paths"}), IsEmpty());
  // Runs the command of the message.
  const std::string command = result.out.substr(result.out.find("to undo it: lookalike") + 22);
  std::istringstream words(command);
  std::vector<std::string> undo;
  for (std::string word; words >> word;) undo.push_back(word);
  EXPECT_EQ(run_program("lookalike", undo).exit_code, 0);
  EXPECT_EQ(contents(), before);
  index();
  std::istringstream again(text({"--format", "paths"}));
  for (std::string line; std::getline(again, line);) paths.erase(line);
  EXPECT_THAT(paths, IsEmpty());
}

TEST_F(Duplicates, AreMadeHardLinksOrWrittenAsAScript) {
  run("duplicates", {"-q", "-d", at("index.db"), "--move-to", at("away"), "--script", at("go.sh")});
  EXPECT_FALSE(fs::exists(at("away")));
  EXPECT_EQ(std::system(("sh '" + at("go.sh") + "'").c_str()), 0);
  EXPECT_EQ(fs::exists(at("photos/b.png")) + fs::exists(at("phone/b-again.png")), 1);
  for (const auto& entry : fs::directory_iterator(at("away"))) {
    if (entry.path().extension() == ".log") run("duplicates", {"-q", "--undo", entry.path()});
  }
  index();
  run("duplicates", {"-q", "-d", at("index.db"), "--hardlink"});
  EXPECT_TRUE(fs::equivalent(at("photos/b.png"), at("phone/b-again.png")));
  index();
  EXPECT_THAT(files(groups({"--kind", "exact"}).at(0), "go"), IsEmpty());
}

TEST_F(Duplicates, AFileWithCompanionsStaysOrTakesThemAlong) {
  folder_->write("phone/b-again.xmp", "rated");
  const auto of = [](const json& group, const std::string& name) {
    for (const json& file : group["files"]) {
      if (file["path"].get<std::string>().ends_with(name)) return file;
    }
    return json();
  };
  EXPECT_EQ(of(groups({"--kind", "exact"}).at(0), "b-again.png")["proposal"], "keep");
  EXPECT_EQ(of(groups({"--kind", "exact"}).at(0), "photos/b.png")["reason"],
            "the other has more files that belong to it");
  const json preferred = groups({"--kind", "exact", "--prefer", at("photos")}).at(0);
  EXPECT_EQ(of(preferred, "b-again.png")["reason"],
            "has b-again.xmp beside it, the other has no such file");
  EXPECT_EQ(of(preferred, "photos/b.png")["proposal"], "keep");
  folder_->write("photos/b.xmp", "rated");
  const ProgramResult moved = run(
      "duplicates",
      {"-d", at("index.db"), "--kind", "exact", "--prefer", at("photos"), "--move-to", at("away")});
  EXPECT_THAT(moved.out, HasSubstr("1 file and 1 that belong to them moved to"));
  EXPECT_TRUE(fs::exists(at("away/phone/b-again.xmp")));
  EXPECT_TRUE(fs::exists(at("photos/b.xmp")));
}

TEST_F(Duplicates, TwoMovesAtOnceLeaveAFileOfEachPair) {
  const std::vector<std::string> usual = {"duplicates", "-q",    "-d",      at("index.db"),
                                          "--kind",     "exact", "--prefer"};
  for (int round = 0; round < 5; ++round) {
    std::vector<std::unique_ptr<RunningProgram>> moves;
    for (const char* folder : {"photos", "phone"}) {
      std::vector<std::string> words = usual;
      words.insert(words.end(), {at(folder), "--move-to", at("away-") + folder});
      moves.push_back(std::make_unique<RunningProgram>("lookalike", words));
    }
    for (const auto& move : moves) move->wait();
    EXPECT_EQ(fs::exists(at("photos/b.png")) + fs::exists(at("phone/b-again.png")), 1);
    for (const char* folder : {"away-photos", "away-phone"}) {
      if (!fs::exists(at(folder))) continue;
      for (const auto& entry : fs::directory_iterator(at(folder))) {
        if (entry.path().extension() == ".log") run("duplicates", {"-q", "--undo", entry.path()});
      }
      fs::remove_all(at(folder));
    }
    index();
  }
}

TEST_F(Duplicates, NothingMovesIntoTheLibraryByAnotherPath) {
  fs::create_directory_symlink(at("photos"), at("alias"));
  const auto error = [&](const std::string& folder) {
    return run("duplicates", {"-q", "-d", at("index.db"), "--move-to", folder}, 2).err;
  };
  EXPECT_THAT(error(at("alias")), HasSubstr("holds the indexed folder " + at("photos")));
  EXPECT_THAT(error(at("alias/below")), HasSubstr("lies in " + at("photos")));
}

TEST_F(Duplicates, AnUndoStaysWithinTheFoldersOfItsIndex) {
  run("duplicates", {"-q", "-d", at("index.db"), "--kind", "exact", "--move-to", at("away")});
  std::string log;
  for (const auto& entry : fs::directory_iterator(at("away"))) {
    if (entry.path().extension() == ".log") log = entry.path();
  }
  std::string text = content_of(log);
  // Somebody lets it lead elsewhere.
  const std::string place = "{\"file\":{\"path\":\"" + folder_->path().string() + "/ph";
  const std::size_t found = text.find(place);
  ASSERT_NE(found, std::string::npos);
  const std::size_t name = found + place.size() - 2;
  text.replace(name, text.find('/', name) - name, "private");
  fs::create_directory(at("private"));
  std::ofstream(log) << text;
  EXPECT_THAT(run("duplicates", {"-q", "--undo", log}, 1).err,
              HasSubstr("lies in no folder of the index"));
  EXPECT_TRUE(fs::is_empty(at("private")));
  fs::rename(at("index.db"), at("other.db"));
  EXPECT_THAT(run("duplicates", {"-q", "--undo", log}, 3).err, HasSubstr("--database names one"));
  EXPECT_THAT(run("duplicates", {"-q", "--undo", log, "-d", at("other.db")}, 1).err,
              HasSubstr("lies in no folder of the index"));
}

TEST_F(Duplicates, ActionsThatMakeNoSenseAreRefused) {
  const auto error = [&](std::vector<std::string> words, int exit_code) {
    words.insert(words.begin(), {"-q", "-d", at("index.db")});
    return run("duplicates", words, exit_code).err;
  };
  EXPECT_THAT(error({"--move-to", at("photos/away")}, 2), HasSubstr("lies in " + at("photos")));
  EXPECT_THAT(error({"--move-to", folder_->path()}, 2), HasSubstr("holds the indexed folder"));
  error({"--move-to", at("photos/.away"), "--kind", "part"}, 0);
  EXPECT_THAT(error({"--script", at("go.sh")}, 2), HasSubstr("needs --move-to or --hardlink"));
  error({"--move-to", at("away"), "--hardlink"}, 2);
  EXPECT_THAT(error({"--undo", at("photos/a.png")}, 3), HasSubstr("no log of lookalike"));
  EXPECT_THAT(error({"--undo", at("none.log")}, 3), HasSubstr("none.log: cannot be read"));
}

TEST_F(Duplicates, NamesOfOneFileAreNeverProposedToGo) {
  fs::create_hard_link(at("photos/c.png"), at("phone/c-linked.png"));
  fs::create_symlink(at("photos/c.png"), at("phone/c-symbolic.png"));
  index();
  const std::vector<json> found = groups({"--kind", "exact"});
  for (const json& group : found) {
    if (!files(group).contains("c.png")) continue;
    EXPECT_THAT(files(group, "go"), IsEmpty());
  }
  EXPECT_EQ(found.size(), 2U);
}

TEST_F(Duplicates, ReportHoldsThemWithTheirPictures) {
  text({});  // no file is new any more
  text({"--report", at("groups.html")});
  const std::string page = content_of(at("groups.html"));
  const auto items = data_in(page, "item");
  const auto pictures = data_in(page, "pictures");
  std::vector<json> found = groups({});
  for (json& group : found) group.erase("schema");
  ASSERT_EQ(items.size(), found.size() + 1);
  ASSERT_EQ(pictures.size(), found.size());
  EXPECT_EQ(items[0]["totals"]["total"], found.size());
  // The groups with the largest savings are the first.
  std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const json& group = items[i + 1];
    EXPECT_THAT(found, testing::Contains(group));
    std::uint64_t bytes = 0;
    for (const json& file : group["files"]) {
      if (file["proposal"] == "go") bytes += file["size_bytes"].get<std::uint64_t>();
      EXPECT_TRUE(pictures[i].contains(file["id"].dump()));
    }
    EXPECT_LE(bytes, last);
    last = bytes;
  }
  text({"--report", at("groups.html")});  // an earlier one is replaced
}

TEST_F(Duplicates, AnUnusableMemoryIsMadeAgain) {
  const std::string first = text({"--json"});
  fs::resize_file(at("index.db.pairs"), 50);
  const ProgramResult again = run("duplicates", {"-d", at("index.db"), "--json"});
  EXPECT_EQ(again.out, first);
  EXPECT_THAT(again.err, HasSubstr("comparing all images again"));
}

}  // namespace
}  // namespace lookalike
