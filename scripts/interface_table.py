#!/usr/bin/env python3
"""Which driver overrides which call of the driver interface. A call that drivers may leave to its default must be
overridden by two at least, unless the default does the work for some, or it is no part of an interface. Exit code 1:
one is not.
usage: scripts/interface_table.py        (in the repository's root)"""
import pathlib
import re
import sys

DRIVERS = ["cpu", "cuda", "native", "opencl", "opengl", "sim", "vulkan"]
# Drivers that share a folder.
ALSO = {"cuda": ["hip"], "opengl": ["gles"], "sim": ["std.gpu"]}
# Drivers that the default does the work for.
BY_DEFAULT = {"copy_from": DRIVERS}
ROOT = pathlib.Path("src/driver")


def calls():
    name, found = None, []
    for line in (ROOT / "interface/driver.hpp").read_text().splitlines():
        if match := re.match(r"class (\w+)", line):
            name = match[1]
        match = re.match(r"\s+virtual [^~]*?\b(\w+)\(", line)
        if match and name == "Device" and match[1] not in found:
            found.append(match[1])
    return found


def overrides(folder, call):
    pattern = re.compile(r"\b" + call + r"\([^;{]*\)\s*(const\s*)?(override|final)")
    return any(pattern.search(path.read_text()) for path in (ROOT / folder).rglob("*.?pp"))


def main():
    lonely = []
    for call in calls():
        own = [d for d in DRIVERS if overrides(d, call)]
        shared = overrides("support", call)  # what opencl, opengl and vulkan derive from
        users = sorted(set(own) | ({"opencl", "opengl", "vulkan"} if shared else set()) | set(BY_DEFAULT.get(call, [])))
        names = [n for d in users for n in [d, *ALSO.get(d, [])]]
        print(f"{call:14} {' '.join(names) or 'decorators only'}")
        if len(users) == 1:  # those that share a folder are the same code
            lonely.append(call)
    for call in lonely:
        print(f"interface_table: only one driver has {call}()", file=sys.stderr)
    return 1 if lonely else 0


sys.exit(main())
