#!/usr/bin/env python3
"""Lists which driver overrides which call of the driver interface.

A call with a default must be overridden by at least two drivers, unless the default is sufficient for some. Otherwise it does not
belong in the interface.

usage: scripts/interface_table.py        (in the root of the repository)
exit code: 0 all calls are used, 1 a call has only one user
"""
import pathlib
import re
import sys

ROOT = pathlib.Path("src/driver")
# The drivers of each folder, as its driver.cmake lists them.
FOLDERS = {}
for file in sorted(ROOT.glob("*/driver.cmake")):
    entries = re.findall(r"^quern_driver_entry\((\w+)(?: NAME (\S+?))?[ )]", file.read_text(), re.MULTILINE)
    if entries:
        FOLDERS[file.parent.name] = [name or folder for folder, name in entries]
# Drivers for which the default is sufficient.
BY_DEFAULT = {"copy_from": list(FOLDERS), "encode_tensor_map": list(FOLDERS)}


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
        own = [d for d in FOLDERS if overrides(d, call)]
        shared = overrides("support", call)  # base classes of level_zero, metal, opencl, opengl, vulkan and webgpu
        users = sorted(set(own) | ({"level_zero", "metal", "opencl", "opengl", "vulkan", "webgpu"} if shared else set()) | set(BY_DEFAULT.get(call, [])))
        names = [name for folder in users for name in FOLDERS[folder]]
        print(f"{call:14} {' '.join(names) or 'decorators only'}")
        if len(users) == 1:  # drivers that share a folder are the same code
            lonely.append(call)
    for call in lonely:
        print(f"interface_table: only one driver uses {call}()", file=sys.stderr)
    return 1 if lonely else 0


sys.exit(main())
