#!/usr/bin/env python3
"""Writes docs/repair_rate.md from what the repair bench found:  write_rate.py RESULTS.json ENV WHYFAIL > docs/repair_rate.md

RESULTS.json is what the bench wrote with --json, ENV the folder with the environments it ran in (libs/, bnb/, t25/, tnew/).
"""
import collections
import datetime
import json
import pathlib
import subprocess
import sys

FAMILIES = {
    "0": "nothing to do with placement",
    "1a": "device_map leaves modules out, or names a wrong device",
    "1b": "class without no-split modules",
    "1c": 'offload folder missing or unusable, max_memory without "cpu"',
    "1e": "offloaded model moved",
    "2": "quantized modules on CPU or disk",
    "2c": "quantization given twice",
    "3": "device string or number",
    "3c": "quantized or dispatched model moved, pipelines",
    "4": "max_memory keys and sizes",
    "5": "out of memory",
    "7": "missing files",
    "8": "arguments of another release",
    "9": "missing packages",
}


def release_key(text):
    return [int(part) for part in text.split(".")]


def package_version(folder, package):
    found = sorted(pathlib.Path(folder).glob(f"**/{package}-*.dist-info"))
    return found[0].name[len(package) + 1:-len(".dist-info")] if found else None


def share(cases, wanted, verdict):
    of = [case for case in cases if (case["expect"] == "repaired") == wanted]
    if not of:
        return "–"
    return f"{sum(case['verdict'] == verdict for case in of)} of {len(of)}"


def row(name, cases, bold=False):
    wrong = sum(case["verdict"] == "wrong-change" for case in cases)
    cells = [name, share(cases, True, "repaired"), share(cases, False, "declined"), str(wrong)]
    return "| " + " | ".join(f"**{cell}**" if bold and cell != "–" else cell for cell in cells) + " |"


def grouped(cases, key):
    groups = collections.defaultdict(list)
    for case in cases:
        groups[case[key]].append(case)
    return groups


def table(first, rows):
    return "\n".join([f"| {first} | repaired | declined | wrong |", "| --- | --- | --- | --- |", *rows])


def with_accelerate(release, env):
    accelerate = package_version(env / "libs" / release, "accelerate")
    return f"{release} with accelerate {accelerate}" if accelerate else release


def main():
    results, env, whyfail = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]), sys.argv[3]
    cases = results["cases"]
    version = subprocess.run([whyfail, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    families, releases = grouped(cases, "family"), grouped(cases, "transformers")
    family_rows = [row(f"{FAMILIES.get(family, 'other')} ({family})", families[family]) for family in sorted(families)]
    release_rows = [row(with_accelerate(release, env), releases[release]) for release in sorted(releases, key=release_key)]
    torch = [found for found in (package_version(env / name, "torch") for name in ("t25", "tnew")) if found]
    quantizers = sorted((path.name for path in (env / "bnb").iterdir()), key=release_key)
    print(f"""# Repair rate

Scripts that fail while loading a model, run with the real transformers, accelerate and bitsandbytes (a stand-in answers for
the GPUs), rewritten by `whyfail fix --apply`, and run again. *Repaired* means: the script runs to its end, no device goes
over its memory, no argument is lost, nothing outside the failing call changed, and where results must stay the same, the
loaded parameters have the same types and values. *Declined* means: the file was left byte for byte, as it had to be (nothing
fits, or the call cannot be read whole). *Wrong* means: a change that does neither.

Written by `make test-real`, {datetime.date.today().isoformat()}, whyfail {version}.

## By what fails

{table("what fails", [*family_rows, row("all", cases, bold=True)])}

## By release

{table("transformers", release_rows)}

bitsandbytes {" and ".join(quantizers)}; torch {" and ".join(torch)}.

## Limits

What the stand-in cannot tell: numbers of 8-bit and 4-bit products, fragmentation, kernels that a card lacks.""")
    return 0


if __name__ == "__main__":
    sys.exit(main())
