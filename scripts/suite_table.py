#!/usr/bin/env python3
"""Counts the kernels of third-party CUDA code that the front end accepts, and those that compile for the device cpu.

usage: scripts/suite_table.py QUERN FOLDER... [--no-cpu]

Runs `QUERN check --json` on each folder and prints one row per folder. `pass`: accepted by the front end. `cpu`: of these, compiled to
machine code for the device cpu (--no-cpu omits this; it takes minutes). Rejected kernels are excluded from the count if they use
textures and surfaces, inline PTX, tensor cores, or the libraries cub, thrust, curand, cufft, cublas.
"""
import collections
import json
import os
import re
import subprocess
import sys

EXCLUDED = [
    ("textures", r"\btex(1|2|3)D|\btex(1|2|3)Dfetch|\btexture\s*<|TextureObject|SurfaceObject|\bsurf(1|2|3)D|CUtexObject|CUsurfObject"),
    ("inline PTX", r"\basm\s*(volatile)?\s*\(|__asm__"),
    ("tensor cores", r"nvcuda|wmma::"),
    ("libraries", r"\bcub::|\bthrust::|\bcurand|\bcufft|\bcublas"),
]
PATTERNS = [(name, re.compile(pattern)) for name, pattern in EXCLUDED]
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
KERNEL = re.compile(r"\b__global__\b")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return COMMENT.sub(" ", file.read())


def body_of(text, line):
    """Returns the text of the kernel that starts near a line, up to its closing brace."""
    start = sum(len(l) + 1 for l in text.split("\n")[: max(0, line - 4)])
    depth, seen = 0, False
    for i in range(start, len(text)):
        if text[i] == "{":
            depth, seen = depth + 1, True
        elif text[i] == "}":
            depth -= 1
            if seen and depth <= 0:
                return text[start : i + 1]
    return text[start:]


def why_excluded(kernel, reason):
    try:
        with open(kernel["file"], encoding="utf-8", errors="replace") as file:
            body = body_of(file.read(), kernel["line"])
    except OSError:
        body = ""
    for name, pattern in PATTERNS:
        if pattern.search(COMMENT.sub(" ", body)) or pattern.search(reason):
            return name
    # A construct in a device function that the kernel calls appears only in the reason.
    if re.search(r"textures and surfaces", reason):
        return "textures"
    if re.search(r"inline PTX", reason):
        return "inline PTX"
    if re.search(r"tensor-core", reason):
        return "tensor cores"
    if re.search(r"the library (cub|thrust|curand|cufft|cublas)", reason):
        return "libraries"
    return None


def check(quern, folder, targets):
    command = [quern, "check", "--json", "--targets", targets, folder]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)  # progress goes to the terminal
    if run.returncode not in (0, 1):
        sys.exit(f"{quern} check {folder} failed with exit code {run.returncode}")
    return json.loads(run.stdout)["kernels"]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    quern, folders = sys.argv[1], [a for a in sys.argv[2:] if a != "--no-cpu"]
    with_cpu = "--no-cpu" not in sys.argv
    head = f"{'suite':<32} {'kernels':>8} {'excluded':>10} {'counted':>8} {'pass':>6} {'share':>8}"
    print(head + (f" {'cpu':>6} {'share':>8}" if with_cpu else ""))
    totals = collections.Counter()
    failures = []
    for folder in folders:
        counts = collections.Counter()
        for kernel in check(quern, folder, "ir,cpu" if with_cpu else "ir"):
            target = kernel["targets"]["ir"]
            counts["kernels"] += 1
            if target["ok"]:
                counts["counted"] += 1
                counts["pass"] += 1
                on_cpu = kernel["targets"].get("cpu", {"ok": False, "reason": ""})
                counts["cpu"] += on_cpu["ok"]
                if with_cpu and not on_cpu["ok"]:
                    failures.append((kernel["file"], kernel["line"], kernel["kernel"], "cpu: " + on_cpu["reason"]))
                continue
            if why_excluded(kernel, target["reason"]):
                counts["excluded"] += 1
                continue
            counts["counted"] += 1
            failures.append((kernel["file"], kernel["line"], kernel["kernel"], target["reason"]))
        print_row(os.path.basename(folder.rstrip("/")) or folder, counts, with_cpu)
        totals.update(counts)
    if len(folders) > 1:
        print_row("all", totals, with_cpu)
    for file, line, name, reason in failures:
        print(f"  {file}:{line} {name}: {reason}")


def share(part, whole):
    return f"{part:>6} {100 * part / whole if whole else 100:>7.1f}%"


def print_row(name, c, with_cpu):
    row = f"{name[:32]:<32} {c['kernels']:>8} {c['excluded']:>10} {c['counted']:>8} {share(c['pass'], c['counted'])}"
    print(row + (" " + share(c["cpu"], c["pass"]) if with_cpu else ""), flush=True)


if __name__ == "__main__":
    main()
