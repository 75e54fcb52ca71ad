#!/bin/sh
# Runs the benchmarks of a build folder made with the preset bench:  run.sh BUILD
# Each prints its ratios and whether they hold; the exit status is 1 if one does not.
set -u
here=$(dirname "$0")
build=$1
failed=0
python3 "$here/start_up.py" "$build/whyfail" "$build/tests/bench" || failed=1
python3 "$here/whole_process.py" "$build/whyfail" || failed=1
python3 "$here/large_log.py" "$build/whyfail" || failed=1
python3 "$here/engines.py" "$build/tests/bench" || failed=1
python3 "$here/hostile_times.py" "$build/whyfail" || failed=1
python3 "$here/compare.py" "$build/tests/bench/place_repeated" --whyfail "$build/whyfail" || failed=1
exit $failed
