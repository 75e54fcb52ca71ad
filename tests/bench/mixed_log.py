#!/usr/bin/env python3
"""Writes a log of mixed server output with tracebacks in it to standard output:  mixed_log.py BYTES [TRACEBACKS]

Access logs, journald, uvicorn, JSON lines, NCCL, training progress and debug lines; the tracebacks stand alone, behind a
rank, or behind a journal's prefix.
"""
import random
import sys

TRACEBACK = """Traceback (most recent call last):
  File "/srv/app/serve.py", line 31, in load
    model = AutoModelForCausalLM.from_pretrained(path, device_map="auto")
  File "/opt/venv/lib/python3.11/site-packages/transformers/modeling_utils.py", line 4736, in _load_pretrained_model
    raise ValueError(
ValueError: The current `device_map` had weights offloaded to the disk. Please provide an `offload_folder` for them. \
Alternatively, make sure you have `safetensors` installed if the model you are using offers the weights in this format.
"""
PREFIXES = ["", "[rank0]: ", "Nov 30 12:00:00 gpu-node-7 python[77]: "]
BLOCKS = 8
LINES_A_BLOCK = 20000


def access(number):
    return (f'10.{number(255)}.{number(255)}.{number(254)} - - [30/Nov/2026:12:{number(59):02d}:{number(59):02d} +0000] '
            f'"GET /v1/models/{number(9999)}?page={number(99)} HTTP/1.1" {number(4) + 1}00 {number(99999)} "-" '
            f'"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"')


def journal(number):
    return (f"Nov 30 12:{number(59):02d}:{number(59):02d} gpu-node-{number(64)} systemd[1]: Started "
            f"session-{number(999)}.scope - Session {number(999)} of User trainer.")


def uvicorn(number):
    return f'INFO:     10.0.{number(255)}.{number(254)}:{number(65535)} - "POST /v1/chat/completions HTTP/1.1" 200 OK'


def json_line(number):
    level = ["info", "warn", "error", "debug"][number(4) - 1]
    return (f'{{"ts":"2026-11-30T12:{number(59):02d}:{number(59):02d}.{number(999):03d}Z","level":"{level}",'
            f'"msg":"request finished","latency_ms":{number(9999)},"path":"/generate","device":"cuda:{number(7)}"}}')


def nccl(number):
    return (f"gpu-node-{number(64)}:{number(9999)}:{number(9999)} [{number(7)}] NCCL INFO Channel {number(31):02d}/0 : "
            f"{number(7)}[{number(7)}] -> {number(7)}[{number(7)}] via P2P/CUMEM/read")


def training(number):
    return (f"{{'loss': {number(9)}.{number(9999):04d}, 'grad_norm': {number(9)}.{number(9999):04d}, 'learning_rate': "
            f"{number(9)}.{number(99):02d}e-05, 'epoch': {number(3)}.{number(99):02d}}}")


def progress(number):
    return (f" {number(99)}%|█████▌    | {number(9999)}/10000 [{number(59):02d}:{number(59):02d}<{number(59):02d}:"
            f"{number(59):02d}, {number(9)}.{number(99):02d}it/s]")


def warning(number):
    return (f"2026-11-30 12:{number(59):02d}:{number(59):02d},{number(999):03d} [WARNING] [trainer.py:{number(999)}] device "
            f"memory allocated {number(79)}.{number(99):02d} GiB of 80; retrying connection, error count {number(9)}")


def debug(number):
    return (f"2026-11-30 12:{number(59):02d}:{number(59):02d} DEBUG urllib3.connectionpool:{number(999)} "
            f'https://huggingface.co:443 "HEAD /org/model/resolve/main/model-{number(9):05d}-of-00009.safetensors HTTP/1.1" 302 0')


KINDS = [access, access, journal, uvicorn, json_line, nccl, training, progress, warning, debug]


def main():
    size = int(sys.argv[1])
    tracebacks = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    chance = random.Random(size)
    number = lambda most: chance.randint(1, most)  # noqa: E731
    blocks = ["".join(chance.choice(KINDS)(number) + "\n" for _ in range(LINES_A_BLOCK)).encode() for _ in range(BLOCKS)]
    written = put = 0
    while written < size:
        block = chance.choice(blocks)[: size - written]
        while put < tracebacks and put * size // tracebacks <= written:
            prefix = PREFIXES[put % len(PREFIXES)]
            block += b"\n" + "".join(prefix + line + "\n" for line in TRACEBACK.splitlines()).encode()
            put += 1
        sys.stdout.buffer.write(block)
        written += len(block)


if __name__ == "__main__":
    main()
