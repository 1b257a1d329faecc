# Every target is one or two commands that can also be typed by hand. `make help` lists them.
JOBS ?= $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
SECONDS_EACH ?= 60
export JOBS

.DEFAULT_GOAL := help
.PHONY: help setup build demo test hardware status lint format format-check layers tidy analyze sanitize tsan fuzz bench web web-serve docs docs-serve docs-check reference install package clean

help:
	@echo 'make demo       build, then run a short tour of the quern command'
	@echo 'make test       build, then run all tests'
	@echo 'make hardware   run tests, benchmarks and fault injection that need a GPU; up to an hour'
	@echo 'make status     run every case on every device of this machine and write docs/status.md'
	@echo 'make build      only build (build/release/bin/quern)'
	@echo 'make lint       check the formatting, the layers, and changed files with clang-tidy'
	@echo 'make analyze    check all files with clang-tidy and the static analyzer (long)'
	@echo 'make format     format the sources'
	@echo 'make sanitize   build and test with the address and undefined-behavior sanitizers'
	@echo 'make tsan       build and test with the thread sanitizer'
	@echo 'make fuzz       run each fuzz target for SECONDS_EACH=$(SECONDS_EACH) seconds (clang)'
	@echo 'make bench      build and run the benchmarks'
	@echo 'make web        build build/web: quern.js and quern.wasm for browsers, and the playground'
	@echo 'make web-serve  build it and serve it at http://localhost:$(PORT)'
	@echo 'make docs       build the documentation site in build/docs/site and check its links'
	@echo 'make docs-serve build it and serve it at http://localhost:$(PORT)'
	@echo 'make docs-check check links, code samples and the coverage of public names in the documentation'
	@echo 'make reference  generate the API reference in build/docs/reference (Doxygen)'
	@echo 'make install    install to PREFIX=/usr/local'
	@echo 'make package    create a Debian package in build/release'
	@echo 'make clean      remove build/'
	@echo 'JOBS=$(JOBS) sets the number of parallel jobs; WERROR=ON turns warnings into errors, as in CI'

setup:
	@scripts/setup.sh build test

build:
	@scripts/setup.sh build test
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS)

# Builds only the command, without the tests.
demo:
	@scripts/setup.sh build demo
	cmake --preset release -DQUERN_TESTS=AUTO
	cmake --build --preset release --parallel $(JOBS) --target quern_tool
	@scripts/demo.sh build/release/bin/quern

test: build
	ctest --preset release --parallel $(JOBS)
	@scripts/skipped.sh build/release

# On macOS: only programs without calls of Linux. Precompiled headers would add the others.
is_macos := $(filter Darwin,$(shell uname -s))
hardware:
	@scripts/setup.sh build test
	cmake --preset release $(if $(is_macos),-DQUERN_PCH=OFF)
	cmake --build --preset release --parallel $(JOBS) $(if $(is_macos),--target hardware)
	@scripts/hardware.sh build/release/bin build/hardware

status: build
	build/release/bin/quern_suite --random 2000 --seconds 300 --status docs/status.md

lint: format-check layers tidy

format:
	@scripts/setup.sh lint
	@scripts/format.sh

format-check:
	@scripts/setup.sh lint
	@scripts/format.sh --check

layers:
	@scripts/check_layers.sh
	@scripts/interface_table.py
	@scripts/unity_names.py
	@scripts/kernel_names.py --check
	@scripts/check_messages.py

tidy:
	@scripts/setup.sh build test lint
	@scripts/tidy.sh

analyze:
	@scripts/setup.sh build test lint
	@ANALYZE=1 scripts/tidy.sh

sanitize:
	@scripts/setup.sh build test
	cmake --preset asan
	cmake --build --preset asan --parallel $(JOBS)
	ctest --preset asan --parallel $(JOBS)

tsan:
	@scripts/setup.sh build test
	cmake --preset tsan
	cmake --build --preset tsan --parallel $(JOBS)
	scripts/without_aslr.sh ctest --preset tsan --parallel $(JOBS)

fuzz:
	@scripts/setup.sh build fuzz
	cmake --preset fuzz
	cmake --build --preset fuzz --parallel $(JOBS)
	@scripts/fuzz.sh build/fuzz/bin $(SECONDS_EACH)

bench: build
	@scripts/bench.sh build/release/bin

PORT ?= 8000
web:
	@scripts/setup.sh web
	cmake --preset web
	cmake --build --preset web --parallel $(JOBS)

web-serve: web
	@echo 'http://localhost:$(PORT)/$(if $(wildcard web/playground),playground/) (Ctrl-C ends it)'
	@python3 -m http.server --directory build/web --bind localhost $(PORT)

# `make reference` generates the reference of the C++ API from the headers.
docs:
	@scripts/setup.sh docs
	$(if $(wildcard docs/Doxyfile),@$(MAKE) --no-print-directory reference)
	@scripts/site.py

docs-serve: docs
	@echo 'http://localhost:$(PORT) (Ctrl-C ends it)'
	@python3 -m http.server --directory build/docs/site --bind localhost $(PORT)

docs-check:
	@scripts/check_links.py
	@scripts/check_public_names.py
	@scripts/check_samples.py

reference:
	@mkdir -p build/docs
	doxygen docs/Doxyfile
	@echo 'reference: build/docs/reference/index.html'

PREFIX ?= /usr/local
install: build
	cmake --install build/release --prefix $(PREFIX)

package: build
	cd build/release && cpack

clean:
	rm -rf build
