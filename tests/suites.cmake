# Writes OUTPUT, which declares each suite of PROGRAM as a test of ctest: name.suite in lower case. One process
# runs a suite, since its tests share what is costly to make, such as an index or an OpenCL session.
#   cmake -DPROGRAM=FILE -DNAME=stages -DOUTPUT=FILE -P suites.cmake
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n[^ \n.]+\\." suites "\n${listed}")  # neither tests, indented, nor "Running main() from ..."
set(text "")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "[\n.]" "" suite "${suite}")
  string(TOLOWER "${NAME}.${suite}" test)
  string(APPEND text "add_test([=[${test}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${suite}.*]=])\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
