#!/usr/bin/env python3
"""The whole process, from start to answer, against `grep -c x` on the same paste:  whole_process.py PROGRAM

Without probing, so that the figure is that of the program and not of the machine's drivers; the figures with probing are
shown beside it, without a bound.
"""
import json
import pathlib
import subprocess
import sys

import measuring

BOUNDS = {"explained": 5, "unknown": 2, "similar": 5}
ROUNDS = 60


def status(program, paste):
    with open(paste, "rb") as source:
        answer = subprocess.run([program, "--no-probe", "--json"], stdin=source, capture_output=True, check=False)
    return json.loads(answer.stdout)["status"]


def main():
    program = sys.argv[1]
    good = True
    for paste in sorted((pathlib.Path(__file__).parent.parent / "cli" / "golden").glob("*.txt")):
        if paste.name.endswith(".report.txt"):
            continue
        kind = status(program, paste)
        value = measuring.ratio([program, "--no-probe"], ["grep", "-c", "x"], paste, ROUNDS)
        good &= measuring.report(f"{paste.stem} ({kind}) against grep -c", value, BOUNDS[kind])
        probing = measuring.ratio([program], ["grep", "-c", "x"], paste, ROUNDS // 4)
        print(f"  and with probing this machine: {probing:.2f} times")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
