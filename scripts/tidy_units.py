#!/usr/bin/env python3
"""Lists what clang-tidy has to read to check the given sources: the unit that includes a source, or the source itself.

usage: scripts/tidy_units.py BUILD FOLDER FILE...
BUILD was configured with QUERN_UNITY. Relative paths are of FOLDER, the root of the project. Sources that no target
compiles are left out.
"""
import json
import pathlib
import re
import sys

INCLUDED = re.compile(r'^#include "(.*)"$', re.M)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    units = {}
    for entry in json.loads(pathlib.Path(build, "compile_commands.json").read_text()):
        path = entry["file"]
        sources = INCLUDED.findall(pathlib.Path(path).read_text()) if "/Unity/" in path else [path]
        for source in sources:
            units.setdefault(source, path)
    found = {units[str(root / name)] for name in sys.argv[3:] if str(root / name) in units}
    if found:
        print(*sorted(found), sep="\n")


if __name__ == "__main__":
    main()
