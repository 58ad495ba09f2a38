// Programs that are stopped by the signals of systemd or a terminal.

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/run_program.h"
#include "tests/temporary_folder.h"
#include "tests/wait_until.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// A signal to send when a file appears.
struct Stop {
  int signal;
  int exit_code;
  std::string name;
  std::string after;
};

void PrintTo(const Stop& stop, std::ostream* out) {
  *out << stop.name << " after " << stop.after;
}

class StoppedIndex : public testing::TestWithParam<Stop> {
 protected:
  StoppedIndex() {
    EXPECT_EQ(
        run_program("lookalike-example", {"posters", "--count", "12", "--output", at("photos")})
            .exit_code,
        0);
  }
  std::string at(const std::string& name) const { return folder_.path() / name; }
  std::vector<std::string> index_into(const std::string& database) const {
    return {"index", "--images", at("photos"), "--database", at(database)};
  }
  std::string content_of(const std::string& database) const {
    const ProgramResult shown =
        run_program("lookalike", {"show", "--database", at(database), "--json", "--content-hash"});
    return nlohmann::json::parse(shown.out).at("content_hash");
  }
  ProgramResult index_until(const Stop& stop) const {
    RunningProgram index("lookalike", index_into("index.db"));
    wait_until([&] { return fs::exists(at(stop.after)) || !index.is_running(); });
    index.send(stop.signal);
    return index.wait();
  }

  TemporaryFolder folder_;
};

TEST_P(StoppedIndex, TheNextRunMakesTheIndexOfARunThatWasNot) {
  const Stop& stop = GetParam();
  const ProgramResult stopped = index_until(stop);
  EXPECT_EQ(stopped.exit_code, stop.exit_code);
  EXPECT_THAT(stopped.err,
              HasSubstr("stopped by " + stop.name + "; the next run resumes from here"));
  EXPECT_THAT(stopped.err, Not(HasSubstr("contains no images")));
  const ProgramResult check = run_program("lookalike", {"check", "--database", at("index.db")});
  EXPECT_EQ(check.exit_code, 0) << check.out;

  EXPECT_EQ(run_program("lookalike", index_into("index.db")).exit_code, 0);
  EXPECT_EQ(run_program("lookalike", index_into("whole.db")).exit_code, 0);
  EXPECT_EQ(content_of("index.db"), content_of("whole.db"));
  EXPECT_FALSE(fs::exists(at("index.db.work")));
}

// The index appears first, DATABASE.work after the scan of the folder.
INSTANTIATE_TEST_SUITE_P(All, StoppedIndex,
                         testing::Values(Stop{SIGINT, 130, "SIGINT", "index.db"},
                                         Stop{SIGTERM, 143, "SIGTERM", "index.db.work"}));

TEST(StoppedQuery, EndsAfterAWholeAnswer) {
  const TemporaryFolder folder;
  const auto at = [&](const char* name) { return (folder.path() / name).native(); };
  run_program("lookalike-example", {"posters", "--count", "2", "--output", at("photos")});
  run_program("lookalike", {"index", at("photos"), "-d", at("index.db")});
  std::string photo;
  for (const auto& entry : fs::directory_iterator(at("photos"))) photo = entry.path();
  std::string names;
  constexpr std::size_t kPhotos = 20'000;  // a quarter of an hour's work
  for (std::size_t i = 0; i < kPhotos; ++i) names += photo + '\n';
  std::ofstream(at("names")) << names;
  RunningProgram query("lookalike", {"query", "-d", at("index.db"), "--files-from", at("names")});
  EXPECT_TRUE(query.wait_for_output());
  query.send(SIGINT);
  const ProgramResult stopped = query.wait();
  EXPECT_EQ(stopped.exit_code, 130);
  EXPECT_TRUE(stopped.out.ends_with('\n')) << stopped.out;
}

}  // namespace
}  // namespace lookalike
