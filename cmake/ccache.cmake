# Compile through ccache when it is there; -DCMAKE_CXX_COMPILER_LAUNCHER= switches it off.
find_program(FUGU_CCACHE ccache)
mark_as_advanced(FUGU_CCACHE)
if(FUGU_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers (tests) are cached only with this much trust in their defines and dates.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${FUGU_CCACHE})
  set(FUGU_CCACHE_IN_USE ON)
endif()
