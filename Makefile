# The front door. Each target installs what it lacks (scripts/bootstrap), builds and runs; a second call does only what
# changed. The builds themselves are CMake presets: see CMakePresets.json.
SHELL := /bin/bash
.DEFAULT_GOAL := help

JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
MUTANTS ?= 200
HISTORIES ?= 100000
PREFIX ?= /usr/local

# Sanitizers want a predictable address space; with it randomised they fail to start on some kernels.
PLAIN_ADDRESSES := $(shell setarch -R true 2>/dev/null && echo setarch -R)

##@ Use
.PHONY: help build demo install package
help: ## What can be made
	@awk 'BEGIN { FS = ":.*## " } /^##@ / { printf "\n%s\n", substr($$0, 5) } \
	      /^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo; echo "JOBS=$(JOBS) processes at a time; FUZZ_SECONDS=$(FUZZ_SECONDS) per fuzz target; MUTANTS=$(MUTANTS); HISTORIES=$(HISTORIES); PREFIX=$(PREFIX)"

build: ready-build configure-release ## Build the library and the command line: build/release/bin/fugu
	cmake --build --preset release -j $(JOBS) --target fugu_cli

demo: build ## Simulate, publish, audit, report: the tour
	scripts/demo

install: build ## Install into PREFIX
	cmake --install build/release --prefix $(PREFIX)

package: ready-package build ## Build the Debian package in build/release
	cd build/release && cpack -G DEB
	@ls -1 build/release/*.deb

##@ Check
.PHONY: test unit sanitize lint fuzz mutants world bench
test: ready-test configure-release ## Every test, in the build that users run: before you send
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -j $(JOBS)

unit: ready-build configure-release ## The fast loop: the release build and its unit tests
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -j $(JOBS) -L '^unit$$'

sanitize: ready-fuzz configure-sanitize configure-tsan ## Unit tests and fuzz corpora under clang 19's sanitizers, threads under theirs
	$(PLAIN_ADDRESSES) cmake --build --preset sanitize -j $(JOBS)
	$(PLAIN_ADDRESSES) ctest --preset sanitize -j $(JOBS)
	$(PLAIN_ADDRESSES) cmake --build --preset tsan -j $(JOBS)
	$(PLAIN_ADDRESSES) ctest --preset tsan -j $(JOBS)

lint: ready-lint configure-sanitize ## clang-format (check only) and clang-tidy
	scripts/format --check
	cmake --build --preset sanitize -j $(JOBS) --target fugu_cli
	JOBS=$(JOBS) scripts/tidy build/sanitize

fuzz: ready-fuzz configure-sanitize ## Look for inputs that break a parser, FUZZ_SECONDS for each target
	$(PLAIN_ADDRESSES) cmake --build --preset sanitize -j $(JOBS) --target fugu_fuzz
	$(PLAIN_ADDRESSES) scripts/fuzz build/sanitize $(FUZZ_SECONDS)

mutants: ready-mutants ## Would the tests notice? MUTANTS small wrong changes to core, one at a time
	scripts/mutants --count $(MUTANTS) --jobs $(JOBS)

world: ready-build configure-release ## HISTORIES of a simulated world: crashes, moves, rollbacks
	cmake --build --preset release -j $(JOBS) --target test_world
	FUGU_WORLD_HISTORIES=$(HISTORIES) build/release/bin/test_world

bench: ready-bench configure-release ## All benchmarks, as one table
	cmake --build --preset release -j $(JOBS) --target fugu_cli fugu_bench
	scripts/bench build/release

##@ Keep house
.PHONY: format clean
format: ready-lint ## Reformat all C++ sources
	scripts/format

clean: ## Remove build/
	rm -rf build

# --- Plumbing: ready-<group> installs packages, configure-<preset> makes build/<preset> when it is not there. ---
.PHONY: FORCE
ready-%: FORCE
	@scripts/bootstrap $*

configure-%: build/%/build.ninja ;

.PRECIOUS: build/%/build.ninja
build/%/build.ninja: CMakePresets.json
	$(if $(filter sanitize tsan,$*),$(PLAIN_ADDRESSES)) cmake --preset $*
	@touch $@
