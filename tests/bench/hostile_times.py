#!/usr/bin/env python3
"""How reading hostile text grows with its size, by the clock:  hostile_times.py PROGRAM

For each kind the processor time at 1, 2 and 4 times 60 KB and the ratio of the last to the first: near 4 is linear, and so is
less, where start-up is most of it. The kinds with bounds on counted work are tests/matchers/hostile_test.cc.
"""
import statistics
import sys
import tempfile

import measuring

HEAD = ('Traceback (most recent call last):\n  File "/v/site-packages/transformers/modeling_utils.py", line 3, in load\n'
        '    go(x)\n')
DURING = "\nDuring handling of the above exception, another exception occurred:\n\n"
CALL = HEAD + "    m = AutoModel.from_pretrained("
KINDS = {
    "one line": ("", "x"), "nested": ("", HEAD + "ValueError: no\n" + DURING), "frames": ("", HEAD),
    "error lines": ("", "ValueError: \n"), "frames without source": ("", '  File "a.py", line 1\n'), "NUL": ("", "\0"),
    "cut escapes": ("", "\x1b["), "colours": (HEAD, "\x1b[31mx\x1b[0m"), "carriage returns": (HEAD, "a\r"),
    "brackets": (CALL, "(["), "quotes": (CALL, "'\""), "digits": (HEAD + "ValueError: ", "9"), "line ends": ("", "\n"),
    "blanks": (HEAD + "ValueError: ", " "), "JSON": ("", '{"log":"Traceback (most recent call last):\\n'),
    "HTML": ("", "<div><pre>&lt;&amp;"), "boxes": ("", "╭── Traceback ──╮\n│ x │\n"), "killed": ("", "Killed\n"),
    "words of a message": (HEAD + "ValueError: ", "Please provide an `offload_folder` for "),
}
SIZE = 60_000
ROUNDS = 3
MOST = 6


def main():
    good = True
    for name, (head, unit) in KINDS.items():
        times = []
        for factor in (1, 2, 4):
            text = (head + unit * (factor * SIZE // len(unit.encode()))).encode("utf-8", "surrogateescape")
            with tempfile.NamedTemporaryFile() as paste:
                paste.write(text)
                paste.flush()
                times.append(statistics.median(measuring.cost([sys.argv[1], "--no-probe"], paste.name) for _ in range(ROUNDS)))
        print("  " + ", ".join(f"{time * 1e3:.0f} ms" for time in times))
        good &= measuring.report(name, times[2] / times[0], MOST)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
