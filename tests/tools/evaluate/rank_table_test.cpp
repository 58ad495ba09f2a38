#include "tools/evaluate/rank_table.h"

#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"

namespace lookalike {
namespace {

constexpr Quad kPlace = {Point{0, 0}, Point{10, 0}, Point{10, 10}, Point{0, 10}};

Answer::Found found(const std::string& path) {
  return {.paths = {path}, .quad = kPlace, .probability = 1, .same = true};
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

}  // namespace
}  // namespace lookalike
