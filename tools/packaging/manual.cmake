# Writes OUTPUT/man1, /bash, /zsh and /fish for PROGRAMS, separated by commas, in FOLDER. COMPLETIONS
# has the scripts of the shells.
function(generate file)
  execute_process(COMMAND ${FOLDER}/${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${OUTPUT}/${file} "${text}")
endfunction()

file(REMOVE_RECURSE ${OUTPUT})
string(REPLACE "," ";" PROGRAMS ${PROGRAMS})
foreach(program ${PROGRAMS})
  generate(man1/${program}.1 ${program} --generate man)
  set(PROGRAM ${program})
  configure_file(${COMPLETIONS}/bash ${OUTPUT}/bash/${program} @ONLY)
  configure_file(${COMPLETIONS}/zsh ${OUTPUT}/zsh/_${program} @ONLY)
  configure_file(${COMPLETIONS}/fish ${OUTPUT}/fish/${program}.fish @ONLY)
  execute_process(COMMAND ${FOLDER}/${program} --generate commands OUTPUT_VARIABLE commands
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[a-z-]+" commands "${commands}")
  foreach(command ${commands})
    generate(man1/${program}-${command}.1 ${program} ${command} --generate man)
  endforeach()
endforeach()
file(TOUCH ${OUTPUT}/done)
