#!/bin/sh
# Explains demo/traceback.txt with this machine's own figures. Where no GPU is here, a described one takes its place, and
# the output says so.   demo/demo.sh WHYFAIL
set -eu
whyfail=$1
here=$(dirname "$0")
machine=$(mktemp)
trap 'rm -f "$machine"' EXIT
"$whyfail" probe --json >"$machine"

echo "This machine, measured:"
echo
"$whyfail" probe
echo
if grep -q '"gpus": *\[\]' "$machine"; then
  echo "No GPU was found here. For the sample an RTX 3060 with 11.4 GiB free is described in its place (demo/gpu.json);"
  echo "RAM and disk are the ones measured above."
  sed -i "s|\"gpus\": *\[\]|\"gpus\": [$(tr -d '\n' <"$here/gpu.json")]|" "$machine"
else
  echo "The GPUs, RAM and disk measured above are used."
fi
echo
echo "\$ whyfail < demo/traceback.txt"
echo
"$whyfail" --machine "$machine" <"$here/traceback.txt"
