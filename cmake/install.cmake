# find_package(fugu) → fugu::fugu; `cpack` makes the Debian package.
