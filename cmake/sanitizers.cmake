# -DFUGU_SANITIZE=address,undefined,fuzzer-no-link or thread: see CMakePresets.json.
set(FUGU_SANITIZE "" CACHE STRING "Sanitizers for every target, comma separated")
if(FUGU_SANITIZE)
  add_compile_options(-fsanitize=${FUGU_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FUGU_SANITIZE})
endif()
