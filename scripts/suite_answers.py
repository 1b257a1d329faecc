#!/usr/bin/env python3
"""Checks the results of kernels of public CUDA suites on our own inputs.

usage: scripts/suite_answers.py QUERN NAME=FOLDER... [--only TEXT]

NAME is polybench, llm.c, cuda-samples or rodinia, FOLDER the directory of that suite. Each kernel that suite_answers.txt lists for
them runs on the device cpu and on the simulator (`QUERN run --on cpu --against sim`), which must agree. If the row has a formula, the
result is also compared with numpy. An argument is name:number, or name:TYPE[SHAPE] for a buffer of random numbers (=0: of zeros).
"""
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

TYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "u32": np.uint32}
# PolyBench takes its sizes from macros; 40 is not a multiple of a vector or a block.
POLYBENCH = [f"-D{name}=40" for name in "N M NI NJ NK NL NM NX NY NQ NR NP TSTEPS".split()] + ["-DTMAX=500"]


def rows(wanted, only):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "suite_answers.txt")
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = [c.strip() for c in line.split("|")]
            if len(cells) == 7 and cells[0] in wanted and only in line:
                yield cells


def make_arguments(text, folder):
    """Returns the arguments of the command, and their values by name."""
    random = np.random.default_rng(7)
    command, values = [], {}
    for word in text.split():
        name, value = word.split(":", 1)
        buffer = re.fullmatch(r"(\w+)\[([\d,]+)\](=0)?", value)
        if not buffer:
            values[name] = float(value)
            command.append(value)
            continue
        kind, shape = TYPES[buffer[1]], tuple(int(n) for n in buffer[2].split(","))
        numbers = random.integers(0, 100, shape) if np.issubdtype(kind, np.integer) else 0.5 + random.random(shape)
        values[name] = (np.zeros(shape) if buffer[3] else numbers).astype(kind)
        path = os.path.join(folder, name + ".npy")
        np.save(path, values[name])
        command.append("@" + path)
    return command, values


def run(quern, root, cells, folder):
    """Runs one kernel. Returns an error text, or "" if the results are correct."""
    suite, kernel, grid, block, options, arguments, formula = cells
    command, values = make_arguments(arguments, folder)
    output, expression = [part.strip() for part in formula.split("=", 1)] if formula else ("", "")
    saved = os.path.join(folder, "answer.npy")
    words = [quern, "run", os.path.join(root, kernel), *command, "--on", "cpu", "--against", "sim", "--tolerance", "1e-5"]
    words += ["--grid", grid, "--block", block, *options.split()] + (POLYBENCH if suite == "polybench" else [])
    words += [f"-I{root}/{sub}" for sub in ("CUDA/utilities", "common", "Common", "dev/cuda", "llmc")]
    if output:
        words += ["--save", f"{output}={saved}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stdout + done.stderr).strip().split("\n")
        return next((l for l in said if "differ" in l or "quern:" in l or "error" in l), said[-1])
    if output:
        right = np.asarray(eval(expression, {"np": np}, {k: np.asarray(v, dtype=np.float64) for k, v in values.items()}))
        answer = np.load(saved).astype(np.float64).reshape(right.shape)
        worst = np.max(np.abs(answer - right) / np.maximum(1, np.abs(right)))
        if not worst < 1e-4:
            return f"{output} differs from the formula by {worst:.2g}"
    return ""


def main():
    words = sys.argv[1:]
    only = words.pop(words.index("--only") + 1) if "--only" in words else ""
    words = [w for w in words if w != "--only"]
    if len(words) < 2:
        sys.exit(__doc__.strip())
    quern, roots = words[0], dict(w.split("=", 1) for w in words[1:])
    right = formulas = total = 0
    print(f"{'suite':<14} {'kernel':<44} {'cpu = sim':<10} formula")
    for cells in rows(roots, only):
        with tempfile.TemporaryDirectory() as folder:
            wrong = run(quern, roots[cells[0]], cells, folder)
        total += 1
        right += not wrong
        formulas += bool(cells[6]) and not wrong
        verdict = ("yes", "yes" if cells[6] else "-") if not wrong else ("NO", wrong)
        print(f"{cells[0]:<14} {cells[1].split('/')[-1]:<44} {verdict[0]:<10} {verdict[1]}", flush=True)
    print(f"{right} of {total} kernels are correct on cpu and sim, {formulas} of them also compared with a formula")
    sys.exit(0 if right == total and total else 1)


if __name__ == "__main__":
    main()
