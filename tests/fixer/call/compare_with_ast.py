#!/usr/bin/env python3
"""Compares every call that the reader finds with Python's own ast.

usage: compare_with_ast.py DUMP_CALLS [FOLDER...] [--every N]

Without a folder: the standard library of the Python that runs this. Callee, argument kinds and names, and the byte ranges
of calls and values must be equal. Files that ast can't parse are skipped and counted. Before Python 3.12 ast gives no true
positions inside f-strings, so calls there are left out on both sides.
"""
import argparse, ast, io, json, subprocess, sys, sysconfig, tokenize, unicodedata, warnings
from pathlib import Path

warnings.simplefilter("ignore")
TRUE_FSTRINGS = sys.version_info >= (3, 12)


def line_begins(data):
    """Byte offsets of lines as the tokenizer counts them: ended by \\n, \\r\\n or \\r."""
    begins, index = [0], 0
    while index < len(data):
        if data[index] == 0x0A or (data[index] == 0x0D and data[index + 1:index + 2] != b"\n"):
            begins.append(index + 1)
        index += 1
    return begins


def dotted(node):
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        front = dotted(node.value)
        return front and f"{front}.{node.attr}"
    return ""


def calls_of(data):
    tree = ast.parse(data)
    begins = line_begins(data)
    shift = 3 if data.startswith(b"\xef\xbb\xbf") else 0  # columns of the first line don't count the mark

    def span(node):
        first = begins[node.lineno - 1] + node.col_offset + (shift if node.lineno == 1 else 0)
        last = begins[node.end_lineno - 1] + node.end_col_offset + (shift if node.end_lineno == 1 else 0)
        return first, last

    inside = set()
    if not TRUE_FSTRINGS:
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                inside.update(id(one) for one in ast.walk(node))
    found, fstrings = {}, []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and not TRUE_FSTRINGS:
            fstrings.append(span(node))
        if not isinstance(node, ast.Call) or id(node) in inside:
            continue
        arguments = []
        for one in node.args:
            star = isinstance(one, ast.Starred)
            arguments.append(["star" if star else "positional", "", *span(one.value if star else one)])
        for one in node.keywords:
            arguments.append(["keyword" if one.arg else "double_star", one.arg or "", *span(one.value)])
        arguments.sort(key=lambda one: one[2])
        found[span(node)] = (dotted(node.func), arguments)
    return found, fstrings


def bare(data, begin, end, wanted):
    """The range without enclosing parentheses, which ast doesn't count, until it is the wanted one."""
    while (begin, end) != wanted and data[begin:begin + 1] == b"(" and data[end - 1:end] == b")":
        begin, end = begin + 1, end - 1
        while True:  # blanks and comments after the opening parenthesis
            if data[begin:begin + 1] in (b" ", b"\t", b"\n", b"\r", b"\f"):
                begin += 1
            elif data[begin:begin + 2] in (b"\\\n", b"\\\r"):
                begin += 2
            elif data[begin:begin + 1] == b"#":
                while data[begin:begin + 1] not in (b"\n", b"\r"):
                    begin += 1
            else:
                break
        if end > wanted[1] and begin == wanted[0]:
            end = wanted[1] if skippable(data[wanted[1]:end]) else end
        elif end > wanted[1] and begin < wanted[0]:
            end = trim(data, begin, end)
    return begin, end


def skippable(piece):
    lines = piece.replace(b"\r", b"\n").split(b"\n")
    return all(line.strip(b" \t\f\\") == b"" or line.strip(b" \t\f").startswith(b"#") for line in lines)


def trim(data, begin, end):
    """Cuts blanks and comments off the end by reading the tokens."""
    text = data[begin:end]
    while True:
        text = text.rstrip(b" \t\n\r\f")
        line = text.rsplit(b"\n", 1)[-1]
        if b"#" not in line:
            return begin + len(text)
        at = line.rfind(b"#")
        text = text[:len(text) - len(line) + at]


def differences(data, mine):
    theirs, fstrings = calls_of(data)
    seen = {}
    for begin, end, callee, arguments, complete, _ in mine:
        if not any(first < begin and end < last for first, last in fstrings):
            seen[begin, end] = (callee, arguments, complete)
    for span in sorted(theirs.keys() | seen.keys()):
        if span not in seen:
            yield span, "not found"
        elif span not in theirs:
            yield span, "no call"
        else:
            callee, arguments, complete = seen[span]
            wanted, expected = theirs[span]
            in_parentheses = data[span[0]:span[0] + 1] == b"("  # (a).b(): ast does not show the parentheses
            if unicodedata.normalize("NFKC", callee) != ("" if in_parentheses else wanted):
                yield span, f"callee {callee!r}, not {wanted!r}"
            if not complete:
                yield span, "said to be incomplete"
            mine_named = [[kind, unicodedata.normalize("NFKC", name)] for kind, name, *_ in arguments]
            if mine_named != [[kind, name] for kind, name, *_ in expected]:
                yield span, f"arguments {mine_named}, not {expected}"
                continue
            for (_, _, first, last), (_, name, *value) in zip(arguments, expected):
                value = tuple(value)
                lone_generator = len(expected) == 1 and value[0] < first and data[value[0]:value[0] + 1] == b"("
                if not lone_generator and bare(data, first, last, value) != value:
                    yield span, f"value of {name!r} {first, last}, not {value}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dump_calls")
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--every", type=int, default=1, help="only every N-th file")
    parser.add_argument("--show", type=int, default=20)
    args = parser.parse_args()
    folders = args.folders or [sysconfig.get_paths()["stdlib"]]
    files = sorted({str(path) for folder in folders for path in Path(folder).rglob("*.py") if path.is_file()
                    and (args.folders or "site-packages" not in path.parts)})[::args.every]
    compared = skipped = calls = wrong = 0
    for start in range(0, len(files), 200):
        done = subprocess.run([args.dump_calls, *files[start:start + 200]], stdout=subprocess.PIPE, check=True)
        for line in done.stdout.splitlines():
            record = json.loads(line)
            data = Path(record["file"]).read_bytes()
            try:
                coding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
                if coding not in ("utf-8", "utf-8-sig"):
                    data.decode("ascii")  # columns count bytes of UTF-8
                found = list(differences(data, record["calls"]))
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                skipped += 1
                print(f"skipped {record['file']}: {type(error).__name__}")
                continue
            compared += 1
            calls += len(record["calls"])
            for span, what in found:
                wrong += 1
                if wrong <= args.show:
                    number = data.count(b"\n", 0, span[0]) + 1
                    print(f"{record['file']}:{number}: {data[span[0]:span[1]][:60]!r}: {what}")
    print(f"{compared} files, {calls} calls, {wrong} differences, {skipped} skipped")
    return 1 if wrong or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
