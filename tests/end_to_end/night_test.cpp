// What `lookalike index` tells those who do not watch it: log, notify.command, and what monitoring
// reads.

#include <chrono>
#include <csignal>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "tests/content_of.h"
#include "tests/end_to_end/run_program.h"
#include "tests/fixtures/drawing.h"
#include "tests/temporary_folder.h"
#include "tests/wait_until.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::MatchesRegex;
using testing::Not;

const fs::path kSource = LOOKALIKE_SOURCE_DIR;

class Night : public testing::Test {
 protected:
  Night() {
    fs::create_directories(at("photos"));
    for (std::uint64_t i = 0; i < 4; ++i) {
      cv::imwrite(at("photos/" + std::to_string(i) + ".png"), draw_poster(i, {300, 400}));
    }
    folder_.write("photos/broken.jpg", "no picture");
  }

  std::string at(const std::string& name) const { return (folder_.path() / name).native(); }
  // Runs it as the unit does.
  ProgramResult run(const std::vector<std::string>& more = {},
                    const std::vector<std::string>& settings = {}) const {
    std::vector<std::string> words = {"index", "--quiet", "-d", at("photos.db"), at("photos")};
    words.insert(words.end(), more.begin(), more.end());
    return run_program("lookalike", words, settings);
  }
  ProgramResult run_notifying(const std::string& command, const std::vector<std::string>& more = {},
                              const std::vector<std::string>& settings = {}) const {
    folder_.write("night.toml", "[notify]\ncommand = '" + command + "'\nseconds = 2\n");
    std::vector<std::string> words = {"--config", at("night.toml")};
    words.insert(words.end(), more.begin(), more.end());
    return run(words, settings);
  }

  TemporaryFolder folder_;
};

TEST_F(Night, TheSummaryIsLoggedAndOnlyNewTroubleIsWarnedOf) {
  const ProgramResult first = run();
  EXPECT_EQ(first.exit_code, 1);
  EXPECT_THAT(first.err, AllOf(HasSubstr("warning: skipped " + at("photos/broken.jpg")),
                               HasSubstr("info: good: 4 indexed, 0 unchanged, 0 removed, 0 moved, "
                                         "1 skipped (1 of them new), in ")));
  const ProgramResult second = run();
  EXPECT_EQ(second.exit_code, 1) << "as long as a file is skipped";
  EXPECT_THAT(second.err, MatchesRegex("info: good: 0 indexed, 4 unchanged, 0 removed, 0 moved, "
                                       "1 skipped \\(0 of them new\\), in [0-9.]+ s\n"));
  folder_.write("photos/also.jpg", "no picture either");
  EXPECT_THAT(run().err,
              AllOf(HasSubstr("skipped " + at("photos/also.jpg")), Not(HasSubstr("broken.jpg")),
                    HasSubstr("2 skipped (1 of them new)")));
  EXPECT_THAT(run({"--all-warnings"}).err,
              AllOf(HasSubstr("also.jpg"), HasSubstr("broken.jpg"), HasSubstr("(0 of them new)")));
  folder_.write("photos/broken.jpg", "");
  EXPECT_THAT(run().err, HasSubstr("broken.jpg: empty")) << "another reason is new";
}

TEST_F(Night, ACommandGetsTheResultOfARun) {
  const ProgramResult result =
      run_notifying("cat > " + at("message") +
                    "; echo \"$LOOKALIKE_OUTCOME, $LOOKALIKE_DATABASE: $LOOKALIKE_SUMMARY\"");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("\ngood, " + at("photos.db") + ": good: 4 indexed, "));
  const json message = json::parse(content_of(at("message")));
  EXPECT_EQ(message["schema"], 1);
  EXPECT_EQ(message["command"], "index");
  EXPECT_EQ(message["outcome"], "good");
  EXPECT_EQ(message["database"], at("photos.db"));
  EXPECT_THAT(message["summary"], HasSubstr("1 skipped (1 of them new)"));
  EXPECT_EQ(message["report"],
            json::parse(
                run_program("lookalike", {"runs", "--json", "-d", at("photos.db")}).out)["report"]);
  ASSERT_EQ(message["newly_skipped"].size(), 1U);
  EXPECT_EQ(message["newly_skipped"][0]["path"], at("photos/broken.jpg"));
  EXPECT_EQ(message["newly_skipped"][0]["reason"], "undecodable");
}

TEST_F(Night, ACommandHearsOfAFailedRun) {
  fs::remove_all(at("photos"));
  const ProgramResult result = run_notifying("cat > " + at("message"));
  EXPECT_EQ(result.exit_code, 3);
  const json message = json::parse(content_of(at("message")));
  EXPECT_EQ(message["outcome"], "failed");
  EXPECT_THAT(message["report"]["error"], HasSubstr("no such folder"));
  EXPECT_THAT(result.err, HasSubstr(message["report"]["error"].get<std::string>()));
}

TEST_F(Night, AFolderThatIsNotMountedIsIncompleteEverywhere) {
  fs::create_directories(at("disk"));
  cv::imwrite(at("disk/far.png"), draw_poster(9, {300, 400}));
  fs::remove(at("photos/broken.jpg"));
  ASSERT_EQ(run({at("disk"), "--metrics", at("night.prom")}).exit_code, 0);
  const std::regex last_good("last_good_run_timestamp_seconds\\{[^}]*\\} ([0-9.e+]+)");
  const auto last_good_run = [&] {
    const std::string text = content_of(at("night.prom"));
    std::smatch match;
    return std::regex_search(text, match, last_good) ? match[1].str() : "";
  };
  const std::string before = last_good_run();
  EXPECT_FALSE(before.empty());
  fs::rename(at("disk"), at("elsewhere"));
  const std::string why = at("disk") + ": no such folder";
  const ProgramResult night =
      run_notifying("cat > " + at("message"), {at("disk"), "--metrics", at("night.prom")});
  EXPECT_EQ(night.exit_code, 7);
  EXPECT_THAT(night.err, HasSubstr("info: incomplete: 0 indexed, 4 unchanged"));
  EXPECT_THAT(content_of(at("night.prom")), HasSubstr(",outcome=\"incomplete\"} 1"));
  EXPECT_EQ(last_good_run(), before);
  const json message = json::parse(content_of(at("message")));
  EXPECT_EQ(message["outcome"], "incomplete");
  EXPECT_EQ(message["report"]["incomplete"], json({why}));
  EXPECT_THAT(run_program("lookalike", {"runs", "-d", at("photos.db")}).out,
              HasSubstr("incomplete     "));
  EXPECT_THAT(run_program("lookalike", {"runs", "-d", at("photos.db")}).out, HasSubstr(why));
}

// A stub in place of curl.
TEST_F(Night, AHeartbeatTellsAGoodRunFromOthers) {
  const std::string stub =
      folder_.write("bin/curl", "#!/bin/sh\nfor word; do url=$word; done; echo \"$url\" >> " +
                                    at("asked") + "\n");
  fs::permissions(stub, fs::perms::owner_all);
  folder_.write("night.toml", "[notify]\nurl = 'https://hc.example/ping/1'\n");
  const std::vector<std::string> environment = {"PATH=" + at("bin") + ":/usr/bin:/bin"};
  EXPECT_THAT(run({"--config", at("night.toml")}, environment).err, Not(HasSubstr("notify")));
  run({"--config", at("night.toml"), at("nowhere")}, environment);
  EXPECT_EQ(content_of(at("asked")),
            "https://hc.example/ping/1?outcome=good\n"
            "https://hc.example/ping/1/fail?outcome=failed\n");
  fs::remove(stub);
  EXPECT_THAT(run({"--config", at("night.toml")}, {"PATH=" + at("bin")}).err,
              HasSubstr("notify.url: curl cannot be started"));
}

TEST_F(Night, ACommandNeitherFailsARunNorHoldsItUp) {
  EXPECT_THAT(run_notifying("exit 3").err, HasSubstr("notify.command ended with exit code 3"));
  EXPECT_THAT(run_notifying("/no/such/program").err, HasSubstr("exit code 127"));
  fs::remove(at("photos/broken.jpg"));
  const auto start = std::chrono::steady_clock::now();
  const ProgramResult slow = run_notifying("echo $$ > " + at("shell") + "; sleep 100 | sleep 100");
  EXPECT_EQ(slow.exit_code, 0) << slow.err;
  EXPECT_THAT(slow.err, HasSubstr("notify.command was killed after 2 s"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  const std::string group = content_of(at("shell"));
  EXPECT_TRUE(wait_until([&] { return ::kill(-std::stoi(group), 0) != 0; }))
      << "nothing of it is left";
}

// The commands of docs/nightly.md, with stubs in place of the programs that they call.
TEST_F(Night, TheCommandsOfTheDocumentsSendTheSummary) {
  for (const char* program : {"mail", "curl"}) {
    const std::string stub = folder_.write(std::string("bin/") + program,
                                           "#!/bin/sh\nfor word; do echo \"<$word>\"; done >> " +
                                               at("sent") + "\ncat >> " + at("sent") + "\n");
    fs::permissions(stub, fs::perms::owner_all);
  }
  const std::string document = content_of(kSource / "docs/nightly.md");
  const std::regex example("\ncommand = '([^']+)'");
  int examples = 0;
  for (std::sregex_iterator each(document.begin(), document.end(), example), end; each != end;
       ++each, ++examples) {
    const std::vector<std::string> environment = {"PATH=" + at("bin") + ":/usr/bin:/bin"};
    fs::remove(at("sent"));
    const ProgramResult failed = run_notifying((*each)[1], {at("nowhere")}, environment);
    EXPECT_EQ(failed.exit_code, 3) << failed.err;
    EXPECT_THAT(failed.err, Not(HasSubstr("notify.command"))) << (*each)[1];
    EXPECT_THAT(content_of(at("sent")), HasSubstr("failed: "));
    fs::remove(at("sent"));
    EXPECT_THAT(run_notifying((*each)[1], {}, environment).err, Not(HasSubstr("notify.command")));
    const bool is_of_trouble = (*each)[1].str().find("= good ]") != std::string::npos;
    EXPECT_EQ(fs::exists(at("sent")), !is_of_trouble);
  }
  EXPECT_EQ(examples, 2);
}

TEST_F(Night, ABackupHasTheRejectionsAndCanBeRestored) {
  run();
  const auto back_up = [&] {
    return run_program("lookalike", {"backup", "-d", at("photos.db"), at("backup.db")});
  };
  const ProgramResult first = back_up();
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("4 images"));
  EXPECT_FALSE(fs::exists(at("backup.db.rejected")));
  run_program("lookalike", {"reject", "-d", at("photos.db"), "1", "2"});
  EXPECT_EQ(back_up().exit_code, 0);
  EXPECT_EQ(content_of(at("backup.db.rejected")), content_of(at("photos.db.rejected")));
  EXPECT_EQ(run_program("lookalike", {"check", "-d", at("backup.db")}).exit_code, 0);
  for (const char* name : {"photos.db", "photos.db.rejected"}) fs::remove(at(name));
  fs::copy_file(at("backup.db"), at("photos.db"));
  fs::copy_file(at("backup.db.rejected"), at("photos.db.rejected"));
  EXPECT_THAT(run().err, HasSubstr("0 indexed, 4 unchanged"));
  EXPECT_EQ(run_program("lookalike", {"backup", "-d", at("backup.db"), at("photos.db")}).exit_code,
            2)
      << "an index in use is not replaced";
  EXPECT_EQ(run_program("lookalike", {"backup", "-d", at("photos.db"), at("photos.db")}).exit_code,
            2);
  EXPECT_EQ(run_program("lookalike", {"backup", "-d", at("photos.db"), "-"}).exit_code, 2);
}

TEST_F(Night, AnIndexBesideItsPhotosIsNoOtherFile) {
  const ProgramResult result =
      run_program("lookalike", {"index", at("photos"), "-d", at("photos/own.db")});
  EXPECT_THAT(result.err, Not(HasSubstr("left out")));
  folder_.write("photos/film.mov", "x");
  const ProgramResult second =
      run_program("lookalike", {"index", at("photos"), "-d", at("photos/own.db")});
  EXPECT_THAT(second.err, HasSubstr(", 1 other file left out (1 video), in "));
}

// Returns the names of metrics in a text.
std::set<std::string> metrics_in(const std::string& text) {
  static const std::regex pattern("lookalike_[a-z_]+");
  std::set<std::string> names;
  for (std::sregex_iterator name(text.begin(), text.end(), pattern), end; name != end; ++name) {
    names.insert(name->str());
  }
  return names;
}

TEST_F(Night, AlertsAndTheDashboardReadMetricsThatExist) {
  run({"--metrics", at("night.prom")});
  std::set<std::string> written = metrics_in(content_of(at("night.prom")));
  const std::string served = content_of(kSource / "tools/serve/index_state.cpp");
  const std::regex metric("metric\\(\"([a-z_]+)\"");
  for (std::sregex_iterator each(served.begin(), served.end(), metric), end; each != end; ++each) {
    written.insert("lookalike_serve_" + (*each)[1].str());
  }
  const fs::path nightly = kSource / "tools/packaging/nightly";
  const std::string dashboard = content_of(nightly / "lookalike-dashboard.json");
  EXPECT_GT(json::parse(dashboard)["panels"].size(), 8U);
  EXPECT_THAT(written, IsSupersetOf(metrics_in(dashboard)));
  const std::set<std::string> alarming = metrics_in(content_of(nightly / "lookalike.rules.yml"));
  EXPECT_GT(alarming.size(), 5U);
  EXPECT_THAT(written, IsSupersetOf(alarming));
}

}  // namespace
}  // namespace lookalike
