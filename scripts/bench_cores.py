#!/usr/bin/env python3
"""Runs bench_cpu several times on this machine and prints the table of docs/performance.md.

usage: scripts/bench_cores.py [BENCH_CPU [RUNS]]   (default: build/release/bin/bench_cpu, 5 runs)

Medians of the runs, separately for times and ratios, and the range of the ratios to the OpenMP loops. The
machine should be idle; the number of threads is that of the machine, or QUERN_CPU_THREADS and
OMP_NUM_THREADS. Kernels below 0.95 of their loop are listed at the end.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

GOAL = 0.95


def measure(program, folder, number):
    path = os.path.join(folder, f"{number}.json")
    subprocess.run([program, "--json", path], check=True, stdout=subprocess.DEVNULL)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def median_of(ratios):
    return f"{statistics.median(ratios):.1f}" if ratios else ""


def in_order(ms):
    return next((f"{ms[side] / ms['kernel']:.2f}" for side in ms if "order" in side), "")


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/release/bin/bench_cpu"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as folder:
        runs = [measure(program, folder, i) for i in range(count)]
    print(f"{runs[0]['threads']} threads, {count} runs, load average {os.getloadavg()[0]:.1f}\n")
    print("| Kernel | Quern, ms | Loop, ms | Loop / Quern | Range | PoCL / Quern | In the kernel's order / Quern |")
    print("|---|---|---|---|---|---|---|")
    slow = []
    for kernels in zip(*(run["kernels"] for run in runs)):
        sides = {name for k in kernels for name in k["seconds"]}
        ms = {s: statistics.median(k["seconds"][s] for k in kernels if s in k["seconds"]) * 1e3 for s in sides}
        ratios = [k["ratio"]["loop"] for k in kernels]
        pocl = [k["ratio"]["pocl"] for k in kernels if "pocl" in k["ratio"]]
        middle = statistics.median(ratios)
        print(f"| {kernels[0]['name']} | {ms['kernel']:.3f} | {ms['loop']:.3f} | {middle:.2f} "
              f"| {min(ratios):.2f} to {max(ratios):.2f} "
              f"| {median_of(pocl)} "
              f"| {in_order(ms)} |")
        if middle < GOAL:
            slow.append(f"{kernels[0]['name']} {middle:.2f}")
    print(f"\nbelow {GOAL} of the loop: {', '.join(slow) if slow else 'none'}")


if __name__ == "__main__":
    main()
