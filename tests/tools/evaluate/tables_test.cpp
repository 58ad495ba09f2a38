#include "tools/evaluate/tables.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "storage/output_file.h"
#include "tests/content_of.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

constexpr Quad kPlace = {Point{0, 0}, Point{10, 0}, Point{10, 10}, Point{0, 10}};

Answer::Found found(const std::string& path) {
  return {.paths = {path}, .quad = kPlace, .probability = 1, .decision = Decision::kSameObject};
}

TEST(RankTable, HasALineForEachRelevantImage) {
  const std::vector<TruthQuery> queries = {
      {"/q.jpg", {{"/b.jpg", kPlace}, {"/c.jpg", {}}, {"/d.jpg", kPlace}}}, {"/none.jpg", {}}};
  const std::vector<Answer> answers = {{{found("/c.jpg"), found("/b.jpg")}}, {{found("/c.jpg")}}};
  EXPECT_TRUE(rank_table_kind().is_earlier(rank_table(queries, answers, false)));
  EXPECT_EQ(rank_table(queries, answers, false),
            "query,relevant,rank,iou\n"
            "\"/q.jpg\",\"/b.jpg\",2,1.0000\n"
            "\"/q.jpg\",\"/c.jpg\",1,\n"
            "\"/q.jpg\",\"/d.jpg\",0,0.0000\n");
}

TEST(RankTable, PathsWithCommasAndQuotesStayOneField) {
  const std::vector<TruthQuery> queries = {{"/a,b/q.jpg", {{"/the \"one\".jpg", {}}}}};
  EXPECT_EQ(rank_table(queries, std::vector<Answer>(1), false),
            "query,relevant,rank,iou\n"
            "\"/a,b/q.jpg\",\"/the \"\"one\"\".jpg\",0,\n");
}

TEST(RankTable, WithoutAnAnswerForEachQueryIsABug) {
  EXPECT_THROW(rank_table(std::vector<TruthQuery>(2), std::vector<Answer>(1), false), Error);
}

TEST(MatchTable, HasALineForEachMatch) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "matches.csv";
  std::vector<Match> matches(2);
  matches[0].image.paths = {"/a,\"b\".jpg", "/other.jpg"};
  matches[0].score = 12.5;
  matches[0].decision = Decision::kSameObject;
  matches[0].probability = 0.75;
  matches[0].evidence = {.votes = 0.5,
                         .votes_ratio = 2,
                         .votes_excess = 3,
                         .pairs = 40,
                         .agreeing_votes = 7.25,
                         .inliers = 20,
                         .effective_inliers = 18,
                         .correlation = 0.25,
                         .detail = 0.5,
                         .colour = 0.75};
  matches[1].image.paths = {"/c.jpg"};
  MatchTable table(OutputFile::unguarded(file));
  table.add({"/q.jpg", {{"/other.jpg", {}}}}, matches);
  table.commit();
  EXPECT_TRUE(match_table_kind().is_earlier(content_of(file)));
  EXPECT_EQ(content_of(file),
            "query,image,relevant,rank,score,decision,probability,votes,votes_ratio,votes_excess,"
            "pairs,agreeing_votes,inliers,effective_inliers,correlation,detail,colour,"
            "\"weighed constant\",\"weighed effective inliers (log)\","
            "\"weighed agreement in detail\",\"weighed inliers among pairs (log)\","
            "\"weighed votes (log)\",\"weighed correlation\",\"weighed coherence\","
            "\"weighed squeeze (minus log)\"\n"
            "\"/q.jpg\",\"/a,\"\"b\"\".jpg\",1,1,12.500,same_object,0.7500,0.500000,2.000,3.000,"
            "40,7.250,20,18,0.2500,0.5000,0.7500,"
            "1.0000,0.5878,0.5000,1.6094,0.0000,0.2500,0.0000,0.0000\n"
            "\"/q.jpg\",\"/c.jpg\",0,2,0.000,none,0.0000,0.000000,0.000,0.000,"
            "0,0.000,0,0,,,,,,,,,,,\n");
}

TEST(MatchTable, WhatCannotBeWrittenIsAnError) {
  EXPECT_THROW(MatchTable(OutputFile::unguarded("/no/such/folder/matches.csv")), Error);
  MatchTable full(OutputGuard().open("--matches", "/dev/full", match_table_kind()));
  EXPECT_THROW(full.commit(), Error);
}

}  // namespace
}  // namespace lookalike
