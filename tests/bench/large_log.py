#!/usr/bin/env python3
"""A log of 1 GB against `rg -c -F -f anchors`, and the memory it takes:  large_log.py PROGRAM [BYTES]

The anchors are those of the shipped base: the form in which the program looks for them, and the longest fixed text of each
wording as it stands in the message. Skipped with a word where ripgrep is not installed.
"""
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import measuring

ROUNDS = 5
MEMORY = 64


def longest_text(wording):
    parts = re.split(r"\{[^{}]*\}|…|[|()\[\]\\.*+?]{2,}", wording)
    return max((part.strip() for part in parts), key=len)


def anchor_files(program, folder):
    base = folder / "base.sqlite"
    subprocess.run([program, "kb", "export", base], check=True)
    rows = sqlite3.connect(base).execute("SELECT anchor, wording FROM pattern").fetchall()
    kinds = {"anchors": {row[0] for row in rows},
             "fixed texts": {text for row in rows if len(text := longest_text(row[1])) >= 8}}
    for name, texts in kinds.items():
        file = folder / name.replace(" ", "_")
        file.write_text("\n".join(sorted(texts)) + "\n", encoding="utf-8")
        yield name, file


def main():
    program, size = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000_000
    good = True
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        log = folder / "log"
        with open(log, "wb") as out:
            subprocess.run([sys.executable, pathlib.Path(__file__).parent / "mixed_log.py", str(size)], stdout=out, check=True)
        memory = measuring.peak_memory([program, "--no-probe"], log)
        good &= measuring.report(f"a log of {size / 1e9:g} GB, peak memory", memory / 2**20, MEMORY, "MiB")
        if shutil.which("rg") is None:
            print("not compared with rg: ripgrep is not installed")
            return 0 if good else 1
        for kind, file in anchor_files(program, folder):
            for clock in (False, True):
                value = measuring.ratio([program, "--no-probe"], ["rg", "-c", "-F", "-f", file], log, ROUNDS, clock)
                measure = "elapsed" if clock else "processor time"
                good &= measuring.report(f"a log of {size / 1e9:g} GB against rg -c -F -f {kind}, {measure}", value, 1)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
