#!/usr/bin/env python3
"""Releases are compared in kb and in the rule tables of fixer/placement, nowhere else:  check_releases.py ROOT

Looks for release numbers in the text of probes, fixer and cli: Release{4, 50, 0}, release.major >= 5, from(4, 50) and
parse("4.50.0"). Data that says "since 4.50.0" is compared in kb/release.h's terms, without a number in the text.
Prints each breach as file:line and exits 1.
"""
import pathlib
import re
import sys

FOLDERS = ["matchers", "probes", "fixer", "cli"]
TABLES = {f"fixer/placement/{name}.cc" for name in ("rules", "quantizer_rules", "cache_rules", "loading_rules")}
NUMBERS = [
    r"\bRelease\s*[({]\s*\d",
    r"(\.|->)(major|minor|patch)\s*([<>]=?|[!=]=)",
    r"\b(from|since|before|until)\w*\(\s*\d+\s*,\s*\d+",
    r'\bRelease::parse\(\s*"\d',
]


def breaches_of(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        code = re.sub(r"(?<![:\"])//.*", "", line)
        if any(re.search(pattern, code) for pattern in NUMBERS):
            yield number, line.strip()


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    for table in TABLES:
        # a table that is gone, or in which the patterns find nothing, would make this check pass for no reason
        if not (root / table).is_file() or not list(breaches_of(root / table)):
            print(f"{table}: no release found in what should be a table of releases")
            return 1
    found = 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in (".cc", ".h") or name in TABLES:
                continue
            for number, text in breaches_of(path):
                print(f"{name}:{number}: a release is compared outside the rule tables: {text}")
                found += 1
    print(f"{found} releases compared outside the rule tables")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
