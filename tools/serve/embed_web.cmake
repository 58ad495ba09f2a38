# Writes OUTPUT, a C++ source with the files of the page as text. FILES are pairs URL=FILE.
#   cmake -DOUTPUT=file.cpp -DFILES=/a.js=web/a.js,/b.css=web/b.css -P embed_web.cmake
string(REPLACE "," ";" FILES "${FILES}")
set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_json "application/json")
set(type_svg "image/svg+xml")
set(type_sha256 "text/plain")
set(entries "")
foreach(pair IN LISTS FILES)
  string(REPLACE "=" ";" pair "${pair}")
  list(GET pair 0 url)
  list(GET pair 1 file)
  string(REGEX REPLACE ".*\\." "" ending "${file}")
  # Reads bytes: text with semicolons and brackets would not survive as a list.
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" text "${hex}")
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(APPEND entries "    {\"${url}\", \"${type_${ending}}\", {\"${text}\", ${size}}},\n")
endforeach()
file(WRITE "${OUTPUT}.new" "#include \"tools/serve/web_files.h\"

namespace lookalike {
namespace {

constexpr WebFile kFiles[] = {
${entries}};

}  // namespace

std::span<const WebFile> web_files() {
  return kFiles;
}

}  // namespace lookalike
")
file(COPY_FILE "${OUTPUT}.new" "${OUTPUT}" ONLY_IF_DIFFERENT)
