# power-grid-model (LF Energy, MPL-2.0), a shared library that scripts/bootstrap fetches. Without it the load flow has our own
# solver only.
set(FUGU_POWER_GRID_MODEL_VERSION 1.12.110)  # scripts/bootstrap has it, too
set(FUGU_POWER_GRID_MODEL_DIR ${PROJECT_SOURCE_DIR}/build/third_party/power-grid-model-${FUGU_POWER_GRID_MODEL_VERSION}
  CACHE PATH "Where power-grid-model is: the folder that has its include/ and lib/cmake/")
find_package(power_grid_model ${FUGU_POWER_GRID_MODEL_VERSION} EXACT CONFIG QUIET
  PATHS ${FUGU_POWER_GRID_MODEL_DIR} NO_DEFAULT_PATH)
set(FUGU_POWER_GRID_MODEL ${power_grid_model_FOUND})
if(FUGU_POWER_GRID_MODEL)
  # Its name of file and of library are the same.
  get_target_property(location power_grid_model::power_grid_model_c IMPORTED_LOCATION_RELEASE)
  cmake_path(GET location FILENAME FUGU_POWER_GRID_MODEL_FILE)
  cmake_path(GET location PARENT_PATH FUGU_POWER_GRID_MODEL_LIBRARY_DIR)
else()
  message(STATUS "power-grid-model ${FUGU_POWER_GRID_MODEL_VERSION} not found: load flow with our own solver only "
    "(run scripts/bootstrap, then configure again)")
endif()
