// What `cmake --install` installs, after its folder was moved.

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content_of.h"
#include "tests/end_to_end/run_program.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Runs a command line of the shell.
ProgramResult shell(const std::string& command) {
  return run_program("/usr/bin/env", {"sh", "-c", command});
}

std::string output_of(const std::string& command) {
  const ProgramResult result = shell(command);
  EXPECT_EQ(result.exit_code, 0) << command << '\n' << result.out << result.err;
  return result.out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class Installed : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    const std::string first = folder_->path() / "first";
    output_of("cmake --install " LOOKALIKE_BUILD " --prefix " + first);
    fs::rename(first, prefix());
    output_of(LOOKALIKE_BUILD "/bin/lookalike-example posters --count 4 --output " + at("posters"));
    output_of(LOOKALIKE_BUILD "/bin/lookalike-example crop --angle 20 --output " + at("crop.webp") +
              " " + at("posters/poster-02.png"));
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string at(const std::string& name) { return folder_->path() / name; }
  static fs::path prefix() { return folder_->path() / "second"; }
  static fs::path program(const std::string& name) { return prefix() / "bin" / name; }
  static fs::path libraries() { return prefix() / LOOKALIKE_LIBRARY_FOLDER; }
  static fs::path documents() { return prefix() / "share/doc/lookalike"; }

  static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> Installed::folder_;

TEST_F(Installed, ProgramsFindTheirModule) {
  EXPECT_EQ(output_of(program("lookalike").native() + " --version"),
            "lookalike " LOOKALIKE_VERSION "\n");
  output_of(program("lookalike").native() + " index -q -d " + at("programs.db") + " " +
            at("posters"));
  EXPECT_THAT(output_of(program("lookalike").native() + " query -q --format paths -d " +
                        at("programs.db") + " " + at("crop.webp")),
              StartsWith(at("posters/poster-02.png")));
}

TEST_F(Installed, EveryProgramHasItsManualAndCompletions) {
  std::vector<std::string> programs;
  for (const auto& entry : fs::directory_iterator(prefix() / "bin")) {
    const std::string name = entry.path().filename();
    programs.push_back(name);
    const fs::path share = prefix() / "share";
    EXPECT_THAT(content_of(share / "man/man1" / (name + ".1")), HasSubstr(".SH OPTIONS"));
    EXPECT_THAT(content_of(share / "bash-completion/completions" / name),
                HasSubstr("complete -F _" + name));
    EXPECT_THAT(content_of(share / "zsh/site-functions" / ("_" + name)),
                StartsWith("#compdef " + name + "\n"));
    EXPECT_THAT(content_of(share / "fish/vendor_completions.d" / (name + ".fish")),
                HasSubstr("complete -c " + name));
    for (const std::string& command :
         lines_of(output_of(entry.path().native() + " --generate commands"))) {
      EXPECT_EQ(content_of(share / "man/man1" / (name + "-" + command + ".1")),
                output_of(entry.path().native() + " " + command + " --generate man"));
    }
  }
  EXPECT_THAT(programs, testing::UnorderedElementsAre(
                            "lookalike", "lookalike-scan", "lookalike-extract",
                            "lookalike-variance", "lookalike-sample", "lookalike-codebook",
                            "lookalike-assign", "lookalike-store", "lookalike-match"));
}

TEST_F(Installed, UnitsAndDocumentsAreThere) {
  const std::string service = content_of(prefix() / "lib/systemd/system/lookalike@.service");
  EXPECT_THAT(service, HasSubstr("\nExecStart=lookalike index "));
  EXPECT_THAT(service, HasSubstr("\nUser=lookalike\n"));
  EXPECT_THAT(content_of(prefix() / "lib/systemd/system/lookalike@.timer"),
              HasSubstr("OnCalendar="));
  const std::string serving = content_of(prefix() / "lib/systemd/system/lookalike-serve@.service");
  EXPECT_THAT(serving, HasSubstr("\nExecStart=lookalike serve "));
  EXPECT_THAT(serving, HasSubstr("\nPrivateNetwork=yes\n"));
  EXPECT_THAT(content_of(prefix() / "lib/systemd/system/lookalike-serve@.socket"),
              HasSubstr("\nListenStream=/run/lookalike-%i.sock\n"));
  EXPECT_THAT(content_of(prefix() / "lib/sysusers.d/lookalike.conf"), HasSubstr("\nu lookalike "));
  EXPECT_THAT(content_of(documents() / "examples/lookalike.cron"), HasSubstr("lookalike index"));
  for (const char* name : {"README.md", "CHANGELOG.md", "LICENSE", "docs/nightly.md",
                           "docs/result.jpg", "docs/openapi.json", "docs/schema/query.json",
                           "examples/default.toml", "examples/lookalike-after.conf",
                           "examples/lookalike.rules.yml", "examples/lookalike-dashboard.json",
                           "examples/cluster/step", "examples/cluster/slurm/submit"}) {
    EXPECT_TRUE(fs::exists(documents() / name)) << name;
  }
  EXPECT_THAT(content_of(documents() / "docs" / "reference.md"), HasSubstr("## lookalike query"));
}

TEST_F(Installed, LinksOfDocumentsLeadToInstalledFiles) {
  static const std::regex link_pattern(R"(\]\((?!https?:)([^)#]+)[^)]*\))");
  std::set<std::string> elsewhere;
  for (const auto& entry : fs::recursive_directory_iterator(documents())) {
    if (entry.path().extension() != ".md") continue;
    const std::string text = content_of(entry.path());
    for (std::sregex_iterator link(text.begin(), text.end(), link_pattern), end; link != end;
         ++link) {
      const fs::path target = entry.path().parent_path() / (*link)[1].str();
      if (!fs::exists(target)) {
        elsewhere.insert(target.lexically_normal().lexically_relative(documents()));
      }
    }
  }
  // For readers of the source.
  EXPECT_THAT(elsewhere, ElementsAre("DECISIONS.md", "docs/code.md", "kernels/README.md"));
}

TEST_F(Installed, NothingNamesAFolderOfTheBuildOrOfTheInstallation) {
  for (const auto& entry : fs::recursive_directory_iterator(prefix())) {
    const std::string extension = entry.path().extension();
    if (!entry.is_regular_file() || entry.path().parent_path().filename() == "bin" ||
        extension == ".so" || extension == ".jpg" || extension == ".png" ||
        entry.path().filename().native().find(".so.") != std::string::npos) {
      continue;
    }
    EXPECT_THAT(content_of(entry.path()),
                AllOf(Not(HasSubstr(LOOKALIKE_BUILD)), Not(HasSubstr(LOOKALIKE_SOURCE_DIR)),
                      Not(HasSubstr(folder_->path()))))
        << entry.path();
  }
}

TEST_F(Installed, AProgramOfAnotherProjectFindsTheLibraryAndUsesIt) {
  const std::string build = at("example-build");
  output_of("cmake -S " + (documents() / "examples/library").native() + " -B " + build +
            " -DCMAKE_PREFIX_PATH=" + prefix().native());
  output_of("cmake --build " + build);
  const std::string example = build + "/who_is_this " + at("library.db") + " " + at("posters");
  EXPECT_THAT(output_of(example + " " + at("posters/poster-01.png")),
              AllOf(StartsWith("duplicate 1"), HasSubstr(at("posters/poster-01.png"))));
  EXPECT_THAT(output_of(example + " " + at("crop.webp")),
              AllOf(StartsWith("same_object "), HasSubstr(at("posters/poster-02.png"))));
  EXPECT_EQ(shell(example + " /nowhere.jpg").exit_code, 3);
  EXPECT_EQ(shell(build + "/who_is_this").exit_code, 2);
}

// Built where pybind11 and NumPy are.
TEST_F(Installed, ThePythonModuleFindsTheLibrary) {
  const fs::path packages = prefix() / LOOKALIKE_PYTHON_FOLDER;
  if (!fs::exists(packages / "lookalike")) GTEST_SKIP() << "the Python module is not built";
  const std::string program =
      "import lookalike; print(lookalike.__file__, "
      "len(lookalike.extract('" +
      at("crop.webp") + "')))";
  EXPECT_THAT(
      output_of("PYTHONPATH=" + packages.native() + " " LOOKALIKE_PYTHON " -c \"" + program + "\""),
      testing::MatchesRegex(packages.native() + "/lookalike/__init__.py [0-9]+\n"));
}

TEST_F(Installed, ALaterMinorVersionIsNotWhatAProgramAsksFor) {
  const fs::path project = folder_->path() / "later";
  folder_->write("later/CMakeLists.txt",
                 "cmake_minimum_required(VERSION 3.22)\nproject(later LANGUAGES NONE)\n"
                 "find_package(lookalike 0.1 REQUIRED)\n");
  const ProgramResult result = shell("cmake -S " + project.native() + " -B " + at("later-build") +
                                     " -DCMAKE_PREFIX_PATH=" + prefix().native());
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("lookalikeConfig.cmake, version: " LOOKALIKE_VERSION));
}

TEST_F(Installed, PkgConfigNamesTheFolderWhereItIsNow) {
  const std::string pkg_config =
      "PKG_CONFIG_PATH=" + (libraries() / "pkgconfig").native() + " pkg-config ";
  EXPECT_EQ(output_of(pkg_config + "--modversion lookalike"), LOOKALIKE_VERSION "\n");
  const std::string flags = output_of(pkg_config + "--cflags --libs lookalike");
  const std::string program = at("by-pkg-config");
  output_of("c++ -std=c++20 " + (documents() / "examples/library/who_is_this.cpp").native() +
            " -o " + program + " " + flags.substr(0, flags.size() - 1) + " -Wl,-rpath," +
            libraries().native());
  EXPECT_THAT(output_of(program + " " + at("library.db") + " " + at("posters") + " " +
                        at("posters/poster-00.png")),
              StartsWith("duplicate "));
}

// Nothing else may become part of the interface by accident.
TEST_F(Installed, TheLibraryExportsWhatItsHeaderDeclares) {
  const std::string symbols =
      output_of("nm -DC --defined-only " + (libraries() / "liblookalike.so").native());
  std::set<std::string> declared;
  for (const std::string& line : lines_of(symbols)) {
    const std::string symbol = line.substr(line.find(' ', line.find(' ') + 1) + 1);
    declared.insert(symbol.substr(0, symbol.find_first_of("([")));
  }
  EXPECT_THAT(
      declared,
      ElementsAre("lookalike::Finder::Finder", "lookalike::Finder::explain",
                  "lookalike::Finder::find", "lookalike::Finder::get", "lookalike::Finder::images",
                  "lookalike::Finder::operator=", "lookalike::Finder::thumbnail",
                  "lookalike::Finder::~Finder", "lookalike::Photo::encoded",
                  "lookalike::Photo::from_pixels", "lookalike::add", "lookalike::add_many",
                  "lookalike::duplicates", "lookalike::evaluate", "lookalike::extract",
                  "lookalike::locate", "lookalike::match", "lookalike::on_message",
                  "lookalike::reject", "lookalike::remove", "lookalike::update_index",
                  "typeinfo for lookalike::Failure", "typeinfo name for lookalike::Failure",
                  "vtable for lookalike::Failure"));
}

}  // namespace
}  // namespace lookalike
