# find_package(fugu) → fugu::core, fugu::meters, fugu::strategies, fugu::grid, fugu::eval; `make package` (CPack) makes the Debian package.
include(CMakePackageConfigHelpers)

set(FUGU_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/fugu)

foreach(library core meters strategies grid mining querylog eval)
  install(TARGETS fugu_${library} EXPORT fuguTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${library}/include/fugu
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fugu-${library} FILES_MATCHING PATTERN "*.hpp")
endforeach()
# The only shared library we bring along. It lies in a folder of our own, and whoever needs it finds it from where he is
# himself: so what is installed can be moved.
if(FUGU_POWER_GRID_MODEL)
  set(FUGU_PRIVATE_LIBDIR ${CMAKE_INSTALL_LIBDIR}/fugu)
  install(IMPORTED_RUNTIME_ARTIFACTS power_grid_model::power_grid_model_c LIBRARY DESTINATION ${FUGU_PRIVATE_LIBDIR})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/power_grid_model_notice.txt.in
    ${PROJECT_BINARY_DIR}/cmake/power-grid-model/NOTICE @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/power-grid-model/NOTICE ${FUGU_POWER_GRID_MODEL_DIR}/share/LICENSE
    DESTINATION ${CMAKE_INSTALL_DOCDIR}/power-grid-model)
  file(RELATIVE_PATH from_bin /${CMAKE_INSTALL_BINDIR} /${FUGU_PRIVATE_LIBDIR})
endif()
if(TARGET fugu_cli)
  if(FUGU_POWER_GRID_MODEL)
    set_target_properties(fugu_cli PROPERTIES INSTALL_RPATH $ORIGIN/${from_bin})
  endif()
  install(TARGETS fugu_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES ${PROJECT_SOURCE_DIR}/data/households.csv DESTINATION ${CMAKE_INSTALL_DATADIR}/fugu)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/suites DESTINATION ${CMAKE_INSTALL_DATADIR}/fugu FILES_MATCHING PATTERN "*.toml")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT fuguTargets NAMESPACE fugu:: DESTINATION ${FUGU_CMAKE_DIR})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/fuguConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/fuguConfig.cmake
  INSTALL_DESTINATION ${FUGU_CMAKE_DIR}
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may break what it likes.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/fuguConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/find/FindPgQuery.cmake
  ${PROJECT_BINARY_DIR}/cmake/fuguConfig.cmake ${PROJECT_BINARY_DIR}/cmake/fuguConfigVersion.cmake
  DESTINATION ${FUGU_CMAKE_DIR})

if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_NAME fugu)
  set(CPACK_PACKAGE_VENDOR "fugu maintainers")
  set(CPACK_PACKAGE_CONTACT "fugu maintainers")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "publish live streams of personal data under provable privacy")
  set(CPACK_PACKAGE_DESCRIPTION
    "fugu releases one value per time slot of a stream, smart-meter readings first, with\nnoise that makes the release differentially private, keeps a durable ledger of what\neach release cost, and refuses to spend more than was granted. The package holds the\ncommand line, the C++ library and its headers.")
  set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  if(FUGU_POWER_GRID_MODEL)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${FUGU_POWER_GRID_MODEL_LIBRARY_DIR})
  endif()
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libssl-dev, zlib1g-dev, libmpfr-dev, libxxhash-dev, libpg-query-dev, libprotobuf-c-dev, pkg-config")
  include(CPack)
endif()
