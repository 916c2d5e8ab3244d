# Warnings are errors in our own code; set FUGU_WERROR=OFF for compilers we have not tried.
option(FUGU_WERROR "Treat warnings as errors" ON)
add_library(fugu_warnings INTERFACE)
target_compile_options(fugu_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
  -Woverloaded-virtual $<$<BOOL:${FUGU_WERROR}>:-Werror>)
