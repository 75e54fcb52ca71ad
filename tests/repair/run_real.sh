#!/bin/sh
# The repair bench with the real libraries:  run_real.sh WHYFAIL ENV BENCH [RATE.md]
# ENV: folder with the environments (libs/, bnb/, t25/, tnew/) that BENCH/setup_env.sh made; BENCH: the bench with its cases.
# RATE.md, where it is given, is written anew from the results.
set -eu
here=$(dirname "$0")
whyfail=$1
env=${2:?"say where the environments are: make test-real ENV=DIR BENCH=DIR"}
bench=${3:-../shared/repair}
rate=${4:-}
work=${WORK:-$env/work}
[ -d "$env/libs" ] || { echo "$env/libs is not there: make it with $bench/setup_env.sh $env" >&2; exit 2; }
[ -f "$bench/run_repair.py" ] || { echo "no repair bench in $bench: give BENCH=DIR" >&2; exit 2; }
versions=$(ls "$env/libs" | paste -sd, -)
mkdir -p "$work"
status=0
python3 "$bench/run_repair.py" "$whyfail" "$bench/cases_visible" --libs "$env/libs" --bnb "$env/bnb" \
  --python-old "$env/t25/bin/python" --python-new "$env/tnew/bin/python" --work "$work" --versions "$versions" -j 2 --cached \
  --json "$work/results.json" || status=$?
if [ -n "$rate" ] && [ -f "$work/results.json" ]; then
  python3 "$here/write_rate.py" "$work/results.json" "$env" "$whyfail" > "$rate.new"
  mv "$rate.new" "$rate"
fi
exit $status
