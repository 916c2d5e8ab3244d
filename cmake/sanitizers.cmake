# -DFUGU_SANITIZE=address,undefined or thread: see CMakePresets.json.
set(FUGU_SANITIZE "" CACHE STRING "Sanitizers for every target, comma separated")
if(FUGU_SANITIZE)
  add_compile_options(-fsanitize=${FUGU_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FUGU_SANITIZE})
  # With g++ these checks of every pointer use double the compile time. Most of what they find the address sanitizer
  # finds as well; clang (the fuzz preset) keeps them all, and overflow, shift and bounds checks stay everywhere.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND FUGU_SANITIZE MATCHES "address" AND FUGU_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr,nonnull-attribute,returns-nonnull-attribute)
  endif()
endif()
