#!/usr/bin/env python3
"""Start to answer with 30,000 wordings against 300:  start_up.py PROGRAM FOLDER

FOLDER holds whyfail_300 and whyfail_30000, programs with a generated base inside, and the two bases as files for --kb.
"""
import pathlib
import sys

import measuring

BOUND = 1.2
ROUNDS = 30


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    pastes = sorted((pathlib.Path(__file__).parent.parent / "cli" / "golden").glob("*[a-z].txt"))
    pastes = [paste for paste in pastes if not paste.name.endswith(".report.txt")]
    good = True
    for paste in pastes:
        inside = [[folder / f"whyfail_{count}", "--no-probe"] for count in (30000, 300)]
        beside = [[program, "--no-probe", "--kb", folder / f"generated_{count}.kb"] for count in (30000, 300)]
        for where, (many, few) in (("inside the program", inside), ("with --kb", beside)):
            value = measuring.ratio(many, few, paste, ROUNDS)
            good &= measuring.report(f"30,000 wordings against 300, {where}, {paste.stem}", value, BOUND)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
