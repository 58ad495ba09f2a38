// An output replaces only earlier outputs: every option of every program that writes a file, with
// everything that may be at its place.

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "kernels/session/session.h"
#include "kernels/tuning/tuning.h"
#include "tests/content_of.h"
#include "tests/end_to_end/run_program.h"
#include "tests/stages/pictures.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Words = std::vector<std::string>;

constexpr const char* kHere = "@";  // stands for the file to write
constexpr const char* kForeignPage =
    "<!DOCTYPE html>\n<html><head><title>Theirs</title></head></html>\n";

// An option that writes a file. Names of files are relative to the folder of the test.
struct Writer {
  std::string name;  // of the option, in messages
  std::string program;
  Words words;          // of the command line
  Words inputs;         // what it reads
  std::string other{};  // another option of the command that writes a file, if any
};

void PrintTo(const Writer& writer, std::ostream* out) {
  *out << writer.program << (writer.words[0].starts_with('-') ? "" : " " + writer.words[0]) << ' '
       << writer.name;
}

const std::vector<Writer> kWriters = {
    {"--report", "lookalike", {"query", "--report", kHere, "scene.png"}, {"scene.png"}},
    {"--report", "lookalike", {"explain", "--report", kHere, "scene.png", "1"}, {"scene.png"}},
    {"--report",
     "lookalike",
     {"locate", "--object", "object.png", "--scene", "scene.png", "--report", kHere},
     {"object.png", "scene.png"},
     "--map"},
    {"--map",
     "lookalike",
     {"locate", "--object", "object.png", "--scene", "scene.png", "--mask", "mask.png", "--map",
      kHere},
     {"object.png", "scene.png", "mask.png"},
     "--report"},
    {"--csv",
     "lookalike",
     {"features", "--mask", "all.png", "--csv", kHere, "scene.png"},
     {"scene.png", "all.png"}},
    {"--ranks",
     "lookalike",
     {"evaluate", "--truth", "truth.csv", "--ranks", kHere},
     {"truth.csv", "scene.png"},
     "--matches"},
    {"--matches",
     "lookalike",
     {"evaluate", "--truth", "truth.csv", "--matches", kHere},
     {"truth.csv", "scene.png"},
     "--ranks"},
    {"--ranks",
     "lookalike",
     {"evaluate", "--synthetic", "--kinds", "jpeg", "--photos", "1", "--ranks", kHere},
     {},
     "--report"},
    {"--report",
     "lookalike",
     {"evaluate", "--synthetic", "--kinds", "jpeg", "--photos", "1", "--report", kHere},
     {},
     "--ranks"},
    {"--metrics (run.metrics)", "lookalike", {"index", "--metrics", kHere}, {}},
    {"--metrics (run.metrics)", "lookalike", {"index", "--set", "run.metrics=@"}, {}},
    {"--metrics (run.metrics)", "lookalike", {"retrain", "--metrics", kHere}, {}},
    {"--output", "lookalike-scan", {"--output", kHere}, {}, "--skipped"},
    {"--output", "lookalike-extract", {"--output", kHere}, {}, "--skipped"},
    {"--output",
     "lookalike-extract",
     {"--manifest", "photos.manifest", "--output", kHere},
     {"photos.manifest"},
     "--skipped"},
    {"--skipped",
     "lookalike-extract",
     {"--output", "made.features", "--skipped", kHere},
     {},
     "--output"},
    {"--output", "lookalike-variance", {"--output", kHere}, {}, "--skipped"},
    {"--output",
     "lookalike-sample",
     {"--features", "photos.features", "--statistics", "photos.statistics", "--output", kHere},
     {"photos.features", "photos.statistics"}},
    {"--output",
     "lookalike-codebook",
     {"--features", "photos.features", "--statistics", "photos.statistics", "--output", kHere},
     {"photos.features", "photos.statistics"}},
    {"--output",
     "lookalike-assign",
     {"--features", "photos.features", "--codebook", "photos.codebook", "--output", kHere},
     {"photos.features", "photos.codebook"}},
};

// A folder with an index, photos, artefacts and a configuration that names the index and the folder
// of photos. Tests share it, and each removes its own files.
class Outputs : public testing::TestWithParam<Writer> {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    const auto draw = [](const std::string& name, const cv::Mat& picture) {
      folder_->write(name, text(encode(fs::path(name).extension(), picture)));
    };
    for (unsigned i = 0; i < 4; ++i) {
      draw("photos/" + std::to_string(i) + ".png", draw_picture(200, 150, i));
    }
    const cv::Mat scene = draw_picture(200, 150, 0);
    draw("scene.png", scene);
    draw("object.png", scene(cv::Rect(40, 30, 90, 80)));
    draw("mask.png", cv::Mat(80, 90, CV_8U, cv::Scalar(255)));
    draw("all.png", cv::Mat(150, 200, CV_8U, cv::Scalar(255)));
    folder_->write("truth.csv",
                   "query,relevant,x0,y0,x1,y1,x2,y2,x3,y3\nscene.png,photos/0.png,,,,,,,,\n");
    folder_->write("run.toml",
                   "[images]\nfolders = [\"photos\"]\n[store]\ndatabase = \"index.db\"\n"
                   "[codebook]\nwords = 64\n");
    make("lookalike", {"index", "-q"});
    make("lookalike-scan", {"--output", at("photos.manifest")});
    make("lookalike-extract", {"--output", at("photos.features")});
    make("lookalike-variance", {"--output", at("photos.statistics")});
    make("lookalike-codebook",
         {"--features", at("photos.features"), "--output", at("photos.codebook")});
  }
  static void TearDownTestSuite() { folder_.reset(); }

  Outputs() {
    fs::remove(at("page.html"));  // the last test's may be read-only
    folder_->write("page.html", kForeignPage);
    for (const auto& [name, bytes] : tree()) before_.insert(name);
  }
  ~Outputs() override {
    for (const auto& [name, bytes] : tree()) {
      if (!before_.contains(name)) fs::remove_all(at(name));
    }
  }

  static void make(const std::string& program, Words words) {
    words.insert(words.end(), {"--config", at("run.toml")});
    const ProgramResult result = run_program(program, words);
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  static std::string at(const std::string& name) { return (folder_->path() / name).native(); }

  // Returns the command line that writes to a file, with absolute names of files.
  Words words_for(const std::string& output, const Words& more = {}) const {
    Words words = GetParam().words;
    for (std::string& word : words) {
      const std::size_t here = word.find(kHere);
      if (here != std::string::npos) {
        word.replace(here, 1, output);
      } else if (fs::exists(at(word)) || word == "made.features") {
        word = at(word);
      }
    }
    words.insert(words.end(), {"--config", at("run.toml")});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  ProgramResult run(const std::string& output, const Words& more = {}) const {
    return run_program(GetParam().program, words_for(output, more));
  }
  // True if the content is what this option writes.
  static bool is_written(const std::string& bytes) {
    return bytes.size() > 10 && bytes.find("Theirs") == std::string::npos &&
           bytes.find("trailing") == std::string::npos;
  }
  void expect_written(const std::string& output, const Words& more = {}) const {
    const ProgramResult result = run(output, more);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(is_written(content_of(output))) << content_of(output).substr(0, 200);
  }

  // Returns every file with its content and every link with its target, without the files of SQLite
  // beside an index, which come and go.
  std::map<std::string, std::string> tree() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_->path())) {
      const std::string name = entry.path().lexically_relative(folder_->path());
      if (name == "index.db-shm" || (name == "index.db-wal" && fs::is_empty(entry.path()))) {
        continue;
      }
      files[name] = entry.is_symlink()        ? "-> " + fs::read_symlink(entry.path()).native()
                    : entry.is_regular_file() ? content_of(entry.path())
                                              : "";
    }
    return files;
  }
  // Expects a refusal with 2 before a device is opened, with all files unchanged.
  std::string expect_refused(const std::string& output, const Words& more = {}) const {
    SCOPED_TRACE(output);
    const auto before = tree();
    Words words = more;
    words.insert(words.end(), {"--set", "device.choice=::there-is-none"});
    const ProgramResult result = run(output, words);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, HasSubstr("error: " + GetParam().name + ": " + output));
    const auto after = tree();
    EXPECT_TRUE(before == after) << "something was changed";
    return result.err;
  }

  static std::unique_ptr<TemporaryFolder> folder_;
  std::set<std::string> before_;
};
std::unique_ptr<TemporaryFolder> Outputs::folder_;

TEST_P(Outputs, ReplaceAFileOfSomebodyElseWithForceAloneAndTheirOwnWithout) {
  EXPECT_THAT(expect_refused(at("page.html")), EndsWith("replace it with --force\n"));
  fs::create_symlink("page.html", at("link"));
  expect_refused(at("link"));
  expect_written(at("link"), {"--force"});
  const fs::path page = at("page.html");
  EXPECT_TRUE(is_written(content_of(page)));

  std::ofstream(page, std::ios::app | std::ios::binary) << "trailing";
  fs::permissions(page, fs::perms(0600));
  expect_written(at("link"));
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(fs::status(page).permissions(), fs::perms(0600));

  fs::permissions(page, fs::perms(0444));
  EXPECT_THAT(expect_refused(page), HasSubstr("is read-only"));
}

// The guard's own tests have what it knows without the command: other indexes, any image.
TEST_P(Outputs, NeverReplaceAnInputAnIndexOrAnImage) {
  Words files = GetParam().inputs;
  files.insert(files.end(), {"run.toml", "index.db", "photos/NEW.JPG"});
  for (const std::string& file : files) expect_refused(at(file), {"--force"});
}

class TwoOutputs : public Outputs {};

TEST_P(TwoOutputs, OfOneCommandAreTwoFiles) {
  Words words = words_for(at("one"));
  const auto other = std::find(words.begin(), words.end(), GetParam().other);
  if (other == words.end()) {
    words.insert(words.end(), {GetParam().other, at("one")});
  } else {
    *(other + 1) = at("one");
  }
  words.emplace_back("--force");
  const ProgramResult result = run_program(GetParam().program, words);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("name two files"));
  EXPECT_FALSE(fs::exists(at("one")));
}

TEST_P(Outputs, AreWrittenToAFifo) {
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  const int fifo = ::open(at("fifo").c_str(), O_RDONLY | O_NONBLOCK);
  RunningProgram program(GetParam().program, words_for(at("fifo")));
  std::string bytes;
  for (bool ended = false; !ended;) {
    ended = !program.is_running();
    char some[4096];
    for (ssize_t size = 0; (size = ::read(fifo, some, sizeof some)) > 0;) {
      bytes.append(some, static_cast<std::size_t>(size));
    }
    std::this_thread::yield();
  }
  ::close(fifo);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(is_written(bytes));
  EXPECT_TRUE(fs::is_fifo(at("fifo")));
}

INSTANTIATE_TEST_SUITE_P(Each, Outputs, testing::ValuesIn(kWriters));

std::vector<Writer> writers_of_two() {
  std::vector<Writer> writers = kWriters;
  std::erase_if(writers, [](const Writer& writer) { return writer.other.empty(); });
  return writers;
}

INSTANTIATE_TEST_SUITE_P(Each, TwoOutputs, testing::ValuesIn(writers_of_two()));

// The rules for the name of a new index.
class NewIndex : public testing::Test {
 protected:
  NewIndex() {
    for (unsigned i = 0; i < 2; ++i) {
      folder_.write("photos/" + std::to_string(i) + ".png",
                    text(encode(".png", draw_picture(200, 150, i))));
    }
  }
  std::string at(const std::string& name) const { return (folder_.path() / name).native(); }
  ProgramResult index(const std::string& database, const Words& more = {}) const {
    Words words = {"index", "-q", "--images", at("photos"), "--database", database};
    words.insert(words.end(), more.begin(), more.end());
    return run_program("lookalike", words);
  }
  TemporaryFolder folder_;
};

TEST_F(NewIndex, IsNotMadeWhereItsNameWouldBeIndexed) {
  for (const std::string name : {"photos/new.jpg", "photos/NEW.PNG"}) {
    const ProgramResult result = index(at(name));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("--database: " + at(name) + ": is, or would be, an image"));
    EXPECT_FALSE(fs::exists(at(name)));
  }
  EXPECT_EQ(index(at("photos/index.db")).exit_code, 0);
}

TEST_F(NewIndex, IsNotMadeOfAPhoto) {
  const std::string photo = content_of(at("photos/0.png"));
  EXPECT_EQ(index(at("photos/0.png")).exit_code, 2);
  folder_.write("photo.png", photo);
  EXPECT_EQ(index(at("photo.png")).exit_code, 3);
  EXPECT_EQ(content_of(at("photos/0.png")), photo);
  EXPECT_EQ(content_of(at("photo.png")), photo);
}

TEST_F(NewIndex, IsNotMadeOfAnInputNorWhereAnotherOutputGoes) {
  const std::string config = folder_.write("run.toml", "");
  EXPECT_EQ(index(config, {"--config", config}).exit_code, 2);
  EXPECT_EQ(index(at("one"), {"--metrics", at("one")}).exit_code, 2);
  EXPECT_EQ(content_of(config), "");
  EXPECT_FALSE(fs::exists(at("one")));
}

TEST_F(NewIndex, IsNotStoredOverWhatItIsMadeOf) {
  const std::string empty = folder_.write("empty.words", "");
  const ProgramResult result = run_program(
      "lookalike-store", {"--words", empty, "--statistics", empty, "--codebook", empty,
                          "--database", empty, "--set", "images.folders=" + at("photos")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--database: " + empty + ": is read by this command"));
  EXPECT_EQ(content_of(empty), "");
}

TEST_F(NewIndex, MetricsMayNotTakeTheNameOfAFileThatTheIndexKnows) {
  const std::string linked = at("elsewhere.png");
  fs::rename(at("photos/0.png"), linked);
  fs::create_symlink(linked, at("photos/0.png"));
  folder_.write("photos/bad.jpg", "no image");
  ASSERT_EQ(index(at("index.db")).exit_code, 1);
  fs::remove(at("photos/bad.jpg"));
  // Another folder, so that only the index knows these files as images.
  folder_.write("more/2.png", text(encode(".png", draw_picture(200, 150, 2))));
  for (const std::string name : {"photos/0.png", "photos/bad.jpg"}) {
    const ProgramResult result =
        run_program("lookalike", {"index", "-q", "--images", at("more"), "--database",
                                  at("index.db"), "--metrics", at(name), "--force"});
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr("is, or would be, an image to index"));
  }
}

TEST(OneOutput, GoesThroughAPipe) {
  const TemporaryFolder folder;
  const std::string photo = folder.write("a.png", text(encode(".png", draw_picture(99, 80, 1))));
  const std::string command =
      LOOKALIKE_PROGRAMS "/lookalike features --csv /dev/stdout '" + photo + "' | cat";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                             ::pclose);
  ASSERT_NE(pipe, nullptr);
  char start[32] = {};
  EXPECT_GT(std::fread(start, 1, sizeof start - 1, pipe.get()), 20U);
  EXPECT_THAT(start, testing::StartsWith("x,y,size,angle,"));
}

TEST(OneOutput, OfAnExampleReplacesNothingUnlessForcedAndNeverItsInput) {
  const TemporaryFolder folder;
  const std::string photo = folder.write("a.png", text(encode(".png", draw_picture(99, 80, 1))));
  const std::string bytes = content_of(photo);
  const std::string crop = folder.path() / "crop.png";
  const auto draw = [&](const std::string& output, const Words& more = {}) {
    Words words = {"crop", "--output", output, photo};
    words.insert(words.end(), more.begin(), more.end());
    return run_program("lookalike-example", words).exit_code;
  };
  EXPECT_EQ(draw(photo, {"--force"}), 2);
  EXPECT_EQ(content_of(photo), bytes);
  EXPECT_EQ(draw(crop), 0);
  EXPECT_EQ(draw(crop), 2);
  EXPECT_EQ(draw(crop, {"--force"}), 0);
}

TEST(OneOutput, OfTuneGoesToItsOwnFileAlone) {
  const TemporaryFolder folder;
  OpenClSession session({.device = ":CPU:"});
  const fs::path file = tuning_path(folder.path(), session.tuning_target());
  const auto tune = [&](const Words& more) {
    Words words = {"tune", "--quick", "-q", "--device", ":CPU:", "--folder", folder.path()};
    words.insert(words.end(), more.begin(), more.end());
    return run_program("lookalike", words);
  };
  std::ofstream(file) << "theirs";
  const ProgramResult refused = tune({});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--folder: " + file.native() + ": is a file, but not"));
  EXPECT_EQ(content_of(file), "theirs");
  EXPECT_EQ(tune({"--force"}).exit_code, 0);
  EXPECT_THAT(content_of(file), testing::StartsWith("lookalike tuning 1\n"));
  EXPECT_EQ(tune({}).exit_code, 0);
}

}  // namespace
}  // namespace lookalike
