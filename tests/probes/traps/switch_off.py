#!/usr/bin/env python3
"""Shows that every trap's test fails when the trap's handling is switched off.

usage: switch_off.py BUILD [--only N[,N]]     build, run, and print a table
       switch_off.py --check BUILD            build nothing: document, tests and lines still belong together

traps.toml names for each trap a line of the sources and what it becomes. Copies of the named sources, with all lines
replaced at once, are compiled with the flags of BUILD and linked into copies of the test programs; a replaced line asks
the environment whether its trap is switched off, so that one build serves all traps. Each test must pass with nothing
switched off and fail with its own trap switched off. Exit status 0: all do.
"""
import argparse, json, os, re, shlex, subprocess, sys, tempfile, tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[2]
DOCUMENT = SOURCE / "docs" / "machine_traps.md"
SWITCH = """#include <cstdlib>
#include <string_view>
static bool whyfail_trap_off(const char* number) {
  const char* off = std::getenv("WHYFAIL_TRAP_OFF");
  return off != nullptr && std::string_view(off) == number;
}
"""
HANDED_ON = {"PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "CCACHE_DIR"}


def traps():
    with open(HERE / "traps.toml", "rb") as file:
        return tomllib.load(file)["trap"]


def switched(trap, text):
    """`text` with the trap's line replaced; the line must be there exactly once."""
    lines = text.split("\n")
    places = [i for i, line in enumerate(lines) if line == trap["line"]]
    if len(places) != 1:
        raise SystemExit(f"trap {trap['number']}: its line stands {len(places)} times in {trap['file']}: {trap['line']}")
    lines[places[0]] = trap["off"].replace("TRAP_OFF", f'whyfail_trap_off("{trap["number"]}")')
    return "\n".join(lines)


def mutated_sources(chosen):
    texts = {}
    for trap in chosen:
        text = texts.get(trap["file"]) or (SOURCE / trap["file"]).read_text()
        texts[trap["file"]] = switched(trap, text)
    return {file: f'{SWITCH}#line 1 "{file}"\n{text}' for file, text in texts.items()}


def commands_of(build, target):
    out = subprocess.run(["ninja", "-C", str(build), "-t", "commands", target], capture_output=True, text=True)
    if out.returncode != 0:
        raise SystemExit(f"{target} is not a target of {build}; was it configured with -G Ninja and -DWHYFAIL_TESTS=ON?")
    return out.stdout.splitlines()


def compile_command(build, file, source, output):
    for entry in json.loads(subprocess.run(["ninja", "-C", str(build), "-t", "compdb"], capture_output=True,
                                           text=True).stdout):
        if Path(entry["file"]) == SOURCE / file and " -c " in entry["command"]:
            words = shlex.split(entry["command"])
            words[words.index("-c") + 1] = str(source)
            words[words.index("-o") + 1] = str(output)
            for option in ("-MF", "-MT"):
                if option in words:
                    del words[words.index(option):words.index(option) + 2]
            words = [word for word in words if word not in ("-MD", "-Werror")]
            return words + ["-iquote", str((SOURCE / file).parent), "-Wno-unused-function"]
    raise SystemExit(f"{file} is not compiled in {build}")


def test_programs(build):
    """Test program → the tests in it ("Suite.Name", without the prefixes and numbers of parameters)."""
    found = {}
    for path in sorted(build.glob("tests/**/test_*")):
        if not path.is_file() or not os.access(path, os.X_OK) or path.suffix:
            continue
        listed = subprocess.run([str(path), "--gtest_list_tests"], capture_output=True, text=True, cwd=build).stdout
        suite, tests = "", set()
        for line in listed.splitlines():
            if line.startswith("  "):
                tests.add(suite + line.split("#")[0].strip().split("/")[0])
            elif line.rstrip().split(" ")[0].endswith("."):
                suite = line.split("#")[0].strip().split("/")[-1]
        found[path] = tests
    return found


def program_of(trap, programs):
    for path, tests in programs.items():
        if trap["test"] in tests:
            return path
    raise SystemExit(f"trap {trap['number']}: no test program has {trap['test']}; build all tests first")


def build_copies(build, chosen, programs, folder):
    objects = []
    for file, text in mutated_sources(chosen).items():
        source = folder / file.replace("/", "_")
        source.write_text(text)
        output = source.with_suffix(".o")
        subprocess.run(compile_command(build, file, source, output), cwd=build, check=True)
        objects.append((file, str(output)))
    copies = {}
    for path in {program_of(trap, programs) for trap in chosen}:
        target = path.relative_to(build)
        link = commands_of(build, str(target))[-1]
        words = shlex.split(link.split(" && ")[1] if link.startswith(": && ") else link)
        at = words.index("-o")
        copy = path.with_name("switched_off_" + path.name)  # beside the original: its files are found from there
        words[at + 1] = str(copy)
        needed = [output for file, output in objects
                  if any(f"lib{library}" in link for library in [f"whyfail_{file.split('/')[0]}.a"])]
        subprocess.run(words[:at + 2] + needed + words[at + 2:], cwd=build, check=True)
        copies[path] = copy
    return copies


def passes(program, trap, off):
    environment = {name: value for name, value in os.environ.items() if name in HANDED_ON}
    if off:
        environment["WHYFAIL_TRAP_OFF"] = str(trap["number"])
    name = trap["test"]
    run = subprocess.run([str(program), f"--gtest_filter={name}:*/{name}:*/{name}/*:{name}/*"], capture_output=True,
                         text=True, env=environment, cwd=program.parent, timeout=300)
    ran = re.search(r"\[==========\] (\d+) tests? from", run.stdout)
    if not ran or ran.group(1) == "0":
        raise SystemExit(f"trap {trap['number']}: {name} did not run in {program}")
    return run.returncode == 0


def run_all(build, chosen):
    programs = test_programs(build)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        copies = build_copies(build, chosen, programs, Path(folder))
        try:
            print("trap  handled  switched off  test")
            for trap in chosen:
                program = copies[program_of(trap, programs)]
                on, off = passes(program, trap, False), passes(program, trap, True)
                wrong += not on or off
                print(f"{trap['number']:>4}  {'passes' if on else 'FAILS ':7}  {'PASSES' if off else 'fails':12}  {trap['test']}",
                      flush=True)
        finally:
            for copy in copies.values():
                copy.unlink(missing_ok=True)
    print(f"{len(chosen) - wrong} of {len(chosen)} tests fail when their trap's handling is switched off")
    return wrong == 0


def check(build):
    """The document names every trap once with its test; tests and lines are there."""
    all_traps = traps()
    numbers = [trap["number"] for trap in all_traps]
    if numbers != list(range(1, 32)):
        raise SystemExit(f"traps.toml must hold the traps 1 to 31 in order, not {numbers}")
    rows = {}
    for line in DOCUMENT.read_text().splitlines():
        row = re.match(r"\| *(\d+) *\|", line)
        if row:
            rows.setdefault(int(row.group(1)), []).append(line)
    if sorted(rows) != numbers or any(len(lines) != 1 for lines in rows.values()):
        raise SystemExit(f"{DOCUMENT} must have one row for each of the traps 1 to 31, not {sorted(rows)}")
    programs = test_programs(build)
    for trap in all_traps:
        row = rows[trap["number"]][0]
        if f"`{trap['test']}`" not in row:
            raise SystemExit(f"{DOCUMENT}: row {trap['number']} does not name `{trap['test']}`")
        if trap.get("recording_only", False) != ("recording only" in row):
            raise SystemExit(f"{DOCUMENT}: row {trap['number']} and traps.toml differ about \"recording only\"")
        for named in re.findall(r"`([A-Z]\w+\.[A-Z]\w+)`", row):
            if not any(named in tests for tests in programs.values()):
                raise SystemExit(f"{DOCUMENT}: row {trap['number']} names {named}, which no built test program has")
        program_of(trap, programs)
    mutated_sources(all_traps)
    print(f"{len(all_traps)} traps: documented, tested, and their lines are where they were")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--only", help="numbers of traps")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    build = options.build.resolve()
    if options.check:
        check(build)
        return 0
    only = {int(number) for number in options.only.split(",")} if options.only else None
    return 0 if run_all(build, [trap for trap in traps() if only is None or trap["number"] in only]) else 1


if __name__ == "__main__":
    sys.exit(main())
