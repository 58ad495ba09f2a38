#include "storage/output_file.h"

#include <array>
#include <chrono>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

#include "base/files.h"
#include "storage/index_writer.h"
#include "tests/storage/samples.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kMark = "# ours\n";

class OutputGuardTest : public testing::Test {
 protected:
  static OutputKind kind() { return kind_that_begins("a note of ours", kMark); }
  fs::path at(const std::string& name) const { return folder_ / name; }
  fs::path write(const std::string& name, std::string_view text) const {
    fs::create_directories(at(name).parent_path());
    write_bytes(at(name), {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    return at(name);
  }
  std::string content(const std::string& name) const {
    const Bytes bytes = read_bytes(at(name));
    return {bytes.begin(), bytes.end()};
  }
  void put(OutputGuard& guard, const fs::path& file) const {
    OutputFile output = guard.open("--note", file, kind());
    write_whole(output, "# ours\nnew\n");
  }
  void put(const fs::path& file) const {
    OutputGuard guard;
    put(guard, file);
  }
  // Returns the message that refuses a file; checks that nothing is written.
  std::string refusal(OutputGuard& guard, const fs::path& file) const {
    const std::vector<std::string> before = folder_.names();
    const Error error = error_of([&] { guard.open("--note", file, kind()); });
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), StartsWith("--note: " + file.string()));
    EXPECT_EQ(folder_.names(), before);
    return error.what();
  }
  std::string refusal(const fs::path& file, bool force = false) const {
    OutputGuard guard(force);
    return refusal(guard, file);
  }

  TemporaryFolder folder_;
};

TEST_F(OutputGuardTest, NewEmptyAndEarlierFilesAreWritten) {
  write("empty", "");
  write("earlier", "# ours\nold\nand longer\n");
  for (const std::string name : {"new", "empty", "earlier"}) {
    put(at(name));
    EXPECT_EQ(content(name), "# ours\nnew\n");
  }
  EXPECT_THAT(folder_.names(), ElementsAre("earlier", "empty", "new"));
}

TEST_F(OutputGuardTest, OutputsAreCurrentWhileTheyAreNoOlderThanTheirInputs) {
  const fs::path input = write("input", "text");
  const fs::path one = write("one", "# ours\n");
  const auto is_current = [&](const std::vector<std::string>& outputs) {
    OutputGuard guard(true);
    guard.add_input(input);
    guard.add_input(at("missing"));
    for (const std::string& name : outputs) guard.open("--" + name, at(name), kind());
    return guard.outputs_are_current();
  };
  fs::last_write_time(input, fs::last_write_time(one));
  EXPECT_TRUE(is_current({"one"}));
  EXPECT_FALSE(is_current({}));
  EXPECT_FALSE(is_current({"one", "new"}));
  write("new", "");
  EXPECT_FALSE(is_current({"one", "new"}));
  write("foreign", "# theirs\n");
  EXPECT_FALSE(is_current({"foreign"}));
  fs::last_write_time(input, fs::last_write_time(one) + std::chrono::nanoseconds(1));
  EXPECT_FALSE(is_current({"one"}));
  fs::remove(input);
  EXPECT_TRUE(is_current({"one"}));
}

TEST_F(OutputGuardTest, AForeignFileIsReplacedWithForceAlone) {
  const fs::path foreign = write("foreign", "# theirs\n");
  EXPECT_THAT(refusal(foreign), EndsWith("is a file, but not a note of ours: name another file, or "
                                         "replace it with --force"));
  EXPECT_EQ(content("foreign"), "# theirs\n");
  OutputGuard forced(true);
  put(forced, foreign);
  EXPECT_EQ(content("foreign"), "# ours\nnew\n");
}

TEST_F(OutputGuardTest, AnImageIsReplacedOnlyByTheKindWhoseMarkItHas) {
  const auto is_image = [](ByteView start) { return !start.empty() && start.front() == '#'; };
  for (const bool force : {false, true}) {
    OutputGuard guard(force);
    guard.protect_images(is_image);
    EXPECT_THAT(refusal(guard, write("theirs", "# theirs\n")),
                EndsWith("is an image, which no output replaces: name another file, or remove it"));
    put(guard, write("earlier", "# ours\nold\n"));
    EXPECT_EQ(content("earlier"), "# ours\nnew\n");
  }
}

TEST_F(OutputGuardTest, AReadOnlyFileIsReplacedWithForceAloneAndStaysReadOnly) {
  const fs::path earlier = write("earlier", kMark);
  fs::permissions(earlier, fs::perms(0440));
  EXPECT_THAT(refusal(earlier), HasSubstr("is read-only: "));
  OutputGuard forced(true);
  put(forced, earlier);
  EXPECT_EQ(content("earlier"), "# ours\nnew\n");
  EXPECT_EQ(fs::status(earlier).permissions(), fs::perms(0440));
}

TEST_F(OutputGuardTest, WhatIsNoFileIsRefusedEvenWithForce) {
  fs::create_directory(at("folder"));
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  at("socket").native().copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  fs::create_symlink("nowhere", at("dangling"));
  fs::create_symlink("b", at("a"));
  fs::create_symlink("a", at("b"));
  fs::create_symlink("folder/", at("to-folder"));
  for (const bool force : {false, true}) {
    EXPECT_THAT(refusal(at("folder"), force), HasSubstr("is a folder"));
    EXPECT_THAT(refusal(at("folder/"), force), HasSubstr("names a folder"));
    EXPECT_THAT(refusal(at("folder/.."), force), HasSubstr("names a folder"));
    EXPECT_THAT(refusal(at("to-folder"), force), HasSubstr("is a folder"));
    EXPECT_THAT(refusal(at("socket"), force), HasSubstr("neither a file, a FIFO nor"));
    EXPECT_THAT(refusal(at("dangling"), force), HasSubstr("leads nowhere"));
    EXPECT_THAT(refusal(at("a"), force), HasSubstr("leads nowhere"));
    EXPECT_THAT(refusal(at("no/such/file"), force), HasSubstr("its folder "));
    EXPECT_THAT(refusal("/dev/fd/987", force), HasSubstr("is not open for writing"));
  }
  ::close(listener);
  EXPECT_EQ(error_of([&] { OutputGuard().open("--note", "", kind()); }).kind(), ErrorKind::kUsage);
}

TEST_F(OutputGuardTest, ALinkIsFollowedOnceAndStays) {
  write("earlier", kMark);
  write("foreign", "theirs");
  fs::create_directory(at("below"));
  fs::create_symlink("../earlier", at("below/link"));
  fs::create_symlink("below/link", at("link"));
  fs::create_symlink("foreign", at("to-foreign"));
  put(at("link"));
  EXPECT_EQ(content("earlier"), "# ours\nnew\n");
  EXPECT_EQ(fs::read_symlink(at("link")), "below/link");
  EXPECT_THAT(refusal(at("to-foreign")),
              HasSubstr("to-foreign (a link to " + at("foreign").string() + "): is a file, but"));
}

TEST_F(OutputGuardTest, AnInputIsRefusedByNameByLinkAndByInode) {
  const fs::path input = write("input", kMark);
  fs::create_hard_link(input, at("hard"));
  fs::create_symlink("input", at("soft"));
  fs::create_symlink("other", at("named"));
  write("other", kMark);
  OutputGuard guard(true);
  const std::vector<std::string> inputs = {input, at("not-there"), at("named")};
  guard.add_inputs(inputs);
  for (const std::string name : {"input", "hard", "soft", "not-there", "named", "other"}) {
    EXPECT_THAT(refusal(guard, at(name)), HasSubstr("is read by this command")) << name;
  }
}

TEST_F(OutputGuardTest, AnIndexAndWhatIsBesideItAreRefused) {
  { IndexWriter writer(at("index.db")); }
  fs::copy_file(at("index.db"), at("other.db"));
  fs::create_symlink("index.db", at("link.db"));
  fs::create_hard_link(at("index.db"), at("hard.db"));
  fs::create_directory(at("index.db.work"));
  OutputGuard guard(true);
  guard.add_index(at("link.db"));
  for (const std::string name :
       {"index.db", "link.db", "hard.db", "index.db-wal", "index.db-shm", "index.db-journal",
        "index.db.lock", "index.db.pairs", "index.db.rejected", "index.db.work",
        "index.db.work/chunk", "index.db.retrain", "index.db.retrain-wal", "index.db.retrain.lock",
        "index.db.retrain.work", "other.db", "other.db-wal", "other.db.lock"}) {
    EXPECT_THAT(refusal(guard, at(name)), HasSubstr("belongs to the index")) << name;
  }
  put(guard, at("index.db.html"));
}

TEST_F(OutputGuardTest, AnIndexThatIsNotThereYetIsProtectedToo) {
  OutputGuard guard;
  guard.claim_index("--database", at("new.db"));
  EXPECT_THAT(refusal(guard, at("new.db")), HasSubstr("belongs to the index"));
  EXPECT_THAT(refusal(guard, at("new.db.lock")), HasSubstr("belongs to the index"));
}

TEST_F(OutputGuardTest, NamesThatWouldBeIndexedAreRefused) {
  fs::create_directories(at("photos/below"));
  fs::create_directory_symlink("photos", at("link"));
  write("photos/old.png", kMark);
  write("outside.png", kMark);
  fs::create_symlink("../outside.png", at("photos/linked.png"));
  OutputGuard guard(true);
  const std::vector<std::string> extensions = {"jpg", "png"};
  guard.protect_folder(at("photos") / "", extensions);
  guard.protect_folder(at("unmounted"), extensions);
  for (const std::string name : {"photos/old.png", "photos/new.jpg", "photos/below/NEW.JPG",
                                 "link/new.png", "photos/linked.png", "photos/../photos/x.png"}) {
    EXPECT_THAT(refusal(guard, at(name)), HasSubstr("an image to index")) << name;
  }
  for (const std::string name : {"photos/new.html", "photos/png", "new.jpg", "outside.png"}) {
    put(guard, at(name));
  }
}

TEST_F(OutputGuardTest, FilesThatTheIndexKnowsAreRefusedByAbsoluteName) {
  write("known", kMark);
  OutputGuard guard(true);
  guard.protect_files([&](const std::string& path) { return path == at("known"); });
  fs::create_symlink("known", at("link"));
  EXPECT_THAT(refusal(guard, at("known")), HasSubstr("is an indexed file"));
  EXPECT_THAT(refusal(guard, at("./known")), HasSubstr("is an indexed file"));
  EXPECT_THAT(refusal(guard, at("link")), HasSubstr("is an indexed file"));
}

TEST_F(OutputGuardTest, TwoOutputsOfOneFileAreRefusedExceptOnADevice) {
  write("earlier", kMark);
  fs::create_hard_link(at("earlier"), at("hard"));
  OutputGuard guard(true);
  const OutputFile first = guard.open("--first", at("earlier"), kind());
  const OutputFile second = guard.open("--second", at("new"), kind());
  EXPECT_THAT(refusal(guard, at("earlier")), HasSubstr("is also the file of --first"));
  EXPECT_THAT(refusal(guard, at("hard")), HasSubstr("is also the file of --first"));
  EXPECT_THAT(refusal(guard, at("./new")), HasSubstr("is also the file of --second"));
  put(guard, "/dev/null");
  put(guard, "/dev/null");
}

TEST_F(OutputGuardTest, AnIndexIsNotMadeOfAnImageNorOfAnInput) {
  write("photos/empty.jpg", "");
  write("run.toml", "");
  { IndexWriter writer(at("photos/index.jpg")); }
  OutputGuard guard(true);
  const std::vector<std::string> extensions = {"jpg"};
  guard.protect_folder(at("photos"), extensions);
  guard.add_input(at("run.toml"));
  for (const std::string name : {"photos/new.jpg", "photos/empty.jpg", "run.toml"}) {
    const Error error = error_of([&] { guard.claim_index("--database", at(name)); });
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), StartsWith("--database: " + at(name).string() + ": is"));
  }
  guard.claim_index("--database", at("photos/index.jpg"));  // it is an index already
  guard.claim_index("--database", at("photos/index.db"));
}

TEST_F(OutputGuardTest, AnOutputThatIsNotCommittedLeavesTheOldFileAndNoOther) {
  write("earlier", "# ours\nold\n");
  {
    OutputGuard guard;
    OutputFile output = guard.open("--note", at("earlier"), kind());
    output.write("half");
    EXPECT_EQ(folder_.names().size(), 2U);
  }
  EXPECT_EQ(content("earlier"), "# ours\nold\n");
  EXPECT_THAT(folder_.names(), ElementsAre("earlier"));
}

// The target is checked again before it is replaced.
class SwappedOutput : public OutputGuardTest {
 protected:
  // Opens an output, changes the target, and commits the output.
  template <typename Swap>
  std::string refused_after(const std::string& name, Swap swap, bool force = false) {
    OutputGuard guard(force);
    guard.add_input(write("input", kMark));
    OutputFile output = guard.open("--note", at(name), kind());
    output.write("# ours\nnew\n");
    swap();
    const Error error = error_of([&] { output.commit(); });
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
};

TEST_F(SwappedOutput, AForeignFileThatAppearedIsKept) {
  EXPECT_THAT(refused_after("new", [&] { write("new", "theirs"); }),
              HasSubstr("is a file, but not a note of ours"));
  EXPECT_EQ(content("new"), "theirs");
  write("earlier", kMark);
  EXPECT_THAT(refused_after("earlier", [&] { write("earlier", "theirs"); }),
              HasSubstr("is a file, but not a note of ours"));
  EXPECT_EQ(content("earlier"), "theirs");
  EXPECT_THAT(folder_.names(), ElementsAre("earlier", "input", "new"));
}

TEST_F(SwappedOutput, AnInputThatTookTheNameIsKept) {
  EXPECT_THAT(refused_after("new", [&] { fs::create_hard_link(at("input"), at("new")); }),
              HasSubstr("is read by this command"));
  EXPECT_EQ(content("input"), kMark);
}

TEST_F(SwappedOutput, AnIndexThatTookTheNameIsKeptEvenWithForce) {
  for (const bool force : {false, true}) {
    const std::string name = force ? "forced" : "new";
    EXPECT_THAT(refused_after(
                    name, [&] { IndexWriter writer(at(name)); }, force),
                HasSubstr("belongs to the index"));
  }
}

TEST_F(SwappedOutput, ALinkThatTookTheNameOrLeadsElsewhereIsNotFollowed) {
  write("foreign", "theirs");
  write("earlier", kMark);
  EXPECT_THAT(refused_after("new", [&] { fs::create_symlink("foreign", at("new")); }),
              HasSubstr("now leads to another file"));
  fs::create_symlink("earlier", at("link"));
  EXPECT_THAT(refused_after("link",
                            [&] {
                              fs::remove(at("link"));
                              fs::create_symlink("foreign", at("link"));
                            }),
              HasSubstr("now leads to another file"));
  EXPECT_EQ(content("foreign"), "theirs");
  EXPECT_EQ(content("earlier"), kMark);
}

TEST_F(SwappedOutput, AFolderOrAFifoThatTookTheNameIsKept) {
  EXPECT_THAT(refused_after("new", [&] { fs::create_directory(at("new")); }),
              HasSubstr("is a folder"));
  EXPECT_THAT(refused_after("newer", [&] { ::mkfifo(at("newer").c_str(), 0600); }),
              HasSubstr("appeared while"));
  EXPECT_TRUE(fs::is_fifo(at("newer")));
}

TEST_F(SwappedOutput, AnEarlierOutputThatAppearedIsReplaced) {
  OutputGuard guard;
  OutputFile output = guard.open("--note", at("new"), kind());
  write("new", kMark);
  write_whole(output, "# ours\nnew\n");
  EXPECT_EQ(content("new"), "# ours\nnew\n");
}

// Streams are written directly.
class StreamedOutput : public OutputGuardTest {
 protected:
  // An open file, its name in /dev/fd, and what was written to it.
  static std::string by_number(const FileDescriptor& file) {
    return "/dev/fd/" + std::to_string(file.number());
  }
  // Reads what put() writes, which a terminal may hand out in parts.
  static std::string read_all(const FileDescriptor& file) {
    constexpr int kTimeoutMs = 5000;
    std::string bytes;
    while (!bytes.ends_with("new\n") && !bytes.ends_with("new\r\n")) {
      pollfd ready{file.number(), POLLIN, 0};
      std::array<char, 100> part{};
      const bool is_ready = ::poll(&ready, 1, kTimeoutMs) == 1;
      const ssize_t size = is_ready ? ::read(file.number(), part.data(), part.size()) : 0;
      if (size <= 0) break;
      bytes.append(part.data(), static_cast<std::size_t>(size));
    }
    return bytes;
  }
};

TEST_F(StreamedOutput, AFifoIsWrittenAndStays) {
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  fs::create_symlink("fifo", at("link"));
  const FileDescriptor reader(::open(at("fifo").c_str(), O_RDONLY | O_NONBLOCK));
  for (const std::string name : {"fifo", "link"}) {
    put(at(name));
    EXPECT_EQ(read_all(reader), "# ours\nnew\n");
  }
  EXPECT_TRUE(fs::is_fifo(at("fifo")));
  EXPECT_THAT(folder_.names(), ElementsAre("fifo", "link"));
}

TEST_F(StreamedOutput, AnOpenPipeIsWritten) {
  int ends[2] = {};
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const FileDescriptor reader(ends[0]);
  const FileDescriptor writer(ends[1]);
  put(by_number(writer));
  EXPECT_EQ(read_all(reader), "# ours\nnew\n");
  EXPECT_THAT(refusal(by_number(reader)), HasSubstr("is not open for writing"));
}

TEST_F(StreamedOutput, AnOpenFileIsWrittenWhereItStandsWhateverItHolds) {
  write("log", "theirs\n");
  const FileDescriptor log(::open(at("log").c_str(), O_WRONLY | O_APPEND));
  put(by_number(log));
  EXPECT_EQ(content("log"), "theirs\n# ours\nnew\n");
}

TEST_F(StreamedOutput, AnOpenTerminalIsWritten) {
  const FileDescriptor master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(master.is_open());
  ASSERT_EQ(::grantpt(master.number()), 0);
  ASSERT_EQ(::unlockpt(master.number()), 0);
  const fs::path name = ::ptsname(master.number());
  const FileDescriptor terminal(::open(name.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  put(by_number(terminal));
  EXPECT_EQ(read_all(master), "# ours\r\nnew\r\n");
  put(name);
  EXPECT_EQ(read_all(master), "# ours\r\nnew\r\n");
}

TEST_F(StreamedOutput, AnOpenInputAndAnOpenIndexAreRefused) {
  { IndexWriter writer(at("index.db")); }
  const FileDescriptor input(::open(write("input", "").c_str(), O_WRONLY | O_APPEND));
  const FileDescriptor index(::open(at("index.db").c_str(), O_WRONLY | O_APPEND));
  OutputGuard guard(true);
  guard.add_input(at("input"));
  guard.add_index(at("index.db"));
  EXPECT_THAT(refusal(guard, by_number(input)), HasSubstr("is read by this command"));
  EXPECT_THAT(refusal(guard, by_number(index)), HasSubstr("belongs to the index"));
}

TEST_F(StreamedOutput, WhatCannotBeWrittenIsAStorageError) {
  OutputGuard guard;
  OutputFile full = guard.open("--note", "/dev/full", kind());
  const Error error = error_of([&] { write_whole(full, "text"); });
  EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  EXPECT_THAT(error.what(), AllOf(StartsWith("/dev/full: "), HasSubstr("No space left")));
}

}  // namespace
}  // namespace lookalike
