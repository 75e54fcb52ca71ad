#!/bin/sh
# The repair bench with the real libraries:  run_real.sh WHYFAIL ENV BENCH
# ENV: folder with the environments (libs/, bnb/, t25/, tnew/) that BENCH/setup_env.sh made; BENCH: the bench with its cases.
set -eu
whyfail=$1
env=${2:?"say where the environments are: make test-real ENV=DIR BENCH=DIR"}
bench=${3:-../shared/repair}
[ -d "$env/libs" ] || { echo "$env/libs is not there: make it with $bench/setup_env.sh $env" >&2; exit 2; }
[ -f "$bench/run_repair.py" ] || { echo "no repair bench in $bench: give BENCH=DIR" >&2; exit 2; }
versions=$(ls "$env/libs" | paste -sd, -)
exec python3 "$bench/run_repair.py" "$whyfail" "$bench/cases_visible" --libs "$env/libs" --bnb "$env/bnb" \
  --python-old "$env/t25/bin/python" --python-new "$env/tnew/bin/python" --work "$env/work" --versions "$versions" -j 2 --cached
