#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "tests/content_of.h"
#include "tests/end_to_end/run_program.h"
#include "tests/temporary_folder.h"
#include "tools/library/lookalike.h"

namespace lookalike {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class LibraryTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    run_program("lookalike-example", {"posters", "--count", "4", "--output", at("posters")});
    run_program("lookalike-example",
                {"posters", "--count", "1", "--seed", "99", "--output", at("others")});
    run_program("lookalike-example",
                {"crop", "--angle", "30", "--output", at("crop.jpg"), poster(2)});
    folder_->write("posters/broken.jpg", "no photo");
    const Update first = update_index(at("index.db"), {at("posters")});
    EXPECT_EQ(first.indexed, 4U);
    ASSERT_THAT(first.unused, SizeIs(1));
    EXPECT_EQ(first.unused[0].path, at("posters/broken.jpg"));
    EXPECT_EQ(first.unused[0].reason, "undecodable");
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string at(const std::string& name) { return folder_->path() / name; }
  static std::string poster(int number) {
    return at("posters/poster-0" + std::to_string(number) + ".png");
  }

  static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> LibraryTest::folder_;

// The kind and message of the failure of work().
template <typename Work>
std::pair<Failure::Kind, std::string> failure_of(const Work& work) {
  try {
    work();
  } catch (const Failure& failure) {
    return {failure.kind(), failure.what()};
  }
  ADD_FAILURE() << "no failure";
  return {};
}

TEST_F(LibraryTest, FindsTheFileItselfAsADuplicate) {
  const std::vector<Found> found = Finder(at("index.db")).find(poster(1));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].path, poster(1));
  EXPECT_THAT(found[0].paths, ElementsAre(poster(1)));
  EXPECT_EQ(found[0].decision, "duplicate");
  EXPECT_GT(found[0].probability, 0.9);
  ASSERT_TRUE(found[0].correlation);
  EXPECT_GT(*found[0].correlation, 0.99);
  ASSERT_TRUE(found[0].outline);
  EXPECT_NEAR((*found[0].outline)[0].x, 0, 1);
  EXPECT_NEAR((*found[0].outline)[0].y, 0, 1);
  EXPECT_FALSE(found[0].mirrored);
}

TEST_F(LibraryTest, FindsTheSameForAPhotoInMemory) {
  const Finder finder(at("index.db"));
  const std::vector<Found> by_name = finder.find(at("crop.jpg"));
  ASSERT_FALSE(by_name.empty());
  EXPECT_EQ(by_name[0].path, poster(2));
  EXPECT_EQ(by_name[0].decision, "same_object");
  const std::string text = content_of(at("crop.jpg"));
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  const std::vector<Found> by_bytes = finder.find(Photo::encoded(bytes));
  ASSERT_EQ(by_bytes.size(), by_name.size());
  EXPECT_EQ(by_bytes[0].path, by_name[0].path);
  EXPECT_EQ(by_bytes[0].probability, by_name[0].probability);
}

TEST_F(LibraryTest, FindsTheSameForPixels) {
  const Finder finder(at("index.db"));
  const std::optional<Indexed> image = finder.get(poster(3));
  ASSERT_TRUE(image);
  const Thumbnail whole = finder.thumbnail(image->id, 100'000);
  EXPECT_EQ(whole.width, image->width);
  EXPECT_EQ(whole.height, image->height);
  const Photo pixels = Photo::from_pixels(whole.pixels, whole.width, whole.height, 3);
  const std::vector<Found> found = finder.find(pixels);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].id, image->id);
  EXPECT_EQ(found[0].decision, "duplicate");
  std::vector<std::uint8_t> gray;
  for (std::size_t i = 0; i < whole.pixels.size(); i += 3) gray.push_back(whole.pixels[i + 1]);
  EXPECT_EQ(finder.find(Photo::from_pixels(gray, whole.width, whole.height, 1)).at(0).id,
            image->id);
  const auto [kind, message] =
      failure_of([&] { Photo::from_pixels(whole.pixels, whole.width, whole.height, 4); });
  EXPECT_EQ(kind, Failure::Kind::kUsage);
}

TEST_F(LibraryTest, OptionsHoldForOneSearch) {
  const Finder finder(at("index.db"), {"match.min_decision=all"});
  std::set<std::size_t> places;
  for (const Found& one : finder.find(poster(0), {.top = 2})) places.insert(one.place);
  EXPECT_THAT(places, ElementsAre(1, 2));
  const Indexed image = finder.get(poster(0)).value();
  const Rectangle lower_right{100, 80, image.width - 100, image.height - 80};
  const std::vector<Found> found = finder.find(poster(0), {.region = lower_right});
  ASSERT_TRUE(found.at(0).outline);
  EXPECT_EQ(found[0].id, image.id);
  EXPECT_NEAR((*found[0].outline)[2].x, image.width, 3);  // in px of the whole photo
  EXPECT_NEAR((*found[0].outline)[2].y, image.height, 3);
  const auto [kind, message] = failure_of([&] {
    finder.find(poster(0), {.region = Rectangle{0, 0, 8, 8}});
  });
  EXPECT_EQ(kind, Failure::Kind::kUsage);
  EXPECT_EQ(failure_of([&] {
              finder.find(poster(0), {.region = Rectangle{0, 0, 100'000, 16}});
            }).first,
            Failure::Kind::kInput);
}

TEST_F(LibraryTest, ListsTheImagesOfAnIndex) {
  const Finder finder(at("index.db"));
  const std::vector<Indexed> images = finder.images(0, 10);
  ASSERT_THAT(images, SizeIs(4));
  EXPECT_THAT(finder.images(images[0].id, 2), SizeIs(2));
  EXPECT_EQ(finder.get(images[1].id)->content, images[1].content);
  EXPECT_FALSE(finder.get(at("nothing.png")));
  EXPECT_EQ(failure_of([&] { finder.thumbnail(1000, 64); }).first, Failure::Kind::kInput);
  EXPECT_THAT(finder.explain(at("crop.jpg"), finder.get(poster(2))->id),
              HasSubstr("\"decision\":\"same_object\""));
}

TEST_F(LibraryTest, MatchesFeaturesAndLocatesWithoutAnIndex) {
  const Features one = extract(poster(0), {"extract.max_features=500"});
  EXPECT_THAT(one.descriptors, SizeIs(one.size() * 64));
  const Matched matched = match(one, one);
  EXPECT_GT(matched.inliers.size(), 20U);
  ASSERT_TRUE(matched.homography);
  EXPECT_NEAR((*matched.homography)[0] / (*matched.homography)[8], 1, 0.01);
  using Wrong = std::pair<std::size_t, float>;  // a diameter, and an x
  for (const auto& [member, value] : {Wrong{2, 0.0F}, Wrong{0, std::nanf("")}}) {
    Features wrong = one;
    wrong.keypoints[member] = value;
    EXPECT_EQ(failure_of([&] { match(wrong, one); }).first, Failure::Kind::kUsage);
  }
  const std::vector<PlaceOfObject> places = locate(poster(0), poster(0));
  ASSERT_THAT(places, SizeIs(1));
  EXPECT_NEAR(places[0].outline[2].x, one.width, 1);
}

TEST_F(LibraryTest, GroupsRejectsAndRemoves) {
  const std::string database = at("groups.db");
  folder_->write("copies/copy.png", content_of(poster(0)));
  update_index(database, {at("posters"), at("copies")});
  EXPECT_THAT(duplicates(database, {"exact"}).value(), ElementsAre(HasSubstr("copy.png")));
  EXPECT_FALSE(duplicates(database, {}, {}, {}, [] { return true; }));
  EXPECT_TRUE(reject(database, poster(0), poster(1)));
  EXPECT_TRUE(reject(database, poster(0), poster(1), true));
  EXPECT_EQ(remove(database, {at("copies")}), 1U);
  EXPECT_EQ(failure_of([&] { remove(database, {at("copies")}); }).first, Failure::Kind::kInput);
}

TEST_F(LibraryTest, AddsImagesThatHaveNoFile) {
  const std::string database = at("added.db");
  std::filesystem::copy_file(at("index.db"), database);
  remove(database, {poster(2)});
  const auto first_found = [&] { return Finder(database).find(at("crop.jpg")).at(0); };

  add(database, "shelf", Photo(poster(2)));
  const Found found = first_found();
  EXPECT_THAT(found.paths, ElementsAre("shelf"));
  EXPECT_EQ(found.decision, "same_object");
  EXPECT_FALSE(found.correlation);
  EXPECT_TRUE(found.outline);
  EXPECT_EQ(failure_of([&] { Finder(database).thumbnail(found.id, 64); }).first,
            Failure::Kind::kInput);

  EXPECT_THAT(Finder(database).explain(at("crop.jpg"), found.id),
              HasSubstr("the indexed image was added without a file"));

  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"-d", database});
    return run_program("lookalike", arguments);
  };
  EXPECT_EQ(run({"list", "--state", "added", "--format", "paths", "shelf"}).out, "shelf\n");
  EXPECT_THAT(run({"show", "shelf", "--json"}).out, HasSubstr("\"paths\":[\"shelf\"]"));
  EXPECT_EQ(run({"check"}).exit_code, 0);
  const ProgramResult retrained = run({"retrain"});
  EXPECT_EQ(retrained.exit_code, 3);
  EXPECT_THAT(retrained.err, HasSubstr("shelf: was added without a file"));
  EXPECT_THAT(run({"query", at("crop.jpg")}).err, Not(HasSubstr("gone")));

  EXPECT_EQ(update_index(database, {}).removed, 0U);  // the file, which has this content, is back
  EXPECT_THAT(first_found().paths, ElementsAre(poster(2), "shelf"));
  EXPECT_EQ(remove(database, {"shelf"}), 1U);
  EXPECT_THAT(first_found().paths, ElementsAre(poster(2)));
}

TEST_F(LibraryTest, WhatIsThrownWhileImagesAreAddedEndsTheRun) {
  const std::string database = at("added-in-part.db");
  std::filesystem::copy_file(at("index.db"), database);
  const auto throw_at_b = [&](const std::string& name) -> Photo {
    if (name == "b") throw std::out_of_range("of the caller");
    return {poster(0)};
  };
  EXPECT_THROW(add_many(database, {"a", "b", "c"}, throw_at_b), std::out_of_range);
  EXPECT_EQ(failure_of([&] { add_many(database, {"/a"}, throw_at_b); }).first,
            Failure::Kind::kUsage);
  EXPECT_FALSE(Finder(database).get("b"));
}

TEST_F(LibraryTest, MeasuresAgainstGroundTruth) {
  const std::string truth =
      folder_->write("truth.csv", "query,relevant\ncrop.jpg,posters/poster-02.png\n");
  EXPECT_THAT(evaluate(at("index.db"), truth).value(),
              HasSubstr("\"queries\":1,\"depth\":100,\"recall_at_1\":1.0"));
  EXPECT_FALSE(evaluate(at("index.db"), truth, {}, [] { return true; }));
  EXPECT_THROW(evaluate(at("index.db"), truth, {}, []() -> bool { throw std::out_of_range(""); }),
               std::out_of_range);
  const std::string wrong = folder_->write("wrong.csv", "query,relevant\ncrop.jpg,nowhere.png\n");
  EXPECT_EQ(failure_of([&] { evaluate(at("index.db"), wrong); }).first, Failure::Kind::kInput);
}

TEST_F(LibraryTest, TellsItsProgress) {
  std::vector<std::string> steps;
  update_index(at("progress.db"), {at("posters")}, {}, {},
               [&](const std::string& step, std::size_t, std::size_t) { steps.push_back(step); });
  EXPECT_THAT(steps, Contains(HasSubstr("index")));
  EXPECT_THROW(update_index(at("progress.db"), {at("others")}, {}, {},
                            [](const std::string&, std::size_t, std::size_t) {
                              throw std::out_of_range("of the host");
                            }),
               std::out_of_range);
}

TEST_F(LibraryTest, AnswersSeveralThreads) {
  Finder finder(at("index.db"));
  const Finder moved = std::move(finder);
  std::vector<std::string> decisions(4);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back(
        [&, i] { decisions[static_cast<std::size_t>(i)] = moved.find(poster(i)).at(0).decision; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(decisions, testing::Each("duplicate"));
}

TEST_F(LibraryTest, TakesSettings) {
  const auto found =
      Finder(at("index.db"), {"match.min_decision=all", "match.top=2"}).find(poster(0));
  std::set<std::size_t> places;
  for (const Found& one : found) places.insert(one.place);
  EXPECT_THAT(places, testing::ElementsAre(1, 2));
  const auto [kind, message] = failure_of([] { Finder(at("index.db"), {"match.tpo=2"}); });
  EXPECT_EQ(kind, Failure::Kind::kUsage);
  EXPECT_THAT(message, HasSubstr("match.top"));
}

TEST_F(LibraryTest, SaysWhatItCannotUse) {
  const Finder finder(at("index.db"));
  for (const char* name : {"nothing.jpg", "posters/broken.jpg"}) {
    const auto [kind, message] = failure_of([&] { finder.find(at(name)); });
    EXPECT_EQ(kind, Failure::Kind::kInput);
    EXPECT_THAT(message, HasSubstr(at(name)));
  }
  const std::vector<std::uint8_t> none;
  EXPECT_EQ(failure_of([&] { finder.find(Photo::encoded(none)); }).first, Failure::Kind::kInput);
  EXPECT_EQ(failure_of([] { Finder(at("nothing.db")); }).first, Failure::Kind::kInput);
  EXPECT_EQ(failure_of([] { Finder(at("index.db"), {"device.choice=::none-such"}); }).first,
            Failure::Kind::kDevice);
}

TEST_F(LibraryTest, ARunAddsFoldersAndRemembersThem) {
  const std::string database = at("added.db");
  update_index(database, {at("posters")});
  const Update second = update_index(database, {at("others")});
  EXPECT_EQ(second.indexed, 1U);
  const Update third = update_index(database, {});
  EXPECT_EQ(third.indexed, 0U);
  EXPECT_EQ(third.unchanged, 5U);
  EXPECT_FALSE(third.stopped);
  EXPECT_THAT(third.unreachable, IsEmpty());
}

TEST_F(LibraryTest, ARunStopsOnRequest) {
  const Update update = update_index(at("stopped.db"), {at("posters")}, {}, [] { return true; });
  EXPECT_TRUE(update.stopped);
  EXPECT_EQ(update.indexed, 0U);
}

TEST_F(LibraryTest, AnEmptyStopNeverStops) {
  EXPECT_FALSE(update_index(at("unstopped.db"), {at("others")}, {}, nullptr).stopped);
}

TEST_F(LibraryTest, WhatStopThrowsReachesTheCaller) {
  EXPECT_THROW(update_index(at("thrown.db"), {at("posters")}, {},
                            []() -> bool { throw std::out_of_range("of the host"); }),
               std::out_of_range);
  EXPECT_EQ(update_index(at("thrown.db"), {at("posters")}).indexed, 4U);
}

TEST_F(LibraryTest, AnIndexReplacesNoOtherFile) {
  const std::string photo = folder_->write("kept/photo.png", "");
  const std::string folders = "images.folders=[\"" + at("kept") + "\"]";
  for (const auto& run : {std::function([&] { update_index(photo, {at("kept")}); }),
                          std::function([&] { update_index(photo, {}, {folders}); })}) {
    const auto [kind, message] = failure_of(run);
    EXPECT_EQ(kind, Failure::Kind::kUsage);
    EXPECT_THAT(message, HasSubstr(photo));
  }
}

TEST_F(LibraryTest, TheProcessIsNotConfigured) {
  for (const char* setting : {"run.niceness=5", "run.metrics=lookalike.prom"}) {
    const auto [kind, message] =
        failure_of([&] { update_index(at("run.db"), {at("others")}, {setting}); });
    EXPECT_EQ(kind, Failure::Kind::kUsage);
    EXPECT_THAT(message, HasSubstr("run.niceness"));
  }
}

TEST_F(LibraryTest, MessagesGoWhereTheyAreWantedAndNowhereElse) {
  std::mutex guard;
  std::vector<std::string> messages;
  on_message([&](Severity severity, const std::string& message) {
    const std::lock_guard lock(guard);
    messages.push_back((severity == Severity::kWarning ? "warning: " : "info: ") + message);
  });
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  update_index(at("messages.db"), {at("others")});
  on_message({});
  update_index(at("silent.db"), {at("others")});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_THAT(messages, Contains(HasSubstr("info: device: ")));
}

TEST_F(LibraryTest, AReceiverMayCallTheLibraryAndThrow) {
  std::string decision;
  on_message([&](Severity, const std::string&) {
    on_message({});
    decision = Finder(at("index.db")).find(poster(3)).at(0).decision;
    throw std::runtime_error("of the host");
  });
  testing::internal::CaptureStderr();
  update_index(at("received.db"), {at("others")});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(decision, "duplicate");
}

// Library and host share spdlog's registry.
TEST_F(LibraryTest, LeavesTheLoggingOfItsHostAlone) {
  int messages = 0;
  std::mutex guard;
  on_message([&](Severity, const std::string&) {
    const std::lock_guard lock(guard);
    ++messages;
  });
  EXPECT_NO_THROW(spdlog::register_logger(
      std::make_shared<spdlog::logger>("lookalike", spdlog::sinks_init_list{})));
  spdlog::set_level(spdlog::level::off);
  update_index(at("host.db"), {at("others")});
  EXPECT_GT(std::exchange(messages, 0), 0);
  spdlog::shutdown();
  update_index(at("shutdown.db"), {at("others")});
  EXPECT_GT(messages, 0);
  on_message({});
}

TEST_F(LibraryTest, LeavesStandardErrorOfItsHostAlone) {
  run_program("lookalike-example",
              {"crop", "--angle", "10", "--output", at("by-opencv.webp"), poster(0)});
  std::atomic<bool> done = false;
  bool was_silent = false;
  std::thread host([&] {
    while (!done) was_silent |= std::cerr.bad();
  });
  const Finder finder(at("index.db"));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(finder.find(at("by-opencv.webp")).empty());
  done = true;
  host.join();
  EXPECT_FALSE(was_silent);
}

}  // namespace
}  // namespace lookalike
