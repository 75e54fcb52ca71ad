#!/usr/bin/env python3
"""Compares engines for the anchor step at 300 and 30,000 anchors:  engines.py FOLDER

FOLDER holds anchor_engines and the generated bases.
"""
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

TEXT = 4 << 20


def main():
    folder = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        log = subprocess.run([sys.executable, pathlib.Path(__file__).parent / "mixed_log.py", str(TEXT * 3 // 2), "40"],
                             stdout=subprocess.PIPE, check=True).stdout
        text = pathlib.Path(name) / "text"
        text.write_bytes(log.translate(None, b" \t\n'\"`")[:TEXT])
        for count in (300, 30000):
            # SQLite reads the database at the beginning of an image and leaves what follows it alone.
            image = sqlite3.connect(folder / f"generated_{count}.kb")
            anchors = sorted({row[0] for row in image.execute("SELECT anchor FROM pattern")})
            file = pathlib.Path(name) / f"anchors_{count}"
            file.write_text("\n".join(anchors) + "\n", encoding="utf-8")
            subprocess.run([folder / "anchor_engines", file, text], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
