# data/households.csv becomes part of the library, so that `fugu simulate households` works from anywhere.
set(FUGU_HOUSEHOLDS_TABLE ${PROJECT_SOURCE_DIR}/data/households.csv)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${FUGU_HOUSEHOLDS_TABLE})
file(READ ${FUGU_HOUSEHOLDS_TABLE} FUGU_HOUSEHOLDS)
set(FUGU_HOUSEHOLDS_SOURCE ${PROJECT_BINARY_DIR}/generated/shipped_households.cpp)
configure_file(${PROJECT_SOURCE_DIR}/cmake/shipped_households.cpp.in ${FUGU_HOUSEHOLDS_SOURCE} @ONLY)
