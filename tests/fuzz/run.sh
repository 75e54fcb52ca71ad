#!/bin/sh
# Runs every fuzzer of a build folder for some seconds each; stops at the first finding:  run.sh BUILD SECONDS
set -eu
build=$1
seconds=$2
ran=0
for program in "$build"/tests/fuzz/fuzz_*; do
  [ -x "$program" ] && [ -f "$program" ] || continue
  name=$(basename "$program")
  corpus=$build/corpus/$name
  mkdir -p "$corpus"
  seeds=$(dirname "$0")/seeds/$name
  [ -d "$seeds" ] || seeds=
  echo "$name: $seconds s"
  # shellcheck disable=SC2086 — seeds may be absent
  "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=0 \
    -artifact_prefix="$build/" "$corpus" $seeds
  ran=$((ran + 1))
done
[ "$ran" -gt 0 ] || { echo "no fuzzer in $build/tests/fuzz: build the preset 'fuzz' first" >&2; exit 2; }
echo "$ran fuzzers, no finding"
