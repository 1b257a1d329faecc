#!/usr/bin/env python3
"""Translates third-party CUDA code to every target and validates the result with an independent compiler.

usage: scripts/validate_suites.py QUERN QUERN_VALIDATE FOLDER... [--targets LIST]

Every kernel that passes `ir` is translated to every target, and each text is validated by the validator of the target
(`QUERN_VALIDATE --list`; naga needs QUERN_WEBGPU_LIBRARY). The table lists for each target: the kernels that pass ir; those of
them whose types the target has; of these, how many were emitted; and how many texts the validator
accepts. Below the table are the rejected kernels with reasons. If QUERN_JUDGED names a directory, results are stored there, so that
a second run validates only new texts.
"""
import collections
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

LACKS = {"essl": {"fp64"}, "wgsl": {"fp64"}, "msl": {"fp64"}}  # types, as `needs` names them


def targets_with_validators(program):
    """The names of the targets, as their descriptors list them."""
    run = subprocess.run([program, "--list"], stdout=subprocess.PIPE, text=True, check=True)
    return [line.split()[0] for line in run.stdout.splitlines()]


def check(quern, folder, targets, keep):
    command = [quern, "check", folder, "--json", "--targets", ",".join(["ir"] + targets), "--keep", keep]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode not in (0, 1):
        sys.exit(f"{quern} check {folder} failed with exit code {run.returncode}")
    return [k for k in json.loads(run.stdout)["kernels"] if k["targets"]["ir"]["ok"]]


def stored_answers(target):
    folder = os.environ.get("QUERN_JUDGED")
    path = os.path.join(folder, target + ".json") if folder else None
    if path is None or not os.path.exists(path):
        return path, {}
    with open(path, encoding="utf-8") as file:
        return path, json.load(file)


def validate(program, target, files):
    """Returns the validator's error for each file ("": accepted), or None if the validator is not installed."""
    path, known = stored_answers(target)
    hashes = {}
    for file in files:
        with open(file, "rb") as text:
            hashes[file] = hashlib.sha256(text.read()).hexdigest()
    new = [f for f in sorted(files) if hashes[f] not in known]
    if new:
        run = subprocess.run([program, target], input="\n".join(new), capture_output=True, text=True, check=False)
        if run.returncode == 77:
            return None
        for line in run.stdout.splitlines():
            verdict, _, rest = line.partition(" ")
            file, _, said = rest.partition(": ")
            if file in hashes:
                known[hashes[file]] = "" if verdict == "yes" else said or "refused"
        if path:
            with open(path, "w", encoding="utf-8") as file:
                json.dump(known, file)
    return {f: known.get(hashes[f], "no answer from the validator") for f in files}


def plain(reason):
    """Removes names from a reason, so that equal reasons are counted together."""
    return re.sub(r" \([^()]*:\d+\)", "", re.sub(r"'[^']*'", "'…'", reason))


def has_types(kernel, target):
    return kernel["targets"][target]["ok"] or not LACKS.get(target, set()) & set(kernel["needs"])


def report(kernels, targets, verdicts):
    print(f"{'target':<12} {'pass ir':>8} {'types fit':>10} {'emitted':>8} {'share':>8} {'checked':>8} {'accepted':>8}")
    for target in targets:
        fit = [k for k in kernels if has_types(k, target)]
        written = [k for k in fit if k["targets"][target]["ok"]]
        answers = verdicts[target]
        taken = sum(not answers[k["targets"][target]["code"]] for k in written) if answers is not None else 0
        share = 100 * len(written) / len(fit) if fit else 100
        validated = len(written) if answers is not None else 0
        print(f"{target:<12} {len(kernels):>8} {len(fit):>10} {len(written):>8} {share:>7.1f}% {validated:>8} {taken:>8}")


def reasons(kernels, target, answers):
    refused = collections.Counter()
    for kernel in kernels:
        own = kernel["targets"][target]
        place = f"{kernel['file']}:{kernel['line']} {kernel['kernel']}"
        if not own["ok"] and has_types(kernel, target):
            refused[plain(own["reason"])] += 1
        elif own["ok"] and answers is not None and answers[own["code"]]:
            print(f"  {target}: the validator rejects {place}: {answers[own['code']]}")
    for reason, count in refused.most_common():
        print(f"  {target}, {count}: {reason}")


def main():
    arguments = sys.argv[1:]
    targets = None
    if "--targets" in arguments:
        at = arguments.index("--targets")
        targets = arguments[at + 1].split(",")
        del arguments[at : at + 2]
    if len(arguments) < 3:
        sys.exit(__doc__.strip())
    quern, program, folders = arguments[0], arguments[1], arguments[2:]
    targets = targets or targets_with_validators(program)
    with tempfile.TemporaryDirectory() as keep:
        kernels = [k for folder in folders for k in check(quern, folder, targets, keep)]
        files = {t: {k["targets"][t]["code"] for k in kernels if k["targets"][t]["ok"]} for t in targets}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            verdicts = dict(zip(targets, pool.map(lambda t: validate(program, t, files[t]), targets)))
    report(kernels, targets, verdicts)
    for target in targets:
        if verdicts[target] is None:
            print(f"  {target}: the validator is not installed")
        reasons(kernels, target, verdicts[target])


if __name__ == "__main__":
    main()
