// The layers of ARCHITECTURE.md, checked over every include of the source tree.

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content_of.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;
using Names = std::vector<std::string_view>;

// The folders that a folder may include besides itself. The first layer that holds a file counts.
struct Layer {
  std::string_view folder;
  Names may_include;
};
const std::vector<Layer> kLayers = {
    {"base", {}},
    {"config", {"base"}},
    {"kernels", {"base"}},
    {"storage", {"base"}},
    {"stages", {"base", "config", "kernels", "storage"}},
    {"pipeline", {"base", "config", "kernels", "storage", "stages"}},
    {"tools/lab",
     {"base", "config", "kernels", "storage", "stages", "pipeline", "tools", "tests/fixtures"}},
    {"tools", {"base", "config", "kernels", "storage", "stages", "pipeline"}},
    {"tests", {"base", "config", "kernels", "storage", "stages", "pipeline", "tools"}},
};

// What kernels/ uses of base/, so that it builds with OpenCL only: the standard library suffices.
const Names kStandardBase = {"base/artefacts",    "base/error",      "base/features",
                             "base/files",        "base/geometry",   "base/image",
                             "base/matrix_view",  "base/pair_sums",  "base/parallel",
                             "base/parse_number", "base/random",     "base/signature",
                             "base/source_file",  "base/work_limits"};

// Which folders may include the headers of a library.
struct Library {
  std::string_view prefix;
  Names folders;
};
const std::vector<Library> kLibraries = {
    {"CL/", {"kernels"}},
    {"sqlite3.h", {"storage", "tests/storage"}},
    {"toml++/", {"config"}},
    {"opencv2/", {"stages", "pipeline", "tools", "tests"}},
    {"opencv2/imgcodecs", {"stages/decode/opencv_reader_module.cpp", "tests"}},
    {"opencv2/opencv", {"tests"}},  // these three include OpenCV's image readers, or have their own
    {"opencv2/highgui", {"tests"}},
    {"opencv2/videoio", {"tests"}},
    {"hwy/", {"base", "tests/base"}},
    {"utf8proc.h", {"base"}},
    {"jpeglib.h", {"stages/decode", "tests/stages/decode"}},
    {"turbojpeg.h", {"stages/decode", "tests/stages/decode"}},
    {"png.h", {"stages/decode", "tests/stages/decode"}},
    {"gif_lib.h", {"stages/decode/gif_reader_module.cpp", "tests/fixtures"}},
    {"libheif/", {"stages/decode/heif_reader_module.cpp", "tests/fixtures"}},
    {"exiv2/", {"stages/decode/metadata_reader_module.cpp"}},
    {"webp/", {"stages/decode/webp_reader_module.cpp"}},
    {"CLI/", {"tools", "tests/tools"}},
    {"pybind11/", {"tools/python"}},
    {"nlohmann/", {"pipeline", "tools", "tests"}},
    {"spdlog/", {"base", "config", "stages", "pipeline", "tools", "tests"}},
    {"fmt/", {"base", "config", "storage", "stages", "pipeline", "tools", "tests"}},
};

// Functions that read image files, and the sources that name them.
struct Readers {
  std::string_view library;
  std::string_view names;  // a regular expression
  Names sources;
};
const std::vector<Readers> kReaders = {
    {"OpenCV",
     R"(\bim(read|decode|count)|\bVideoCapture\b|\bImageCollection\b)",
     {"stages/decode/opencv_reader_module.cpp"}},
    {"libjpeg",
     R"(\bjpeg_(create_decompress|CreateDecompress|read_|start_decompress)|\btj\w*Decompress)",
     {"stages/decode/jpeg_reader.cpp"}},
    {"libpng", R"(\bpng_\w*read(_|\b))", {"stages/decode/png_reader.cpp"}},
    {"linked readers",
     R"(\bread_(jpeg|png|linked)\b)",
     {"stages/decode/jpeg_reader.cpp", "stages/decode/large_reader_module.cpp",
      "stages/decode/linked_readers.cpp", "stages/decode/png_reader.cpp",
      "stages/decode/readers.cpp", "stages/decode/readers.h"}},
    // pixels.cpp checks headers first; encode.cpp uses the writers beside OpenCV's readers. Names
    // of modules' files are no calls.
    {"readers.h",
     R"(\b(read_image|read_header_apart|opencv_module)\b(?!\.))",
     {"stages/decode/encode.cpp", "stages/decode/pixels.cpp", "stages/decode/readers.cpp",
      "stages/decode/readers.h"}},
};

bool is_under(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

bool is_under_any(std::string_view path, const Names& folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](std::string_view folder) { return is_under(path, folder); });
}

std::string_view first_parts(std::string_view path, std::size_t parts) {
  std::size_t end = 0;
  for (; parts > 0 && end != std::string_view::npos; --parts) {
    end = path.find('/', end == 0 ? 0 : end + 1);
  }
  return path.substr(0, end);
}

bool is_standard_base(std::string_view file) {
  const std::string_view stem = file.substr(0, file.rfind('.'));
  return std::find(kStandardBase.begin(), kStandardBase.end(), stem) != kStandardBase.end();
}

bool may_include_ours(std::string_view file, std::string_view included) {
  if (is_under(included, "base") && (is_under(file, "kernels") || is_standard_base(file)) &&
      !is_standard_base(included)) {
    return false;
  }
  const auto layer = std::find_if(kLayers.begin(), kLayers.end(), [&](const Layer& candidate) {
    return is_under(file, candidate.folder);
  });
  if (layer == kLayers.end()) return false;
  if (!is_under(included, layer->folder)) return is_under_any(included, layer->may_include);
  return layer->folder != "stages" || is_under(included, first_parts(file, 2));
}

bool may_include_library(std::string_view file, std::string_view included) {
  return std::all_of(kLibraries.begin(), kLibraries.end(), [&](const Library& library) {
    return !included.starts_with(library.prefix) ||
           (is_under_any(file, library.folders) && !is_standard_base(file));
  });
}

// The includes of a source that break the rules; `file` is its path from the repository's root.
std::vector<std::string> violations(const std::string& file, const std::string& text) {
  static const std::regex include_pattern(
      R"((?:^|\n)[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"])");
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), include_pattern), end; match != end;
       ++match) {
    const std::string included = (*match)[2];
    const bool quoted = (*match)[1] == "\"";
    if (quoted ? !may_include_ours(file, included) : !may_include_library(file, included)) {
      found.push_back(file + " includes " + included);
    }
  }
  return found;
}

std::string without_comment_lines(const std::string& text) {
  static const std::regex comment_line_pattern(R"((^|\n)[ \t]*//[^\n]*)");
  return std::regex_replace(text, comment_line_pattern, "$1");
}

// The libraries whose image readers a source names outside of comment lines.
Names named_readers(const std::string& text) {
  static const std::vector<std::regex> name_patterns = [] {
    std::vector<std::regex> names;
    for (const Readers& readers : kReaders) names.emplace_back(std::string(readers.names));
    return names;
  }();
  const std::string code = without_comment_lines(text);
  Names found;
  for (std::size_t i = 0; i < kReaders.size(); ++i) {
    if (std::regex_search(code, name_patterns[i])) found.push_back(kReaders[i].library);
  }
  return found;
}

// Calls visit(path from the root, text) for each source of the layers.
template <typename Visit>
void for_each_source(const fs::path& root, Visit visit) {
  std::size_t files = 0;
  for (const Layer& layer : kLayers) {
    if (layer.folder.find('/') != std::string_view::npos) continue;  // part of another one
    for (const auto& entry : fs::recursive_directory_iterator(root / layer.folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp") continue;
      visit(fs::relative(entry.path(), root).string(), content_of(entry.path()));
      ++files;
    }
  }
  EXPECT_GT(files, 50U) << "the tree was not found";
}

// Types that a source defines, outside of other types and of namespaces without a name.
std::vector<std::string> types_of(const std::string& source) {
  static const std::regex type_pattern(
      R"(\n(?:struct|class|enum class) (?:LOOKALIKE_API )?(\w+)(?![\w:])[^;{\n]*\{)");
  std::string named = source;
  const std::string start = "\nnamespace {\n";
  const std::string end_of = "\n}  // namespace\n";
  for (std::size_t from = 0; (from = named.find(start, from)) != std::string::npos;) {
    named.erase(from, named.find(end_of, from) - from);
  }
  std::vector<std::string> names;
  for (std::sregex_iterator match(named.begin(), named.end(), type_pattern), end; match != end;
       ++match) {
    names.push_back((*match)[1]);
  }
  return names;
}

TEST(Layers, TheTreeKeepsThem) {
  std::vector<std::string> found;
  for_each_source(LOOKALIKE_SOURCE_DIR, [&](const std::string& file, const std::string& text) {
    const auto more = violations(file, text);
    found.insert(found.end(), more.begin(), more.end());
  });
  EXPECT_THAT(found, IsEmpty());
}

// Two types of one name are one to the linker, which takes the code of either for both.
TEST(Sources, NoTwoDefineATypeOfOneName) {
  std::map<std::string, std::string> defined_in;
  for_each_source(LOOKALIKE_SOURCE_DIR, [&](const std::string& file, const std::string& text) {
    if (file.starts_with("tests/")) return;
    for (const std::string& name : types_of(text)) {
      const auto [there, is_new] = defined_in.emplace(name, file);
      EXPECT_TRUE(is_new) << name << " is in " << there->second << " and in " << file;
    }
  });
  EXPECT_EQ(defined_in["MatrixView"], "base/matrix_view.h");
  EXPECT_EQ(defined_in["Finder"], "tools/library/lookalike.h");
  EXPECT_EQ(defined_in["CandidatePlace"], "stages/match/locate/exhaustive_search.cpp");
}

// Files may be anything by the time they are read: pixels.cpp holds them to the limits first.
TEST(ImageReaders, AreCalledInOnePlace) {
  std::map<std::string_view, std::vector<std::string>> callers;  // by library
  for_each_source(LOOKALIKE_SOURCE_DIR, [&](const std::string& file, const std::string& text) {
    if (file.starts_with("tests/")) return;
    for (const std::string_view library : named_readers(text)) callers[library].push_back(file);
  });
  for (const Readers& readers : kReaders) {
    EXPECT_THAT(callers[readers.library], UnorderedElementsAreArray(readers.sources))
        << readers.library;
  }
}

// parse_json() limits the depth of what others send and write.
TEST(Json, IsParsedInOnePlace) {
  static const std::regex parser_pattern(R"(\b[Jj]son\w*::(parse|accept|sax_parse)\(|>> *json\b)");
  std::vector<std::string> parsers;
  for_each_source(LOOKALIKE_SOURCE_DIR, [&](const std::string& file, const std::string& text) {
    if (file.starts_with("tests/") || file.starts_with("tools/lab/")) return;
    if (std::regex_search(text, parser_pattern)) parsers.push_back(file);
  });
  EXPECT_THAT(parsers, ElementsAre("pipeline/json.cpp"));
}

// An output never replaces what is not an output: OutputGuard sees to it for every option.
TEST(Files, ThatOptionsNameAreWrittenThroughTheGuard) {
  static const std::regex writer_pattern(
      R"(\bofstream\b|\bimwrite\(|\bfopen\(|\bAtomicFile\(|\bwrite_atomically\(|::unguarded\()");
  std::vector<std::string> writers;
  for_each_source(LOOKALIKE_SOURCE_DIR, [&](const std::string& file, const std::string& text) {
    if (file.starts_with("tests/") || !file.ends_with(".cpp")) return;
    if (std::regex_search(text, writer_pattern)) writers.push_back(file);
  });
  EXPECT_THAT(writers,
              UnorderedElementsAre(
                  "base/files.cpp", "storage/output_file.cpp",
                  // In the cache folder.
                  "tools/serve/photo_dates.cpp", "tools/serve/thumbnail_cache.cpp",
                  // The peak of memory, in /proc.
                  "tools/lab/synthesize/scale_benchmark.cpp",
                  // Names that the program makes: DATABASE.work, .pairs and .rejected,
                  // and the user's cache.
                  "pipeline/flow/feature_cache.cpp", "pipeline/duplicates/pair_file.cpp",
                  "pipeline/duplicates/rejections.cpp", "kernels/session/program_cache.cpp",
                  "kernels/tuning/tuning.cpp", "pipeline/device/device_test.cpp"));
}

TEST(LayerCheck, CatchesAFolderThatIncludesUpwards) {
  EXPECT_THAT(violations("kernels/surf/surf.cpp",
                         "#include \"base/error.h\"\n  #  include \"config/options.h\"\n"),
              ElementsAre("kernels/surf/surf.cpp includes config/options.h"));
  EXPECT_THAT(violations("base/scan.cpp", "#include \"storage/index_types.h\""),
              ElementsAre("base/scan.cpp includes storage/index_types.h"));
  EXPECT_THAT(violations("stages/match/match.h", "#include \"tools/report/report.h\""),
              ElementsAre("stages/match/match.h includes tools/report/report.h"));
}

TEST(LayerCheck, CatchesWhatWouldKeepTheKernelsFromBuildingAlone) {
  EXPECT_THAT(violations("kernels/surf/surf.h", "#include \"base/text.h\""),
              ElementsAre("kernels/surf/surf.h includes base/text.h"));
  EXPECT_THAT(
      violations("base/random.h", "#include <fmt/format.h>\n#include \"base/text.h\"\n"),
      ElementsAre("base/random.h includes fmt/format.h", "base/random.h includes base/text.h"));
}

TEST(LayerCheck, CatchesAStageThatIncludesAnother) {
  EXPECT_THAT(violations("stages/match/match.cpp",
                         "#include \"stages/match/match.h\"\n"
                         "#include \"stages/decode/decode.h\"\n"),
              ElementsAre("stages/match/match.cpp includes stages/decode/decode.h"));
}

TEST(LayerCheck, CatchesALibraryOutsideOfItsFolder) {
  EXPECT_THAT(violations("stages/match/match.cpp",
                         "#include <CL/opencl.hpp>\n#include <sqlite3.h>\n"
                         "#include <toml++/toml.h>\n#include <opencv2/core.hpp>\n"),
              ElementsAre("stages/match/match.cpp includes CL/opencl.hpp",
                          "stages/match/match.cpp includes sqlite3.h",
                          "stages/match/match.cpp includes toml++/toml.h"));
  EXPECT_THAT(violations("kernels/surf/surf.cpp", "#include <opencv2/core.hpp>"),
              ElementsAre("kernels/surf/surf.cpp includes opencv2/core.hpp"));
}

TEST(LayerCheck, CatchesImageReadersHoweverTheyAreCalled) {
  for (const char* code :
       {"cv::Mat image = cv::imread(path);", "using cv::imdecode;", "imreadmulti(path, pages);",
        "auto* const decode = &cv::imdecodemulti;", "cv::VideoCapture video{path};"}) {
    EXPECT_THAT(named_readers(code), ElementsAre("OpenCV")) << code;
  }
  for (const char* code : {"::jpeg_read_header(&jpeg, TRUE);", "jpeg_create_decompress (&jpeg);",
                           "tjDecompress2(handle, file);", "tjDecompressHeader3(handle, file);",
                           "tj3Decompress8(handle, file);", "f(tjInitDecompress());"}) {
    EXPECT_THAT(named_readers(code), ElementsAre("libjpeg")) << code;
  }
  for (const char* code : {"png_read_info(png, info);", "png_image_finish_read(&image);",
                           "png_image_begin_read_from_file(&image, name);"}) {
    EXPECT_THAT(named_readers(code), ElementsAre("libpng")) << code;
  }
  for (const char* code : {"return read_png(file, mode);", "const cv::Mat image{read_jpeg(file)};",
                           "std::invoke(read_jpeg, file);"}) {
    EXPECT_THAT(named_readers(code), ElementsAre("linked readers")) << code;
  }
  for (const char* code :
       {"const OpenCvModule& module = opencv_module();", "opencv_module().reader.read(file);",
        "read_header_apart(file, format, problem);", "read_image(file, header);"}) {
    EXPECT_THAT(named_readers(code), ElementsAre("readers.h")) << code;
  }
  EXPECT_THAT(
      named_readers("// As cv::imread reads.\n  // read_png(file)\n"
                    "#include \"stages/decode/encode.h\"\nload_module(\"opencv_reader.so\");\n"
                    "encode_image(\".png\", image);\n"),
      IsEmpty());
}

TEST(LayerCheck, CatchesHeadersThatBringImageReaders) {
  for (const std::string header : {"opencv2/imgcodecs.hpp", "opencv2/opencv.hpp",
                                   "opencv2/highgui.hpp", "opencv2/videoio.hpp"}) {
    EXPECT_THAT(violations("stages/match/match.cpp", "#include <" + header + ">"),
                ElementsAre("stages/match/match.cpp includes " + header));
  }
}

TEST(LayerCheck, CatchesAnIncludeThatDoesNotStartAtTheRoot) {
  EXPECT_THAT(violations("base/scan.cpp", "#include \"scan.h\""),
              ElementsAre("base/scan.cpp includes scan.h"));
}

TEST(LayerCheck, IsNotFooledByFoldersWhoseNamesBeginAlike) {
  EXPECT_THAT(violations("stages/match/match.cpp", "#include \"stages/matching/x.h\""),
              ElementsAre("stages/match/match.cpp includes stages/matching/x.h"));
}

}  // namespace
}  // namespace lookalike
