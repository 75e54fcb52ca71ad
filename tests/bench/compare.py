#!/usr/bin/env python3
"""Measures whyfail's placement against the libraries' own, on the same models, budgets and machine.

usage: compare.py PLACE_REPEATED [--whyfail BINARY] [--rounds N]

PLACE_REPEATED is the program of place_repeated.cc. One run is what happens between a module tree without sizes and its
device map: sizes, ties, balanced budgets, the walk; whyfail's side also follows loading under the map. The libraries
run on a model on the meta device; the GPUs are described, not real. Both sides count CPU time of their thread, turn by
turn; a figure is the median over the rounds.
The maps must be equal, else the comparison means nothing and fails. With --whyfail also `plan MODEL` is measured as a
whole process against `grep -c x` on the same file. Skips (status 0, one line) without torch, transformers and accelerate.
Exit status 1: an answer differs, or a ratio misses what is promised below.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "..", "data")
PROMISED = {"accelerate": 300, "transformers": 75, "plan": 8}


def llama(vocabulary, hidden, inner, layers, heads, key_value_heads, **more):
    return dict(vocab_size=vocabulary, hidden_size=hidden, intermediate_size=inner, num_hidden_layers=layers,
                num_attention_heads=heads, num_key_value_heads=key_value_heads, tie_word_embeddings=False, **more)


MODELS = {
    "llama-3.1-8b": dict(model_type="llama", **llama(128256, 4096, 14336, 32, 32, 8)),
    "llama-3.1-405b": dict(model_type="llama", **llama(128256, 16384, 53248, 126, 128, 8)),
    "mixtral-8x22b": dict(model_type="mixtral", **llama(32768, 6144, 16384, 56, 48, 8)),
    "deepseek-v3": dict(model_type="deepseek_v3", **llama(
        129280, 7168, 18432, 61, 128, 128, moe_intermediate_size=2048, n_routed_experts=256, n_shared_experts=1,
        num_experts_per_tok=8, first_k_dense_replace=3, n_group=8, topk_group=4, kv_lora_rank=512, q_lora_rank=1536,
        qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128)),
}


def budgets_of(total):
    """What a person has: the model fits one card, half of it, four cards, or eight that are too small."""
    return {
        "1 GPU": {0: int(total * 1.2), "cpu": 2 * total},
        "1 GPU and RAM": {0: total // 2, "cpu": 2 * total},
        "4 GPUs": {**{i: int(total * .32) for i in range(4)}, "cpu": 2 * total},
        "8 GPUs, RAM, disk": {**{i: total // 12 for i in range(8)}, "cpu": total // 5},
    }


def describe_gpus(torch, modeling, count, memory):
    """Makes torch answer as on a machine with `count` cards; the allocators themselves stay as they are."""
    torch.cuda.is_available = lambda: True
    torch.cuda.device_count = lambda: count
    torch.cuda.mem_get_info = lambda device=0: (memory, memory)
    torch.cuda.memory_reserved = torch.cuda.memory_allocated = lambda device=0: 0
    torch.accelerator.is_available = lambda *a, **k: True
    torch.accelerator.device_count = lambda: count
    torch.accelerator.current_accelerator = lambda *a, **k: torch.device("cuda")

    class Described:
        """torch for accelerate, with numbered devices that exist."""
        def __getattr__(self, name):
            return getattr(torch, name)

        class Device:
            def __new__(cls, name):
                return torch.device("cuda", name) if isinstance(name, int) else torch.device(name)
        device = Device

    modeling.torch = Described()


def meta_model(torch, transformers, config):
    kind = transformers.models.auto.configuration_auto.CONFIG_MAPPING[config["model_type"]]
    torch.set_default_dtype(torch.bfloat16)
    try:
        with torch.device("meta"):
            model = transformers.AutoModelForCausalLM.from_config(kind.from_dict(dict(config)))
    finally:
        torch.set_default_dtype(torch.float32)
    model.tie_weights()
    return model


def seconds_of(function):
    before = time.thread_time()
    result = function()
    return time.thread_time() - before, result


def plain(device_map):
    return {name: device if isinstance(device, (int, str)) else
            device.index if device.type == "cuda" else device.type for name, device in device_map.items()}


def compare_placement(program, rounds):
    import accelerate
    import accelerate.utils.modeling as modeling
    import torch
    import transformers
    import transformers.integrations.accelerate as own
    versions = (transformers.__version__, accelerate.__version__)
    print("transformers %s, accelerate %s, torch %s; median of %d" % (*versions, torch.__version__, rounds))
    failed = False
    for name, config in MODELS.items():
        model = meta_model(torch, transformers, config)
        total = sum(tensor.numel() * tensor.element_size() for tensor in model.parameters())
        describe_gpus(torch, modeling, 8, 2 * total)
        no_split = sorted(model._no_split_modules)
        file = tempfile.NamedTemporaryFile("w", suffix=".json")
        json.dump(config, file)
        file.flush()
        for label, budgets in budgets_of(total).items():
            def by_accelerate():
                balanced = modeling.get_balanced_memory(model, max_memory=dict(budgets), dtype=torch.bfloat16,
                                                        no_split_module_classes=no_split)
                return modeling.infer_auto_device_map(model, max_memory=balanced, dtype=torch.bfloat16,
                                                      no_split_module_classes=no_split)

            def by_whyfail(release):
                answer = subprocess.run(
                    [program, DATA, file.name, versions[0], release, versions[1], "51"] +
                    ["%s=%d" % pair for pair in budgets.items()], capture_output=True, text=True)
                if answer.returncode:
                    raise SystemExit("%s, %s: %s" % (name, label, answer.stderr.strip()))
                answer = json.loads(answer.stdout)
                return answer["seconds"], answer["device_map"]

            for library, release, run in (
                    ("accelerate", "4.57.6", by_accelerate),
                    ("transformers", versions[0],
                     lambda: own._get_device_map(model, "auto", dict(budgets), None))):
                pairs = []
                for _ in range(rounds):
                    theirs, their_map = seconds_of(run)
                    ours, our_map = by_whyfail(release)
                    pairs.append((theirs, ours))
                    if plain(their_map) != our_map:
                        failed = True
                        print("DIFFERENT MAPS: %s, %s, %s" % (name, label, library))
                        break
                ratio = statistics.median(theirs / ours for theirs, ours in pairs)
                enough = ratio >= PROMISED[library]
                failed |= not enough
                print("%-15s %-18s %-12s %9.3f ms  whyfail %7.4f ms  %6.0f times as fast%s" % (
                    name, label, library, 1e3 * statistics.median(p[0] for p in pairs),
                    1e3 * statistics.median(p[1] for p in pairs), ratio, "" if enough else "  (too slow)"))
    return failed


def wall_seconds(command, given):
    with open(given) as source:
        before = time.perf_counter()
        subprocess.run(command, stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.perf_counter() - before


def compare_plan(binary, rounds):
    """`plan` on a catalogue model against `grep -c`, both as whole processes, wall time, turn by turn."""
    machine = tempfile.NamedTemporaryFile("w", suffix=".json")
    json.dump({"schema": "whyfail.machine/1", "gpus": [{"name": "NVIDIA L4", "total_bytes": 24 << 30,
                                                        "free_bytes": 23 << 30}],
               "memory": {"total_bytes": 64 << 30, "available_bytes": 60 << 30}}, machine)
    machine.flush()
    plan = [binary, "plan", "meta-llama/Llama-3.1-8B", "--machine", machine.name, "--transformers", "5.5.0"]
    pairs = [(wall_seconds(["grep", "-c", "x"], machine.name), wall_seconds(plan, machine.name))
             for _ in range(10 * rounds)]
    ratio = statistics.median(ours for _, ours in pairs) / statistics.median(theirs for theirs, _ in pairs)
    print("plan on a catalogue model: %.2f ms, grep -c %.2f ms, %.1f times as long (at most %d)" % (
        1e3 * statistics.median(p[1] for p in pairs), 1e3 * statistics.median(p[0] for p in pairs), ratio,
        PROMISED["plan"]))
    return ratio > PROMISED["plan"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="the built place_repeated")
    parser.add_argument("--whyfail", help="the built whyfail: also measure `plan`")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    failed = bool(options.whyfail) and compare_plan(options.whyfail, options.rounds)
    try:
        import accelerate  # noqa: F401
        import torch  # noqa: F401
        import transformers
    except ImportError as missing:
        print("skipped: %s (torch, transformers 5 and accelerate are needed)" % missing)
        return int(failed)
    if int(transformers.__version__.split(".")[0]) < 5:
        print("skipped: transformers %s has no allocator of its own" % transformers.__version__)
        return int(failed)
    return int(compare_placement(options.program, options.rounds) or failed)


if __name__ == "__main__":
    sys.exit(main())
