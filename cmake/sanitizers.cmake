# -DFUGU_SANITIZE=address,undefined or thread: see CMakePresets.json.
set(FUGU_SANITIZE "" CACHE STRING "Sanitizers for every target, comma separated")
if(FUGU_SANITIZE)
  add_compile_options(-fsanitize=${FUGU_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FUGU_SANITIZE})
endif()

# Test code is large and short-lived. Where the address sanitizer would catch the mistake as well, leave out the checks
# that double its compile time; overflow, shift and bounds checks of inline code stay.
add_library(fugu_test_sanitizers INTERFACE)
if(FUGU_SANITIZE MATCHES "address" AND FUGU_SANITIZE MATCHES "undefined")
  target_compile_options(fugu_test_sanitizers INTERFACE
    -fno-sanitize=null,alignment,object-size,vptr,nonnull-attribute,returns-nonnull-attribute)
endif()
