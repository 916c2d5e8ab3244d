# PostgreSQL's own parser as a library (libpg_query, BSD-3-Clause), which brings no pkg-config file. Defines
# PgQuery::PgQuery. Its headers include those of protobuf-c; what they declare is part of the library itself.
find_path(PgQuery_INCLUDE_DIR pg_query/pg_query.pb-c.h)
find_path(PgQuery_PROTOBUF_C_INCLUDE_DIR protobuf-c/protobuf-c.h)
find_library(PgQuery_LIBRARY pg_query)
mark_as_advanced(PgQuery_INCLUDE_DIR PgQuery_PROTOBUF_C_INCLUDE_DIR PgQuery_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PgQuery
  REQUIRED_VARS PgQuery_LIBRARY PgQuery_INCLUDE_DIR PgQuery_PROTOBUF_C_INCLUDE_DIR
  REASON_FAILURE_MESSAGE
    "Query logs are read with it. Run scripts/bootstrap, or: apt-get install libpg-query-dev libprotobuf-c-dev")

if(PgQuery_FOUND AND NOT TARGET PgQuery::PgQuery)
  add_library(PgQuery::PgQuery UNKNOWN IMPORTED)
  set_target_properties(PgQuery::PgQuery PROPERTIES
    IMPORTED_LOCATION "${PgQuery_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${PgQuery_INCLUDE_DIR};${PgQuery_PROTOBUF_C_INCLUDE_DIR}")
endif()
