# Writes OUTPUT, which tells ctest the suites of PROGRAM, one test each, as NAME.SUITE. One process runs
# a suite: its tests share what is costly to make, such as an index or an OpenCL session.
#   cmake -DPROGRAM=FILE -DNAME=stages -DOUTPUT=FILE -DCOSTS=Suite=SECONDS,... -P suites.cmake
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n[^ \n][^\n]*\\.[^\n]*" suites "\n${listed}")
string(REPLACE "," ";" COSTS "${COSTS}")
set(text "")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "^\n([^ ]*)\\..*" "\\1" suite "${suite}")
  set(test "${NAME}.${suite}")
  string(APPEND text "add_test([=[${test}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${suite}.*]=])\n")
  foreach(cost IN LISTS COSTS)
    if(cost MATCHES "^(.*)=(.*)$" AND suite STREQUAL CMAKE_MATCH_1)
      string(APPEND text "set_tests_properties([=[${test}]=] PROPERTIES COST ${CMAKE_MATCH_2})\n")
    endif()
  endforeach()
endforeach()
file(WRITE ${OUTPUT} "${text}")
