#!/bin/sh
# Checks whyfail on a machine with an NVIDIA GPU, against what other interfaces say of the same cards, in a few minutes:
#   tests/device/check.sh WHYFAIL
# 1. probe's totals, free figures, names and UUIDs against nvidia-smi
# 2. probe's free figure less its allowance against cudaMemGetInfo of the CUDA driver (through Python's ctypes)
# 3. numbering under CUDA_VISIBLE_DEVICES against the CUDA driver's own
# 4. who holds memory: a process that allocates is listed
# 5. a real out-of-memory text of torch through the whole path
# Exit status 0: all that could be checked agrees; 1: something differs; 77: no NVIDIA GPU or no way to ask it.
# Steps that cannot run say what is missing. WHYFAIL_DEVICE_PYTHON names the Python to use (the one with torch).
set -u

whyfail=${1:?usage: check.sh WHYFAIL}
python=${WHYFAIL_DEVICE_PYTHON:-python3}
folder=$(cd "$(dirname "$0")" && pwd)

skip_all() {
  echo "not checked: $1"
  exit 77
}

command -v "$python" > /dev/null || skip_all "no $python on this machine (set WHYFAIL_DEVICE_PYTHON)"
[ -x "$whyfail" ] || skip_all "$whyfail is not a program"
command -v nvidia-smi > /dev/null || skip_all "no nvidia-smi in PATH: install the NVIDIA driver's tools"
nvidia-smi -L > /dev/null 2>&1 || skip_all "nvidia-smi answers: $(nvidia-smi -L 2>&1 | head -n 1)"
exec "$python" "$folder/check.py" "$whyfail"
