# Warnings are errors in our own code; set FUGU_WERROR=OFF for compilers we have not tried.
option(FUGU_WERROR "Treat warnings as errors" ON)
add_library(fugu_warnings INTERFACE)
target_compile_options(fugu_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
  -Woverloaded-virtual $<$<BOOL:${FUGU_WERROR}>:-Werror>)

if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # Sees an overlap inside `"text" + std::string`: https://gcc.gnu.org/bugzilla/show_bug.cgi?id=105651
    target_compile_options(fugu_warnings INTERFACE -Wno-restrict)
  endif()
  if(FUGU_SANITIZE)
    # Instrumented code hides initialisations and sizes from them (GCC manual, -fsanitize); the plain build keeps them.
    target_compile_options(fugu_warnings INTERFACE -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow)
  endif()
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # std::stable_sort of libstdc++ 12 uses its own deprecated std::get_temporary_buffer.
  target_compile_options(fugu_warnings INTERFACE -Wno-deprecated-declarations)
endif()
