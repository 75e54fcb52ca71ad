#!/usr/bin/env python3
"""probe of the built program on this machine, against what other interfaces say: program_test.py WHYFAIL FAKE_DRIVERS.

FAKE_DRIVERS is the folder with the stand-ins for NVIDIA's libraries that the tests build. A step that this machine does
not allow says why.
"""
import glob, json, os, re, shutil, subprocess, sys, tempfile, time

whyfail, fakes = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
GIB = 1 << 30
failed = 0


def check(what, holds, detail=""):
    global failed
    failed += not holds
    print(("ok      " if holds else "FAILED  ") + what + (f": {detail}" if detail else ""), flush=True)


def skip(what, why):
    print(f"skipped {what}: {why}", flush=True)


def probe(folder=None, environment=None, prefix=()):
    run = subprocess.run([*prefix, whyfail, "probe", "--json"], capture_output=True, text=True, timeout=120, cwd=folder,
                         env=environment)
    if run.returncode != 0:
        raise SystemExit(f"probe ended with {run.returncode}: {run.stderr}")
    return json.loads(run.stdout)


def near(one, other, share=0.1):
    return one is not None and abs(one - other) <= share * max(one, other, 1)


def memory_and_disk():
    fields = {}
    for line in open("/proc/meminfo"):
        name, value = line.split(":")
        fields[name] = int(value.split()[0]) * 1024
    machine = probe()
    memory = machine["memory"]
    check("total is MemTotal", memory["total_bytes"] == fields["MemTotal"])
    check("available is near MemAvailable", near(memory["available_bytes"], fields["MemAvailable"]))
    check("its origin is named", "/proc/meminfo" in memory["origin"], memory["origin"])
    with tempfile.TemporaryDirectory() as folder:
        disk = next(disk for disk in probe(folder)["disks"] if disk["purpose"] == "offload")
        rows = subprocess.run(["df", "-B1", "-T", folder], capture_output=True, text=True).stdout.splitlines()
        words = rows[-1].split()
        check("free disk is df's", near(disk["free_bytes"], int(words[4])), f"{disk['free_bytes']} / {words[4]}")
        check("the file system is df's", disk["filesystem"] == words[1], f"{disk['filesystem']} / {words[1]}")
    return machine


def processors_are_no_matter():
    # lscpu's architecture must be that of the machine that the figures are for.
    if shutil.which("lscpu") is None:
        return skip("lscpu", "not installed")
    shown = subprocess.run(["lscpu"], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout
    check("lscpu and the kernel agree", os.uname().machine in shown, os.uname().machine)


def packages(machine):
    folders = re.search(r": (/\S+)", machine.get("packages_origin", ""))
    if folders is None:
        return skip("packages", machine.get("unknown", {}).get("packages", "none found"))
    listed = {}
    for metadata in glob.glob(folders.group(1) + "/*.dist-info/METADATA"):
        text = open(metadata, errors="replace").read().split("\n\n")[0]
        name, version = re.search(r"^Name: (.+)$", text, re.M), re.search(r"^Version: (.+)$", text, re.M)
        if name and version:
            listed[re.sub(r"[-_.]+", "-", name.group(1).strip()).lower()] = version.group(1).strip()
    wrong = {name: version for name, version in listed.items() if machine["packages"].get(name) != version}
    check("packages are those of dist-info", not wrong, wrong or f"{len(listed)} packages")


def memory_backed_folder():
    folder = "/dev/shm"
    if not os.access(folder, os.W_OK) or subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True,
                                                        text=True).stdout.strip() != "tmpfs":
        return skip("tmpfs", "/dev/shm is none here")
    disk = next(disk for disk in probe(folder)["disks"] if disk["purpose"] == "offload")
    check("a tmpfs offload folder lies in memory", disk["memory_backed"] and disk["filesystem"] == "tmpfs", disk["origin"])


def empty_environment():
    machine = probe(environment={})
    check("an empty environment is no trouble", machine["memory"]["total_bytes"] > 0 and not machine.get("environment"))


def unreadable_proc():
    # A sanitized build takes its options from /proc/self/environ, and its leak checker reads the real /proc: it is told
    # to stay out.
    hide = ("mount -t tmpfs none /proc && mkdir /proc/self && printf 'ASAN_OPTIONS=detect_leaks=0\\0' >/proc/self/environ && "
            "exec \"$0\" \"$@\"")
    works = subprocess.run(["unshare", "-m", "sh", "-c", hide, "true"], capture_output=True, text=True)
    if works.returncode != 0:
        return skip("unreadable /proc", "no mount namespace can be made: " + works.stderr.strip())
    machine = probe(prefix=["unshare", "-m", "sh", "-c", hide])
    reason = machine.get("unknown", {}).get("memory", "")
    check("without /proc memory is not known, with the reason", "meminfo" in reason, reason)
    check("and no figure is made up", "total_bytes" not in machine.get("memory", {}))
    check("everything else is answered", bool(machine.get("disks")) and bool(machine.get("os")))


def control_group():
    for root in glob.glob("/sys/fs/cgroup*") + glob.glob("/sys/fs/cgroup/memory"):
        folder = os.path.join(root, f"whyfail-test-{os.getpid()}")
        try:
            os.mkdir(folder)
        except OSError as error:
            reason = f"{folder}: {error.strerror}"
            continue
        limit = next((f"{folder}/{name}" for name in ("memory.max", "memory.limit_in_bytes")
                      if os.path.exists(f"{folder}/{name}")), None)
        try:
            if limit is None:
                reason = f"{root} has no memory controller"
                continue
            try:
                open(limit, "w").write(str(GIB // 4))
                enter = f'echo $$ > {folder}/cgroup.procs && exec "$0" "$@"'
                memory = probe(prefix=["sh", "-c", enter])["memory"]
            except OSError as error:
                reason = f"{limit}: {error.strerror}"
                continue
            check("a limited control group limits", memory.get("limit_bytes") == GIB // 4, memory.get("limit_origin"))
            check("and what can be used is less", memory["usable_bytes"] <= GIB // 4, memory["usable_bytes"])
            return None
        finally:
            for _ in range(20):
                try:
                    os.rmdir(folder)
                    break
                except OSError:
                    time.sleep(0.1)
    return skip("control group", reason)


def card(number):
    return {"name": "NVIDIA H100 80GB HBM3", "uuid": f"GPU-{number:08x}", "pci_bus_id": f"00000000:{number + 1:02X}:00.0",
            "total": 85520809984, "free": 80000000000 + number, "used": 1, "reserved": 1, "compute_capability": [9, 0],
            "driver_model": None, "mig": None, "processes": [{"pid": 7, "name": "python", "used": 5}], "memory_error": None}


def fake_machine(nvml, **environment):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"nvml": nvml, "cuda": {"status": "missing", "devices": []}}, file)
        file.flush()
        start = time.monotonic()
        machine = probe(environment={**os.environ, "LD_LIBRARY_PATH": fakes, "WHYFAIL_FAKE_NVIDIA": file.name,
                                     **environment})
        return machine, time.monotonic() - start


def drivers():
    eight = {"status": "ok", "driver_version": "550.54.14", "devices": [card(number) for number in range(8)]}
    machine, _ = fake_machine(eight)
    check("eight cards of a driver that dlopen finds", len(machine.get("gpus", [])) == 8)
    check("free figures and origin", [gpu["free_bytes"] for gpu in machine["gpus"]] ==
          [80000000000 + number for number in range(8)] and "NVML" in machine["gpus"][0]["origin"],
          machine["gpus"][0]["origin"])
    machine, _ = fake_machine(eight, CUDA_VISIBLE_DEVICES="6,1")
    check("keys under CUDA_VISIBLE_DEVICES", [(gpu["key"], gpu["nvidia_index"]) for gpu in machine["gpus"]] ==
          [(0, 6), (1, 1)])
    for status, words in (("hangs", "did not answer"), ("crashes", "crashed"), ("error:DRIVER_NOT_LOADED", "DRIVER_NOT_LOADED")):
        machine, seconds = fake_machine({"status": status, "devices": []})
        reason = machine.get("unknown", {}).get("gpus", "")
        check(f"a driver that {status} costs one line", words in reason and "\n" not in reason, reason)
        check("and a bounded wait", seconds < 15, f"{seconds:.1f} s")
        check("and nothing else", machine["memory"]["total_bytes"] > 0 and len(machine["disks"]) == 2)


packages(memory_and_disk())
processors_are_no_matter()
memory_backed_folder()
empty_environment()
unreadable_proc()
control_group()
drivers()
sys.exit(1 if failed else 0)
