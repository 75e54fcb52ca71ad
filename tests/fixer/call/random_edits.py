#!/usr/bin/env python3
"""Sets, removes and renames arguments of random calls and judges the result with Python's own ast.

usage: random_edits.py DUMP_CALLS [FOLDER...] [--count N] [--seed N]

After an edit the file must still parse, the call must have exactly the argument asked for (ast.unparse of its value) or no
longer have it, every other argument and everything outside the call must be what it was, and all bytes outside the call
must be the same. Without a folder: the standard library of the Python that runs this.
"""
import argparse, ast, collections, json, random, subprocess, sys, sysconfig, warnings
from pathlib import Path

warnings.simplefilter("ignore")
VALUES = ['"auto"', "None", "torch.float16", '{0: "10GiB", "cpu": "30GiB"}', "-1", "BitsAndBytesConfig(load_in_8bit=True)"]


def keywords(call):
    return {one.arg: ast.dump(one.value) for one in call.keywords if one.arg}


def calls_in_order(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def simple_statements(tree):
    return [ast.dump(node) for node in ast.walk(tree) if isinstance(node, ast.stmt) and not hasattr(node, "body")]


def plan(rng, data, calls, number):
    """Up to `number` requests on one file: (begin, end, action, name, value)."""
    for begin, end, callee, arguments, complete, _ in rng.sample(calls, min(number, len(calls))):
        names = [name for kind, name, *_ in arguments if kind == "keyword"]
        action = rng.choice(["set", "set", "remove", "rename"])
        if action == "set":
            yield begin, end, "set", rng.choice(names + ["device_map", "offload_folder"]), rng.choice(VALUES)
        elif names:
            yield begin, end, action, rng.choice(names), "renamed_argument" if action == "rename" else ""


def judge(data, request, edits):
    begin, end, action, name, value = request
    changed, last = b"", 0
    for first, until, text in sorted(edits, key=lambda edit: edit[0]):
        changed += data[last:first] + text.encode()
        last = until
    changed += data[last:]
    inside_call = all(begin <= first and until <= end for first, until, _ in edits)
    tree = ast.parse(data)
    try:
        after = ast.parse(changed)
    except SyntaxError as error:
        return f"no longer parses: {error}"
    before_calls, after_calls = calls_in_order(tree), calls_in_order(after)
    if not inside_call:  # in a dict that is passed as **, or at the assignment of a name that only this call uses
        differing = collections.Counter(simple_statements(tree))
        differing.subtract(simple_statements(after))
        changed_statements = sum(abs(count) for count in differing.values())
        return None if changed_statements <= 2 else "more than one statement changed"
    begins, at = [0], 0
    for line in data.replace(b"\r\n", b"\n ").replace(b"\r", b"\n").split(b"\n"):
        at += len(line) + 1
        begins.append(at)
    # The call is the one at `begin` with the same end; its index is the same in both trees up to calls inside new values.
    spot = [index for index, node in enumerate(before_calls) if data.startswith(b"\xef\xbb\xbf") is False
            and begins[node.lineno - 1] + node.col_offset == begin and begins[node.end_lineno - 1] + node.end_col_offset == end]
    if len(spot) != 1:
        return None
    old = before_calls[spot[0]]
    new = next((node for node in after_calls if (node.lineno, node.col_offset) == (old.lineno, old.col_offset)
                and ast.dump(node.func) == ast.dump(old.func) and len(node.args) == len(old.args)
                and node.end_lineno - old.end_lineno == changed.count(b"\n") - data.count(b"\n")
                + changed.count(b"\r") - data.count(b"\r") - (changed.count(b"\r\n") - data.count(b"\r\n"))), None)
    if new is None:
        return "the call is gone"
    want = keywords(old)
    if action == "set":
        want[name] = ast.dump(ast.parse(value, mode="eval").body)
    elif action == "remove":
        want.pop(name)
    else:
        want["renamed_argument"] = want.pop(name)
    if keywords(new) != want:
        return f"arguments {sorted(keywords(new))}, not {sorted(want)}"
    if [ast.dump(one) for one in new.args] != [ast.dump(one) for one in old.args]:
        return "positional arguments changed"
    old.keywords, new.keywords = [], []
    if ast.dump(tree) != ast.dump(after):
        return "something else changed"
    if not (changed.startswith(data[:begin]) and changed.endswith(data[end:])):
        return "bytes outside the call changed"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dump_calls")
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--show", type=int, default=10)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    folders = args.folders or [sysconfig.get_paths()["stdlib"]]
    files = sorted({str(path) for folder in folders for path in Path(folder).rglob("*.py") if path.is_file()
                    and (args.folders or "site-packages" not in path.parts)})
    rng.shuffle(files)
    done = wrong = declined = 0
    with subprocess.Popen([args.dump_calls, "--edits"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as editor:
        for file in files:
            if done >= args.count:
                break
            data = Path(file).read_bytes()
            try:
                data.decode("utf-8")
                ast.parse(data)
            except (SyntaxError, ValueError):
                continue
            found = subprocess.run([args.dump_calls, file], stdout=subprocess.PIPE, check=True)
            calls = json.loads(found.stdout)["calls"]
            for request in plan(rng, data, calls, 20):
                line = dict(zip(("begin", "end", "action", "name", "value"), request), file=file)
                editor.stdin.write(json.dumps(line).encode() + b"\n")
                editor.stdin.flush()
                edits = json.loads(editor.stdout.readline())["edits"]
                if not edits:
                    declined += 1
                    continue
                done += 1
                what = judge(data, request, edits)
                if what:
                    wrong += 1
                    if wrong <= args.show:
                        number = data.count(b"\n", 0, request[0]) + 1
                        print(f"{file}:{number}: {request[2:]} {data[request[0]:request[1]][:80]!r}: {what}")
        editor.stdin.close()
    print(f"{done} edits, {wrong} wrong, {declined} declined")
    return 1 if wrong or done == 0 or declined > done else 0


if __name__ == "__main__":
    sys.exit(main())
