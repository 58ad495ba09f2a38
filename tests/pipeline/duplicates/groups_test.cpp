#include "pipeline/duplicates/groups.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/content_hash.h"
#include "base/files.h"
#include "base/source_file.h"
#include "pipeline/duplicates/cluster.h"
#include "storage/index_writer.h"
#include "tests/content_of.h"
#include "tests/storage/encoded.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using Names = std::vector<std::string>;

constexpr PictureSize kSmall{400, 300};
constexpr PictureSize kLarge{800, 600};

// Returns evidence with this number of inliers and a correlation.
Evidence evidence_of(std::uint32_t inliers, double correlation) {
  return {.votes_excess = 8,
          .shortlist = 100,
          .pairs = inliers + 50,
          .inliers = inliers,
          .effective_inliers = inliers,
          .coherence = 2,
          .correlation = correlation,
          .detail = correlation,
          .difference = PictureDifference{}};
}

// Returns evidence of a pair whose pixels do not agree, just sure enough for groups.
Evidence doubtful() {
  for (std::uint32_t inliers = 5; inliers < 200; ++inliers) {
    const Evidence evidence = evidence_of(inliers, 0.3);
    const double probability = Calibration().probability(evidence);
    if (probability < kUsualProbability) continue;
    EXPECT_LT(probability, kStrongProbability);
    return evidence;
  }
  ADD_FAILURE() << "no evidence makes a pair sure";
  return {};
}

// An index of files of noise, with made-up pairs.
class GroupsTest : public testing::Test {
 protected:
  GroupsTest() {
    Codebook codebook{.descriptor_size = 1, .words = {0}, .projection = {}, .thresholds = {}};
    codebook.projection.resize(64, 0.125F);
    codebook.thresholds.resize(64);
    writer_.set_codebook(codebook, {});
  }

  std::string at(const std::string& name) const { return folder_.path() / name; }

  // Adds an image with one file, a PGM of noise, of this size and age.
  void add(const std::string& name, PictureSize size = kSmall, int hours = 1) {
    std::string file =
        "P5\n" + std::to_string(size.width) + " " + std::to_string(size.height) + "\n255\n";
    std::mt19937 random(static_cast<unsigned>(contents_.size()));
    for (int i = 0; i < size.width * size.height; ++i) file += static_cast<char>(random() % 256);
    write(name, file, hours, size);
  }
  // Adds a younger file of the same bytes as one of the size kSmall.
  void add_copy(const std::string& name, const std::string& copy) {
    write(copy, content_of(at(name)), 0, kSmall);
  }
  // Adds an image of the same picture as one of the size kSmall, up to a level of a pixel.
  void add_resaved(const std::string& name, const std::string& again, int hours) {
    std::string file = content_of(at(name));
    ++file.back();
    write(again, file, hours, kSmall);
  }

  // Adds a pair of images that show the same thing completely.
  void pair(const std::string& one, const std::string& other,
            const Evidence& evidence = evidence_of(150, 0.98)) {
    pairs_.push_back({one, other, evidence});
  }
  void copies(const Names& names) {
    for (std::size_t i = 1; i < names.size(); ++i) pair(names[i - 1], names[i]);
  }
  void reject(const std::string& one, const std::string& other) {
    rejections_.add(rejection_of(contents_.at(one), contents_.at(other), 1));
  }

  // Says that one image stands for another, of which it has a pair.
  void represent(const std::string& one, const std::string& other) {
    representatives_[other] = one;
  }

  // Says that two images are of one print with other content.
  void share_print(const std::string& one, const std::string& other) {
    const IndexReader index(folder_.path() / "index.db");
    const ImageId a = index.find(contents_.at(one)).value();
    const ImageId b = index.find(contents_.at(other)).value();
    const auto to = [](ImageId image) { return PrintEdge{image, 0.5, {1, 1, {true}, {false}}}; };
    const std::vector<ImagePrints> prints = {{a, {to(b)}}, {b, {to(a)}}};
    writer_.put_neighbours({}, std::max(a, b), prints);
  }
  void remove(const std::string& name) {
    const std::string path = at(name);
    writer_.remove_paths({&path, 1});
  }

  // Compares pairs that a proposal asks for with `check`, and counts them.
  std::vector<Group> groups() {
    const IndexReader index(folder_.path() / "index.db");
    const std::vector<IndexedImage> images = indexed_images(index, {});
    PairState state;
    const std::vector<std::uint32_t> places = adopt_images(images, state);
    const auto number = [&](const std::string& name) {
      return find_image(images, contents_.at(name)).value();
    };
    for (const auto& [one, other, evidence] : pairs_) {
      const std::uint32_t a = number(one);
      const std::uint32_t b = number(other);
      FoundPair& found = state.pairs.emplace_back();
      found.first = places[a];
      found.second = places[b];
      found.evidence = evidence;
      found.first_to_second = resizing(images[a].size.width, images[a].size.height,
                                       images[b].size.width, images[b].size.height);
    }
    for (const auto& [other, one] : representatives_) {
      state.images[places[number(other)]].representative = places[number(one)];
    }
    const auto check = [&](std::uint32_t first, std::uint32_t second,
                           bool) -> std::optional<std::size_t> {
      ++checked_;
      FoundPair& found = state.pairs.emplace_back();
      found.first = first;
      found.second = second;
      found.is_check = true;
      found.evidence = *check_;
      return state.pairs.size() - 1;
    };
    GroupOptions options;
    for (const std::string_view name : pair_kind_names()) {
      options.kinds.insert(pair_kind(name).value());
    }
    options.min_probability = kUsualProbability;
    options.prefer = prefer_;
    const Groups groups(index, images, places, state, rejections_, options,
                        check_ ? CheckPair(check) : CheckPair());
    std::vector<Group> all;
    for (std::size_t i = 0; i < groups.size(); ++i) all.push_back(groups.group(i));
    images_of_prints_ = groups.images_of_prints();
    return all;
  }
  // Returns the names of each group's files, best first.
  static std::vector<Names> names(const std::vector<Group>& groups) {
    std::vector<Names> all;
    for (const Group& group : groups) {
      Names& names = all.emplace_back();
      for (const GroupFile& file : group.files) {
        names.push_back(fs::path(file.file.path).filename());
      }
    }
    return all;
  }
  static std::vector<Proposal> proposals(const Group& group) {
    std::vector<Proposal> all;
    for (const GroupFile& file : group.files) all.push_back(file.proposal);
    return all;
  }

  std::vector<std::string> prefer_;
  std::optional<Evidence> check_;  // found by checks, of images of equal size
  std::size_t checked_ = 0;
  std::size_t images_of_prints_ = 0;

 private:
  void write(const std::string& name, const std::string& bytes, int hours, PictureSize size) {
    const std::string path = folder_.write(name, bytes);
    fs::last_write_time(path, kNow - std::chrono::hours(hours));
    contents_[name] = hash_content(bytes_of(bytes));
    const ImageRecord record = {look_at(path).value(), contents_[name], size.width, size.height};
    ImageToStore image;
    image.words = {record, {{.word = 0, .size = 9}}, {{0, 1}}};
    writer_.publish(encoded({&image, 1}));
  }

  struct NamedPair {
    std::string one;
    std::string other;
    Evidence evidence;
  };
  const fs::file_time_type kNow = fs::file_time_type::clock::now();
  TemporaryFolder folder_;
  IndexWriter writer_{folder_.path() / "index.db"};
  std::map<std::string, ContentHash> contents_;
  std::vector<NamedPair> pairs_;
  std::map<std::string, std::string> representatives_;
  Rejections rejections_;
};

TEST_F(GroupsTest, FilesStandInTheOrderInWhichTheyWouldBeKept) {
  add("small", kSmall, 90);
  add("new", kLarge, 1);
  add("old-old-c", kLarge, 9);
  add("old-b", kLarge, 9);
  add("old-a", kLarge, 9);
  copies({"small", "new", "old-old-c", "old-b", "old-a"});
  pair("small", "old-a");
  const std::vector<Group> found = groups();
  EXPECT_THAT(names(found), ElementsAre(Names{"old-a", "old-b", "old-old-c", "new", "small"}));
}

TEST_F(GroupsTest, AFileMayGoIfOneThatStaysShowsAllOfIt) {
  add("best", kLarge);
  add("small");
  add("smaller", {200, 150});
  copies({"best", "small", "smaller"});  // nobody compared the first with the last
  const std::vector<Group> found = groups();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(names(found), ElementsAre(Names{"best", "small", "smaller"}));
  // A file may go only if its replacement stays.
  EXPECT_THAT(proposals(found[0]), ElementsAre(Proposal::kKeep, Proposal::kGo, Proposal::kKeep));
  EXPECT_EQ(found[0].files[1].related, 0U);
  EXPECT_EQ(found[0].files[1].kind, PairKind::kCopy);
  EXPECT_EQ(found[0].files[1].reason, "the other has more pixels");
  EXPECT_EQ(found[0].pairs.size(), 2U);
}

// The copies were compared with the one that stands for them alone, and another one stays.
TEST_F(GroupsTest, AFileGoesOnlyForOneThatItWasComparedWith) {
  add("best", kSmall, 9);
  add_resaved("best", "middle", 5);
  add_resaved("middle", "last", 1);
  for (const char* name : {"best", "last"}) {
    pair("middle", name);
    represent("middle", name);
  }
  std::vector<Group> found = groups();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(names(found), ElementsAre(Names{"best", "middle", "last"}));
  EXPECT_EQ(found[0].files[2].proposal, Proposal::kKeep);
  check_ = evidence_of(150, 0.98);
  found = groups();
  EXPECT_EQ(checked_, 1U);
  EXPECT_THAT(proposals(found[0]), ElementsAre(Proposal::kKeep, Proposal::kGo, Proposal::kGo));
  EXPECT_EQ(found[0].files[2].related, 0U);
  EXPECT_EQ(found[0].pairs.size(), 3U);
  check_ = Evidence{};  // they do not show the same
  found = groups();
  EXPECT_EQ(found[0].files[2].proposal, Proposal::kKeep);
  EXPECT_EQ(found[0].pairs.size(), 2U);
}

TEST_F(GroupsTest, WhatAFileHoldsBesideItsPictureNeedsNoCheck) {
  add("best", kSmall, 9);
  add("middle", kSmall, 5);
  add("last", kSmall, 1);
  std::ofstream(at("last"), std::ios::app) << "more";
  for (const char* name : {"best", "last"}) {
    pair("middle", name);
    represent("middle", name);
  }
  check_ = evidence_of(150, 0.98);
  groups();
  EXPECT_EQ(checked_, 0U);
}

TEST_F(GroupsTest, CopiesOfTwoPicturesCountAsTwo) {
  for (const char* name : {"a1", "a2", "b1", "b2"}) add(name);
  copies({"a1", "a2"});
  copies({"b1", "b2"});
  pair("a1", "b1", doubtful());
  EXPECT_EQ(groups().size(), 2U);
  represent("a1", "a2");
  represent("b1", "b2");
  EXPECT_EQ(groups().size(), 1U);
  // Whoever keeps one of them apart does not keep the others apart.
  reject("a1", "a2");
  EXPECT_THAT(names(groups()), ElementsAre(Names{"a1", "b1", "b2"}));
}

TEST_F(GroupsTest, NameThePairThatJoinsTheirParts) {
  for (const char* name : {"a1", "a2", "b1", "b2"}) add(name);
  copies({"a1", "a2"});
  copies({"b1", "b2"});
  pair("a2", "b1", evidence_of(200, 0.5));
  const std::vector<Group> found = groups();
  ASSERT_EQ(found.size(), 1U);
  for (const GroupPair& pair : found[0].pairs) {
    const Names of = {fs::path(found[0].files[pair.first].file.path).filename(),
                      fs::path(found[0].files[pair.second].file.path).filename()};
    EXPECT_EQ(pair.is_joint, of == (Names{"a2", "b1"}) || of == (Names{"b1", "a2"}));
  }
}

TEST_F(GroupsTest, AFileInAPreferredFolderStaysRatherThanAnOlderOne) {
  add("old", kSmall, 9);
  add_resaved("old", "wanted/new", 1);
  copies({"old", "wanted/new"});
  EXPECT_THAT(names(groups()), ElementsAre(Names{"old", "new"}));
  prefer_ = {at("nowhere"), at("wanted")};
  const std::vector<Group> found = groups();
  EXPECT_THAT(names(found), ElementsAre(Names{"new", "old"}));
  EXPECT_EQ(found[0].files[1].reason, "the other lies in a preferred folder");
}

TEST_F(GroupsTest, AFileThatHasChangedComesLastAndMakesNoOtherGo) {
  add("changed", kLarge);
  add("small");
  copies({"changed", "small"});
  fs::resize_file(at("changed"), 50);
  const std::vector<Group> found = groups();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(names(found), ElementsAre(Names{"small", "changed"}));
  EXPECT_THAT(proposals(found[0]), ElementsAre(Proposal::kKeep, Proposal::kUnknown));
}

TEST_F(GroupsTest, ExactIsSaidOnlyOfFilesWhoseContentIsKnown) {
  add("one");
  add_copy("one", "two");
  std::vector<Group> found = groups();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(proposals(found[0]), ElementsAre(Proposal::kKeep, Proposal::kGo));
  EXPECT_EQ(found[0].files[1].kind, PairKind::kExact);
  // The same size and time, but other bytes.
  const auto time = fs::last_write_time(at("two"));
  std::fstream(at("two")).write("P6", 2);
  fs::last_write_time(at("two"), time);
  found = groups();
  EXPECT_THAT(names(found), ElementsAre(Names{"one", "two"}));
  EXPECT_THAT(proposals(found[0]), ElementsAre(Proposal::kKeep, Proposal::kUnknown));
  EXPECT_FALSE(found[0].files[1].related);
}

TEST_F(GroupsTest, AFileWithOtherTimesAndTheSameBytesIsAsIndexed) {
  add("one");
  add_copy("one", "two");
  fs::last_write_time(at("one"), fs::file_time_type::clock::now());
  const std::vector<Group> found = groups();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(proposals(found[0]), ElementsAre(Proposal::kKeep, Proposal::kGo));
  EXPECT_EQ(found[0].files[1].kind, PairKind::kExact);
  for (const GroupFile& file : found[0].files) {
    EXPECT_EQ(look_at(file.file.path), file.file);
  }
}

TEST_F(GroupsTest, ADoubtfulPairAloneJoinsNoTwoGroups) {
  for (const char* name : {"a1", "a2", "b1", "b2", "c1"}) add(name);
  copies({"a1", "a2"});
  copies({"b1", "b2"});
  pair("a2", "b1", doubtful());
  pair("b2", "c1", doubtful());
  EXPECT_THAT(names(groups()), ElementsAre(Names{"a1", "a2"}, Names{"b1", "b2", "c1"}));
  pair("a1", "b2", doubtful());
  EXPECT_THAT(names(groups()), ElementsAre(Names{"a1", "a2", "b1", "b2", "c1"}));
}

TEST_F(GroupsTest, RejectedPairsStayApart) {
  for (const char* name : {"a", "b", "c"}) add(name);
  copies({"a", "b", "c"});
  EXPECT_THAT(names(groups()), ElementsAre(Names{"a", "b", "c"}));
  reject("c", "a");
  EXPECT_THAT(names(groups()), ElementsAre(Names{"a", "b"}));
  reject("a", "b");
  EXPECT_THAT(names(groups()), ElementsAre(Names{"b", "c"}));
  reject("b", "c");
  EXPECT_THAT(names(groups()), IsEmpty());
}

TEST_F(GroupsTest, ImagesOfOnePrintWithOtherContentAreCounted) {
  for (const char* name : {"a", "b", "c"}) add(name);
  copies({"a", "b"});
  EXPECT_EQ(groups().at(0).files[1].same_print, 0U);
  EXPECT_EQ(images_of_prints_, 0U);
  share_print("b", "c");
  const std::vector<Group> found = groups();
  ASSERT_THAT(names(found), ElementsAre(Names{"a", "b"}));
  EXPECT_EQ(found[0].files[0].same_print, 0U);
  EXPECT_EQ(found[0].files[1].same_print, 1U);
  EXPECT_EQ(images_of_prints_, 2U);
  remove("c");
  EXPECT_EQ(groups().at(0).files[1].same_print, 0U);
  EXPECT_EQ(images_of_prints_, 0U);
}

TEST_F(GroupsTest, StandInTheOrderOfTheirFirstFiles) {
  for (const char* name : {"d", "c", "b", "a"}) add(name);
  add("a-small", {200, 150});
  copies({"d", "c"});
  copies({"a-small", "b"});
  EXPECT_THAT(names(groups()), ElementsAre(Names{"b", "a-small"}, Names{"c", "d"}));
}

}  // namespace
}  // namespace lookalike
