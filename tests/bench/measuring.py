"""Runs commands in turn and compares what they cost, pair by pair, in one run of the benchmark.

The cost of a command is the processor time of its process (user and system): it includes start-up and reading, and does
not change with what else the machine does, as the clock does. `clock=True` compares elapsed time instead.
"""
import os
import resource
import statistics
import subprocess
import time


def cost(command, paste, clock=False):
    """Seconds that `command` takes with the file `paste` as standard input."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    with open(paste, "rb") as source:
        done = subprocess.run(command, stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    elapsed = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(map(str, command))}: exit status {done.returncode}")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return elapsed if clock else used


def ratio(command, baseline, paste, rounds, clock=False):
    """The median over `rounds` of cost(command) / cost(baseline), the two run one after the other."""
    ratios = []
    for turn in range(rounds):
        # Whoever runs second finds warm caches: they take turns.
        pair = [command, baseline] if turn % 2 == 0 else [baseline, command]
        costs = [cost(one, paste, clock) for one in pair]
        if turn % 2:
            costs.reverse()
        ratios.append(costs[0] / max(costs[1], 1e-6))
    return statistics.median(ratios)


def peak_memory(command, paste):
    """The largest resident size of `command` in bytes."""
    with open(paste, "rb") as source:
        process = subprocess.Popen(command, stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_maxrss * 1024


def report(what, value, bound, unit="times"):
    """Prints one line and tells whether the bound holds."""
    holds = value <= bound
    print(f"{what}: {value:.2f} {unit} (at most {bound:g}) {'ok' if holds else 'TOO MUCH'}", flush=True)
    return holds
