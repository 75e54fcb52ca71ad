#!/usr/bin/env python3
"""The rules of the house that no compiler checks:  check_includes.py ROOT

Includes point left only (matchers, kb, probes, fixer, cli), each outside thing has one door, no file is longer than 450
lines, every source says in its first line what it does. Prints each breach as file:line and exits 1.
"""
import pathlib
import re
import sys

ORDER = ["matchers", "kb", "probes", "fixer", "cli"]
# Inside fixer: call and placement stand alone, model uses placement, plan uses all.
FIXER = {"call": {"call"}, "placement": {"placement"}, "model": {"model", "placement"}, "plan": {"plan", "call", "placement", "model"}}
# What is used in one folder only, by the text that using it takes.
DOORS = [
    (r'#include\s*<re2/', {"matchers"}, "RE2"),
    (r'#include\s*<sqlite3\.h>', {"kb"}, "SQLite"),
    (r'\bdlopen\s*\(', {"probes"}, "dlopen"),
    (r'\bgetenv\s*\(', {"probes"}, "the environment"),
    (r'"/(proc|sys)/', {"probes"}, "/proc and /sys"),
    (r'\bstd::(cout|cerr|clog)\b|\b(stdout|stderr)\b', {"cli"}, "the standard streams"),
    (r'\b(std::)?exit\s*\(', {"cli"}, "exit"),
]
# The build tool of the knowledge base and the child process of the driver probe are programs of their own.
OWN_PROGRAMS = {"kb/build/main.cc"}
BAD_NAMES = re.compile(r"(^|/)(util|utils|common|core|helpers?|misc|manager)[^/]*(/|\.(cc|h)$)")


def without_comments(line):
    return re.sub(r"(?<![:\"])//.*", "", line)


def without_strings(line):
    return re.sub(r'"(\\.|[^"\\])*"', '""', line)


def breaches_of(path, root):
    name = path.relative_to(root).as_posix()
    folder = name.split("/")[0]
    lines = path.read_text(encoding="utf-8").splitlines()
    if len(lines) > 450:
        yield 1, f"{len(lines)} lines; 450 is the limit: is it still one thing?"
    if not lines or not lines[0].startswith("//"):
        yield 1, "the first line must say what the file does"
    if BAD_NAMES.search(name):
        yield 1, "a name that does not say what is in the room"
    for number, line in enumerate(lines, 1):
        included = re.match(r'\s*#include\s*"([a-z]+)/(\w+)', line)
        if included and included[1] in ORDER and ORDER.index(included[1]) > ORDER.index(folder):
            yield number, f"{folder} must not include {included[1]}: includes point left"
        if included and folder == "fixer" and included[1] == "fixer":
            room = name.split("/")[1]
            if room in FIXER and included[2] not in FIXER[room]:
                yield number, f"fixer/{room} must not include fixer/{included[2]}"
        code = without_comments(line)
        for pattern, homes, what in DOORS:
            seen = code if pattern.startswith(("#", '"')) else without_strings(code)
            if folder not in homes and name not in OWN_PROGRAMS and re.search(pattern, seen):
                yield number, f"{what} belongs to {', '.join(sorted(homes))}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found = 0
    for folder in ORDER:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".cc", ".h") and path.is_file():
                for number, text in breaches_of(path, root):
                    print(f"{path.relative_to(root)}:{number}: {text}")
                    found += 1
    print(f"{found} breaches of the house rules")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
