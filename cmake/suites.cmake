# suites/*.toml become part of the library, so that `fugu bench --suite NAME` works from anywhere.
# The suite that is quick comes first, then the order of the alphabet.
file(GLOB suites CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/suites/*.toml)
list(SORT suites)
list(REMOVE_ITEM suites ${PROJECT_SOURCE_DIR}/suites/smoke.toml)
list(PREPEND suites ${PROJECT_SOURCE_DIR}/suites/smoke.toml)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${suites})

set(FUGU_SUITES "")
foreach(suite ${suites})
  get_filename_component(name ${suite} NAME_WLE)
  file(READ ${suite} text)
  string(APPEND FUGU_SUITES "    {\"${name}\", R\"toml(${text})toml\"},\n")
endforeach()
set(FUGU_SUITES_SOURCE ${PROJECT_BINARY_DIR}/generated/shipped_suites.cpp)
configure_file(${PROJECT_SOURCE_DIR}/cmake/shipped_suites.cpp.in ${FUGU_SUITES_SOURCE} @ONLY)
