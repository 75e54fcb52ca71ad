#!/usr/bin/env python3
"""Writes a data folder with many generated failures:  make_patterns.py DATA COUNT FOLDER [--with-models]

The wordings are chains of words of the shipped wordings (a word is followed by one that follows it somewhere in DATA), with
holes where theirs have holes, so that they look like library messages and share their words. --with-models copies what else
DATA holds, so that the result can stand inside the program (cmake -DWHYFAIL_DATA=FOLDER).
"""
import collections
import pathlib
import random
import re
import shutil
import sys
import tomllib

WORDINGS_A_FAILURE = 5
KINDS = ["ValueError", "RuntimeError", "ImportError", "TypeError", "KeyError", "OSError", "AttributeError"]


def shipped_wordings(data):
    for file in sorted(data.glob("failures/*/*.toml")):
        for wording in tomllib.loads(file.read_text(encoding="utf-8")).get("wording", []):
            if "text" in wording:
                yield wording["text"]


def followers(wordings):
    after = collections.defaultdict(list)
    for text in wordings:
        # A word with a hole in it becomes a hole, and no hole stands beside another: a sample has to be read one way only.
        words = re.sub(r"\S*\{[^{}\s]*\}\S*", "{}", text.replace("…", "")).split()
        for first, second in zip(["", *words], words):
            if first != "{}" or second != "{}":
                after[first].append(second)
    return after


def message(chance, after):
    words = [chance.choice(after[""])]
    length = chance.randint(7, 24)
    while len(words) < length:
        words.append(chance.choice(after.get(words[-1]) or after[""]))
    return " ".join(words).rstrip(".,:;") + (" again." if words[-1] == "{}" else ".")


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def wording(chance, after, names):
    text = message(chance, after)
    parts = text.split("{}")
    holes = [f"{{h{number}}}" for number in range(len(parts) - 1)]
    template = "".join(part + hole for part, hole in zip(parts, [*holes, ""]))
    sample = "".join(part + name for part, name in zip(parts, [chance.choice(names) for _ in holes] + [""]))
    kind = chance.choice(KINDS)
    return f'[[wording]]\ntext = {quoted(template)}\nexceptions = ["{kind}"]\nsamples = [{quoted(kind + ": " + sample)}]\n'


def usable(text):
    return not any(sign in text for sign in ("\\", "|", "{{", "}}", "..."))


def main():
    data, count, folder = pathlib.Path(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
    if "--with-models" in sys.argv:
        shutil.copytree(data, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("failures"))
    chance = random.Random(count)
    after = followers(text for text in shipped_wordings(data) if usable(text))
    names = ["cuda:0", "model.layers.3", "torch.float16", "4.44.2", "lm_head", "16", "LlamaForCausalLM"]
    home = folder / "failures" / "generated"
    home.mkdir(parents=True, exist_ok=True)
    for number in range(0, count, WORDINGS_A_FAILURE):
        wordings = [wording(chance, after, names) for _ in range(min(WORDINGS_A_FAILURE, count - number))]
        name = f"generated-{number:05d}"
        title = message(chance, after).replace("{}", "something")
        (home / f"{name}.toml").write_text(
            f'id = "{name}"\ntitle = {quoted(title)}\nseverity = "error"\nwhat = {quoted(title)}\nwhy = {quoted(title)}\n'
            f'advice = {quoted("Read it again.")}\naliases = [{quoted(title)}]\n\n'
            f'[[source]]\ntitle = "generated"\n\n' + "\n".join(wordings), encoding="utf-8")


if __name__ == "__main__":
    main()
