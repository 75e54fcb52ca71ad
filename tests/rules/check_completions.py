#!/usr/bin/env python3
"""Every option and command that `whyfail --help` names is in each completion:  check_completions.py WHYFAIL FOLDER"""
import pathlib
import re
import subprocess
import sys


def main():
    whyfail, folder = sys.argv[1:3]
    help_text = ""
    for words in ([], ["fix"], ["plan"], ["place"], ["check"], ["kb"]):
        help_text += subprocess.run([whyfail, *words, "--help"], stdout=subprocess.PIPE, text=True, check=False).stdout
    options = set(re.findall(r"(?:^|[ ,])--([a-z-]+)\b", help_text))
    commands = set(re.findall(r"^  ([a-z]+) (?=[A-Z -]|[a-z|]+$)", help_text, re.M))
    missing = 0
    for file in sorted(pathlib.Path(folder).iterdir()):
        text = file.read_text(encoding="utf-8")
        for word in sorted(options | commands):
            if not re.search(rf"(?<![a-z-]){re.escape(word)}(?![a-z-])", text.replace("--", " ")):
                print(f"{file.name}: {word} of --help is not there")
                missing += 1
    print(f"{len(options)} options and {len(commands)} commands, {missing} missing")
    return 1 if missing or not options or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
