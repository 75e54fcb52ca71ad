"""The checks of check.sh: compares whyfail with nvidia-smi, the CUDA driver and torch on this machine's GPUs."""
import ctypes, json, os, subprocess, sys, time

MIB = 1 << 20
SLACK = 64 * MIB  # what may change hands between two measurements
HOLDS = "import ctypes, time; " \
        "cuda = ctypes.CDLL('libcuda.so.1'); device = ctypes.c_int(); context = ctypes.c_void_p(); " \
        "memory = ctypes.c_uint64(); " \
        "codes = [cuda.cuInit(0), cuda.cuDeviceGet(ctypes.byref(device), 0), " \
        "cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device), " \
        "cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t({bytes}))]; " \
        "print(codes, flush=True); time.sleep(60)"
# A child lists the driver's devices in its own order and asks cudaMemGetInfo's question (cuMemGetInfo) of each.
ASKS = """
import ctypes, json
cuda = ctypes.CDLL("libcuda.so.1")
assert cuda.cuInit(0) == 0
count = ctypes.c_int()
assert cuda.cuDeviceGetCount(ctypes.byref(count)) == 0
rows = []
for index in range(count.value):
    device, context = ctypes.c_int(), ctypes.c_void_p()
    assert cuda.cuDeviceGet(ctypes.byref(device), index) == 0
    uuid = (ctypes.c_ubyte * 16)()
    ask = getattr(cuda, "cuDeviceGetUuid_v2", cuda.cuDeviceGetUuid)
    assert ask(uuid, device) == 0
    text = bytes(uuid).hex()
    row = {"uuid": "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))}
    if cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device) == 0:
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        assert cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)) == 0
        row.update(free=free.value, total=total.value)
        cuda.cuCtxDestroy_v2(context)
    rows.append(row)
print(json.dumps(rows))
"""
OUT_OF_MEMORY = """
import torch
free, total = torch.cuda.mem_get_info(0)
kept = torch.empty(free // 2, dtype=torch.uint8, device="cuda:0")
torch.empty(free, dtype=torch.uint8, device="cuda:0")
"""

checked, failed, missing = 0, 0, []


def check(what, holds, detail):
    global checked, failed
    checked += 1
    failed += not holds
    print(f"{'ok    ' if holds else 'DIFFERS'} {what}: {detail}")


def probe(whyfail, **environment):
    answer = subprocess.run([whyfail, "probe", "--json"], capture_output=True, text=True, timeout=60,
                            env={**os.environ, **environment})
    return json.loads(answer.stdout)


def near(one, other, slack):
    return one is not None and other is not None and abs(one - other) <= slack


def against_nvidia_smi(whyfail):
    columns = "index,name,uuid,memory.total,memory.free,mig.mode.current"
    smi = subprocess.run(["nvidia-smi", f"--query-gpu={columns}", "--format=csv,noheader,nounits"],
                         capture_output=True, text=True, timeout=60).stdout
    rows = [[value.strip() for value in line.split(",")] for line in smi.splitlines() if line.count(",") == 5]
    machine = probe(whyfail)
    print("probe:", json.dumps(machine.get("gpus")), machine.get("unknown", {}).get("gpus", ""))
    for index, name, uuid, total, free, mig in rows:
        gpu = next((gpu for gpu in machine["gpus"] if gpu.get("nvidia_index") == int(index)), None)
        if gpu is None:
            check(f"nvidia-smi {index}", False, "probe does not list it")
        elif mig == "Enabled" or not total.isdigit():
            missing.append(f"nvidia-smi {index}: MIG or unified memory, which nvidia-smi gives no plain figure for")
        else:
            check(f"nvidia-smi {index} name", gpu["name"] == name, f"{gpu['name']} / {name}")
            check(f"nvidia-smi {index} uuid", gpu["uuid"] == uuid, gpu["uuid"])
            check(f"nvidia-smi {index} total", near(gpu.get("total_bytes"), int(total) * MIB, MIB),
                  f"{gpu.get('total_bytes')} / {int(total) * MIB}")
            check(f"nvidia-smi {index} free", near(gpu.get("free_bytes"), int(free) * MIB, SLACK),
                  f"{gpu.get('free_bytes')} / {int(free) * MIB}")
    return machine


def driver_rows(**environment):
    answer = subprocess.run([sys.executable, "-c", ASKS], capture_output=True, text=True, timeout=120,
                            env={**os.environ, **environment})
    if answer.returncode != 0:
        missing.append("the CUDA driver's own figures: " + (answer.stderr.strip().splitlines() or ["no answer"])[-1])
        return None
    return json.loads(answer.stdout)


def against_the_driver(whyfail, machine):
    rows = driver_rows()
    for key, row in enumerate(rows or []):
        gpu = next((gpu for gpu in machine["gpus"] if gpu["key"] == key), None)
        same = gpu is not None and (gpu.get("mig") or gpu["uuid"] == "GPU-" + row["uuid"])
        check(f"key {key}", same, f"{gpu and gpu['uuid']} / GPU-{row['uuid']}")
        if not same or "free" not in row:
            continue
        context = gpu["free_bytes"] - row["free"]
        check(f"key {key} total", near(gpu["total_bytes"], row["total"], gpu["total_bytes"] // 20),
              f"NVML {gpu['total_bytes']} / CUDA {row['total']}")
        check(f"key {key} free", -SLACK <= context <= 1024 * MIB,
              f"{gpu['free_bytes']} / {row['free']} with a context, which takes {context // MIB} MiB (allowance 400)")
    if rows is None:
        return
    for text in ("0", "", "-1", ",".join(str(key) for key in reversed(range(len(rows))))):
        hidden = driver_rows(CUDA_VISIBLE_DEVICES=text) if text not in ("", "-1") else []
        if hidden is None:
            continue
        listed = [gpu["uuid"] for gpu in probe(whyfail, CUDA_VISIBLE_DEVICES=text)["gpus"]
                  if gpu["vendor"] == "nvidia" and gpu["key"] is not None]
        check(f"CUDA_VISIBLE_DEVICES={text!r}", listed == ["GPU-" + row["uuid"] for row in hidden] or "MIG-" in str(listed),
              str(listed))


def holders(whyfail):
    before = probe(whyfail)["gpus"]
    process = subprocess.Popen([sys.executable, "-c", HOLDS.format(bytes=512 * MIB)], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    try:
        codes = process.stdout.readline().strip()
        if codes != "[0, 0, 0, 0]":
            missing.append(f"a process that holds memory: the driver answers {codes}")
            return
        time.sleep(1)
        after = probe(whyfail)["gpus"]
        card = next((gpu for gpu in after if gpu["key"] == 0), {})
        old = next((gpu for gpu in before if gpu["key"] == 0), {})
        if old.get("free_bytes") is not None and card.get("free_bytes") is not None:
            taken = old["free_bytes"] - card["free_bytes"]
            check("512 MiB are taken", 512 * MIB - SLACK <= taken <= 2048 * MIB, f"{taken // MIB} MiB with the context")
        pids = [holder["pid"] for holder in card.get("holders", [])]
        if process.pid in pids:
            check("the holder is listed", True, f"pid {process.pid}")
        else:  # in a container NVML tells the host's pids, or none
            check("a holder is listed", bool(pids) or "container" in json.dumps(probe(whyfail).get("os")), str(pids))
    finally:
        process.kill()
        process.wait()


def out_of_memory(whyfail, machine):
    run = subprocess.run([sys.executable, "-c", OUT_OF_MEMORY], capture_output=True, text=True, timeout=120)
    if "out of memory" not in run.stderr:
        missing.append("a real out-of-memory text: " + (run.stderr.strip().splitlines() or ["torch raised nothing"])[-1])
        return
    print(run.stderr.strip().splitlines()[-1])
    answer = subprocess.run([whyfail, "--json"], input=run.stderr, capture_output=True, text=True, timeout=60)
    report = json.loads(answer.stdout)
    check("out of memory is named", (report["failures"] or [{}])[0].get("id") == "cuda-out-of-memory",
          str([failure.get("id") for failure in report["failures"]]))
    gpu = next((gpu for gpu in report["machine"].get("gpus", []) if gpu.get("key") == 0), {})
    card = next((gpu for gpu in machine["gpus"] if gpu["key"] == 0), {})
    check("the report's card is this one", near(gpu.get("total_bytes"), card.get("total_bytes"), card.get("total_bytes", 0) // 20),
          f"{gpu.get('total_bytes')} / {card.get('total_bytes')}")


def main():
    whyfail = os.path.abspath(sys.argv[1])
    machine = against_nvidia_smi(whyfail)
    against_the_driver(whyfail, machine)
    holders(whyfail)
    out_of_memory(whyfail, machine)
    for what in missing:
        print("not checked:", what)
    print(f"{checked - failed} of {checked} checks agree, {len(missing)} could not be made")
    if failed:
        return 1
    return 0 if checked else 77


if __name__ == "__main__":
    sys.exit(main())
