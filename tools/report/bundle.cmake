# Writes OUTPUT.js, the modules of the page in one script for reports, and OUTPUT.sha256, its hash.
# FILES are the modules, each behind those that it imports. What api.js offers, embedded.js does.
#   cmake -DOUTPUT=report -DFILES=web/text.js,web/dom.js -P bundle.cmake
string(REPLACE "," ";" FILES "${FILES}")
set(bundle "")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" text)
  # Regular expressions of CMake know no beginning of a line.
  string(REGEX REPLACE "\nimport ({[^;]*}) from './([a-z_]+)[.]js';" "\nconst \\1 = $\\2;"
         text "\n${text}")
  string(REPLACE " = $api;" " = $embedded;" text "${text}")
  set(export "\nexport (async )?(const|function|class) ")
  string(REGEX MATCHALL "${export}[A-Za-z]+" names "${text}")
  string(REGEX REPLACE "${export}" "" names "${names}")
  string(REPLACE ";" ", " names "${names}")
  string(REPLACE "\nexport " "\n" text "${text}")
  string(APPEND bundle "const $${name} = (() => {${text}return { ${names} };\n})();\n")
endforeach()
if(bundle MATCHES "</script|<!--|\nimport ")
  message(FATAL_ERROR "the script of reports cannot be embedded in HTML: ${CMAKE_MATCH_0}")
endif()
file(WRITE "${OUTPUT}.js.new" "${bundle}")
file(COPY_FILE "${OUTPUT}.js.new" "${OUTPUT}.js" ONLY_IF_DIFFERENT)
file(SHA256 "${OUTPUT}.js" hash)
file(WRITE "${OUTPUT}.sha256" "${hash}")
