# Warnings are errors in our own code; set FUGU_WERROR=OFF for compilers we have not tried.
option(FUGU_WERROR "Treat warnings as errors" ON)
add_library(fugu_warnings INTERFACE)
target_compile_options(fugu_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
  -Woverloaded-virtual $<$<BOOL:${FUGU_WERROR}>:-Werror>)
# g++ 12 sees overlapping copies in string concatenation where there are none (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(fugu_warnings INTERFACE -Wno-restrict)
endif()
