# The two commands of this project, and what they are made of. Everything else is in CMakeLists.txt.
#   make demo   installs what is missing, builds the release, explains a sample on this machine
#   make test   the same for the tests
.PHONY: demo test release dev lint fuzz bench test-real clean

launcher := $(shell command -v ccache >/dev/null 2>&1 && echo -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)

demo: release
	@demo/demo.sh build/release/whyfail

release:
	@packaging/need.sh build
	@cmake --preset release $(launcher) >/dev/null
	@cmake --build --preset release

dev:
	@packaging/need.sh build test
	@cmake --preset dev $(launcher) >/dev/null
	@cmake --build --preset dev

test: dev
	@ctest --preset dev -j $$(nproc)

# Formatting, the include rule, clang-tidy on what changed since BASE (default: the last commit's parent).
lint:
	@packaging/need.sh build test check
	@tests/rules/lint.sh $(BASE)

# Every fuzzer for SECONDS each.
SECONDS ?= 60
fuzz:
	@packaging/need.sh build check
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz
	@tests/fuzz/run.sh build/fuzz $(SECONDS)

# Ratios of start-up, the whole process, a large log and the engines for anchors, each measured in one run (minutes).
bench:
	@packaging/need.sh build
	@cmake --preset bench $(launcher) >/dev/null
	@cmake --build --preset bench
	@tests/bench/run.sh build/bench

# The repair bench with the real libraries (torch, transformers …): ENV=DIR with the environments, BENCH=DIR with the cases.
test-real: release
	@tests/repair/run_real.sh build/release/whyfail "$(ENV)" "$(BENCH)" docs/repair_rate.md

clean:
	rm -rf build
