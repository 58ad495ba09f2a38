#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/run_program.h"
#include "tests/stages/pictures.h"
#include "tests/temporary_folder.h"

namespace lookalike {

// Pictures, and programs that read them while a call fails.
class FailingProgram : public testing::Test {
 protected:
  FailingProgram() {
    for (unsigned i = 0; i < 5; ++i) {
      folder_.write("photos/poster-0" + std::to_string(i) + ".png",
                    text(encode(".png", draw_picture(160, 120, i))));
    }
  }

  std::filesystem::path photos() const { return folder_.path() / "photos"; }
  std::filesystem::path mark() const { return folder_.path() / "mark"; }
  int run(const std::string& program, const std::vector<std::string>& arguments,
          const std::vector<std::string>& environment = {}) {
    last_ = run_program(program, arguments, environment);
    return last_.exit_code;
  }
  // The environment in which a call fails; the file is made when it has.
  std::vector<std::string> failing(const std::string& call, int at, const std::string& with,
                                   const std::filesystem::path& under) const {
    std::filesystem::remove(mark());
    const std::string preloaded = LOOKALIKE_FAILING_CALLS;
    return {"LD_PRELOAD=" + preloaded,       "FAIL_CALL=" + call,
            "FAIL_AT=" + std::to_string(at), "FAIL_WITH=" + with,
            "FAIL_UNDER=" + under.string(),  "FAIL_MARK=" + mark().string()};
  }
  bool has_failed() const { return std::filesystem::exists(mark()); }

  TemporaryFolder folder_;
  ProgramResult last_;
};

// An index of two folders that is one run behind the first; the second has gone since. And what the
// index is after that run.
class FailingDisk : public FailingProgram {
 protected:
  FailingDisk() {
    std::filesystem::rename(photos() / "poster-01.png", folder_.path() / "later.png");
    std::filesystem::create_directory(second());
    std::filesystem::rename(photos() / "poster-04.png", second() / "poster-04.png");
    std::filesystem::create_directory(data());
    EXPECT_EQ(index(), 0);
    std::filesystem::copy_file(database(), folder_.path() / "behind.db");
    std::filesystem::rename(folder_.path() / "later.png", photos() / "poster-01.png");
    std::filesystem::remove(photos() / "poster-02.png");
    show_second(false);
    EXPECT_EQ(index(), 7);
    content_ = content();
  }

  std::filesystem::path second() const { return folder_.path() / "second"; }
  void show_second(bool shown) const {
    const std::filesystem::path aside = folder_.path() / "aside";
    if (std::filesystem::exists(second()) == shown) return;
    std::filesystem::rename(shown ? aside : second(), shown ? second() : aside);
  }
  std::filesystem::path data() const { return folder_.path() / "data"; }
  std::string database() const { return data() / "index.db"; }

  int index(const std::vector<std::string>& environment = {}) {
    return run("lookalike",
               {"index", "-q", "--all-warnings", "--images", photos(), second(), "--database",
                database(), "--set", "extract.enlarge_to_px=0"},
               environment);
  }
  std::string content() {
    run("lookalike", {"show", "--json", "--content-hash", "--database", database()});
    return nlohmann::json::parse(last_.out).at("content_hash");
  }
  // The folder of the index as it was before the run, or without an index and with both folders.
  void start_over(bool from_nothing) const {
    show_second(from_nothing);
    std::filesystem::remove_all(data());
    std::filesystem::create_directory(data());
    if (!from_nothing) std::filesystem::copy_file(folder_.path() / "behind.db", database());
  }

  std::string content_;
};

}  // namespace lookalike
