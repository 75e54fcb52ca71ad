#!/usr/bin/env python3
"""Replays recorded failing runs:  replay.py WHYFAIL RECORDED.jsonl [--show]

Each record holds a script, the machine it ran on, the traceback that the real library gave, and what a right repair is. The
script is rewritten by `whyfail fix --apply`, then judged: it is Python, the arguments that must stay are there, nothing
outside the statements of the failing call changed, the expected arguments have the expected values, the fix says which
release it was simulated as, and a second run changes nothing. What must be left alone is byte for byte as it was.
"""
import argparse
import ast
import difflib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import checkpoints

LOADING = ("from_pretrained", "pipeline", "BitsAndBytesConfig")


def run(whyfail, folder, extra=()):
    return subprocess.run([whyfail, "fix", "--machine", "machine.json", "--trace", "trace.txt", *extra, "script.py"], cwd=folder,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)


def arguments(source):
    """Argument name → the texts of its values, over calls, dict literals and dict() of the script."""
    found = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg:
                    found.setdefault(keyword.arg, []).append(ast.unparse(keyword.value))
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    found.setdefault(key.value, []).append(ast.unparse(value))
    return found


def editable_lines(source, failing_lines):
    """Lines of loading statements, of the failing ones, and of assignments of names that these use."""
    statements = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt) and not hasattr(node, "body")]
    lines, names = set(), set()

    def take(node):
        lines.update(range(node.lineno, node.end_lineno + 1))
        names.update(name.id for name in ast.walk(node) if isinstance(name, ast.Name))

    for node in statements:
        text = ast.unparse(node)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        if any(word in text for word in LOADING) or any(node.lineno <= line <= node.end_lineno for line in failing_lines):
            take(node)
    for node in statements:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id in names for t in node.targets):
            lines.update(range(node.lineno, node.end_lineno + 1))
    return lines


def changed_elsewhere(before, after, allowed):
    old, new = before.splitlines(True), after.splitlines(True)
    for kind, begin, end, _, _ in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "insert" and begin >= max(allowed):
            return "a line was added after the call"
        if kind in ("replace", "delete") and any(line + 1 not in allowed for line in range(begin, end)):
            return f"line {begin + 1} changed, which is no part of the failing call"
    return None


def failing_lines(trace):
    marker = 'script.py", line '
    return {int(part.split(",")[0].split()[0]) for part in trace.split(marker)[1:]}


def judge(whyfail, record, folder):
    script = pathlib.Path(folder, "script.py")
    before = record["script"]
    script.write_text(before, encoding="utf-8", newline="")
    pathlib.Path(folder, "machine.json").write_text(json.dumps(record["machine"]), encoding="utf-8")
    pathlib.Path(folder, "trace.txt").write_text(record["trace"], encoding="utf-8")
    for name, text in record.get("files", {}).items():
        pathlib.Path(folder, name).write_text(text, encoding="utf-8")
    told = run(whyfail, folder, ["--apply"])
    after = script.read_bytes().decode("utf-8")
    if told.returncode not in (0, 1):
        return f"status {told.returncode}: {told.stderr.decode()[:200]}"
    if record["expect"] != "repaired":
        return None if after == before else "it changed a file that it had to leave alone"
    if after == before:
        return "not repaired: " + told.stdout.decode("utf-8", "replace")[:300]
    try:
        now = arguments(after)
    except SyntaxError as error:
        return f"no longer Python: {error}"
    lost = [name for name in record["must_keep"] if name not in now]
    if lost:
        return f"lost {', '.join(lost)}"
    elsewhere = changed_elsewhere(before, after, editable_lines(before, failing_lines(record["trace"])))
    if elsewhere:
        return elsewhere
    for name, values in record.get("expected", {}).items():
        have = now.get(name, [None])
        if not any(value in values for value in have):
            return f"{name} is {have}, expected one of {values}"
    run(whyfail, folder, ["--apply"])
    if script.read_bytes().decode("utf-8") != after:
        return "a second run changed the script again"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("whyfail")
    parser.add_argument("recorded")
    parser.add_argument("--show", action="store_true", help="print each verdict")
    options = parser.parse_args()
    whyfail = os.path.abspath(options.whyfail)
    failed = 0
    with open(options.recorded, encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    for record in records:
        with tempfile.TemporaryDirectory() as folder:
            if record["model"] in checkpoints.CHECKPOINTS:
                checkpoints.build(os.path.join(folder, "models"), record["model"])
            verdict = judge(whyfail, record, folder)
        failed += verdict is not None
        if verdict or options.show:
            print(f"{record['id']} ({record['family']}, transformers {record['transformers']}): {verdict or 'right'}")
    print(f"{len(records) - failed} passed, {failed} failed")
    return 1 if failed or not records else 0


if __name__ == "__main__":
    sys.exit(main())
