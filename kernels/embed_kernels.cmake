# Writes OUTPUT, a C++ file that holds every kernel source and shipped tuning file as text.
#   cmake -DOUTPUT=file.cpp -DROOT=kernels -DSOURCES=a.cl,b/c.cl -P embed_kernels.cmake
string(REPLACE "," ";" SOURCES "${SOURCES}")
set(entries "")
foreach(source IN LISTS SOURCES)
  file(READ "${ROOT}/${source}" text)
  string(APPEND entries "    {\"${source}\", R\"CLSOURCE(${text})CLSOURCE\"},\n")
endforeach()
file(WRITE "${OUTPUT}.new" "#include \"kernels/session/kernel_source.h\"

#include <string>

#include \"base/error.h\"

namespace lookalike {
namespace {

struct EmbeddedSource {
  std::string_view name;
  std::string_view text;
};

constexpr EmbeddedSource kSources[] = {
${entries}};

}  // namespace

std::string_view kernel_source(std::string_view name) {
  for (const EmbeddedSource& source : kSources) {
    if (source.name == name) return source.text;
  }
  throw Error(ErrorKind::kInternal, \"kernel_source: no such file: \" + std::string(name));
}

std::vector<std::string_view> kernel_source_names(std::string_view folder) {
  std::vector<std::string_view> names;
  for (const EmbeddedSource& source : kSources) {
    if (source.name.starts_with(folder)) names.push_back(source.name);
  }
  return names;
}

}  // namespace lookalike
")
file(COPY_FILE "${OUTPUT}.new" "${OUTPUT}" ONLY_IF_DIFFERENT)
