#include "pipeline/index/metrics.h"

#include <regex>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "pipeline/index/index_run.h"
#include "pipeline/index/run_record.h"
#include "storage/index_writer.h"
#include "tests/content_of.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

IndexMetrics some_metrics() {
  IndexMetrics metrics;
  metrics.database = "/data/a \"b\"\\c\nd.db";
  metrics.counts.images = 12;
  metrics.last_run = {2,   "index",      5'500'000'000,
                      1.5, "incomplete", R"({"files": {"indexed": 3, "removed": 0},
                                     "busy_seconds": {"decode": 0.25}})"};
  metrics.last_good_run = {1, "index", 1'000'000'000, 2, "good", "{}"};
  return metrics;
}

TEST(Metrics, SayWhatTheIndexHoldsAndHowTheLastRunsWent) {
  const std::string text = metrics_text(some_metrics());
  const std::string label = R"(database="/data/a \"b\"\\c\nd.db")";
  EXPECT_THAT(text, HasSubstr("lookalike_index_images{" + label + "} 12\n"));
  EXPECT_THAT(text, HasSubstr("lookalike_run_outcome{" + label + R"(,outcome="incomplete"} 1)"));
  EXPECT_THAT(text, HasSubstr("lookalike_run_outcome{" + label + R"(,outcome="good"} 0)"));
  EXPECT_THAT(text, HasSubstr("lookalike_run_files{" + label + R"(,outcome="indexed"} 3)"));
  EXPECT_THAT(text, HasSubstr("lookalike_run_stage_seconds{" + label + R"(,stage="decode"} 0.25)"));
  EXPECT_THAT(text, HasSubstr("lookalike_last_good_run_timestamp_seconds{" + label + "} 3\n"));
}

TEST(Metrics, EveryLineIsADescriptionOrASample) {
  const std::regex line(
      R"((# HELP [a-z_]+ .+)|(# TYPE [a-z_]+ gauge)|([a-z_]+\{[a-z]+="([^"\\]|\\.)*")"
      R"((,[a-z]+="[^"]*")?\} [0-9.e+]+))");
  std::istringstream text(metrics_text(some_metrics()));
  int lines = 0;
  for (std::string each; std::getline(text, each); ++lines) {
    EXPECT_TRUE(std::regex_match(each, line)) << each;
  }
  EXPECT_GT(lines, 30);
}

TEST(Metrics, RunThatLeftNoReportIsStillCounted) {
  IndexMetrics metrics = some_metrics();
  metrics.last_run.outcome = "killed";
  metrics.last_run.document.clear();
  metrics.last_good_run = {};
  const std::string text = metrics_text(metrics);
  EXPECT_THAT(text, HasSubstr(R"(,outcome="killed"} 1)"));
  EXPECT_THAT(text, Not(HasSubstr("run_files")));
  EXPECT_THAT(text, Not(HasSubstr("last_good_run")));
}

TEST(Metrics, OfARunThatLeftOutFilesOfManyKindsAreWhole) {
  IndexRunReport report;
  for (int i = 0; i < 1200; ++i) report.left_out.other_types[std::to_string(i)] = 1;
  report.left_out.other_types["mov"] = 13;
  IndexMetrics metrics = some_metrics();
  const auto document = run_document(report);
  EXPECT_EQ(document["left_out"]["other_types"].size(), 100U);
  EXPECT_EQ(document["left_out"]["other_types"]["mov"], 13);
  metrics.last_run.document = document.dump();
  EXPECT_THAT(metrics_text(metrics), HasSubstr("run_files"));
}

TEST(Metrics, IndexThatHasGoneIsAStorageErrorAndHasNoSize) {
  const TemporaryFolder folder;
  const std::filesystem::path database = folder.path() / "index.db";
  IndexWriter writer(database);
  const IndexReader reader(database);
  std::filesystem::remove(database);
  try {
    read_metrics(reader, database);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kStorage);
    EXPECT_THAT(error.what(), HasSubstr("its size cannot be read"));
  }
}

TEST(Metrics, AreWrittenFromTheIndexsRecordOfRuns) {
  const TemporaryFolder folder;
  const std::string database = folder.path() / "index.db";
  {
    IndexWriter writer(database);
    const std::int64_t good = writer.begin_run("index", 1'000'000'000);
    writer.end_run({good, "index", 1'000'000'000, 1, "good", "{}"});
    const std::int64_t incomplete = writer.begin_run("index", 5'000'000'000);
    writer.end_run({incomplete, "index", 5'000'000'000, 1, "incomplete", "{}"});
    const std::int64_t failed = writer.begin_run("index", 9'000'000'000);
    writer.end_run({failed, "index", 9'000'000'000, 1, "failed", R"({"error": "disk full"})"});
  }
  const std::string file = folder.path() / "lookalike.prom";
  OutputFile output = OutputFile::unguarded(file);
  write_metrics(database, output);
  const std::string text = content_of(file);
  EXPECT_TRUE(metrics_kind().is_earlier(text));
  EXPECT_THAT(text, HasSubstr(R"(outcome="failed"} 1)"));
  EXPECT_THAT(
      text, HasSubstr("lookalike_run_start_timestamp_seconds{database=\"" + database + "\"} 9\n"));
  EXPECT_THAT(text,
              HasSubstr("last_good_run_timestamp_seconds{database=\"" + database + "\"} 2\n"));
}

}  // namespace
}  // namespace lookalike
