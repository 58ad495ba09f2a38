# Writes OUTPUT, which tells ctest the suites of PROGRAM, one test each, as name.suite in lower case. One
# process runs a suite: its tests share what is costly to make, such as an index or an OpenCL session.
#   cmake -DPROGRAM=FILE -DNAME=stages -DOUTPUT=FILE -P suites.cmake
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
# A suite is the word before a dot at the start of a line. Skips "Running main() from FILE.cc", the first line.
string(REGEX MATCHALL "\n[^ .\n]+\\.[^\n]*" suites "\n${listed}")
set(text "")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "^\n([^.]+)\\..*" "\\1" suite "${suite}")
  string(TOLOWER "${NAME}.${suite}" test)
  string(APPEND text "add_test([=[${test}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${suite}.*]=])\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
