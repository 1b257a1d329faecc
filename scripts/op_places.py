#!/usr/bin/env python3
"""Counts the source files that name an IR operation, and compares them with docs/extending.md.

usage: scripts/op_places.py [OPERATION...]

An operation is named as in the table of src/lang/ir/op.hpp, for example Ballot. Without arguments, one operation of each kind that
the page describes is checked. Fails if more than 9 files name an operation, or if the section "An IR operation" does not list one
of them. Lines that only build an operation, as lowerings do, and the libraries in the kernel language do not count.
"""
import fnmatch
import os
import re
import sys

LIMIT = 9
OPERATIONS = ["Popc", "Brev", "Funnel", "Dot4", "Erfcx", "Ballot", "VoteAny", "MatchAll", "AsyncCommit", "BarrierDrop"]
FOLDERS = ["src", "include"]
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def intrinsic_names():
    with open(os.path.join(ROOT, "src/lang/ir/op.hpp"), encoding="utf-8") as file:
        return dict(re.findall(r'X\((\w+), "(\w+)"', file.read()))


def sources():
    for folder in FOLDERS:
        for where, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in names:
                if name.endswith((".cpp", ".hpp")):
                    path = os.path.join(where, name)
                    with open(path, encoding="utf-8") as file:
                        yield os.path.relpath(path, ROOT), file.read()


def places(operation, intrinsic, texts):
    named = re.compile(rf"\bk{operation}\b|\bX\({operation}\b|\b__quern_{intrinsic}\b")
    built = re.compile(rf"\b(emit|op|binary|unary|with)\(\s*(ir::)?Op::k{operation}\b")
    return sorted(path for path, text in texts if named.search(built.sub("", text)))


def listed_patterns():
    with open(os.path.join(ROOT, "docs/extending.md"), encoding="utf-8") as file:
        section = file.read().split("## An IR operation")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", section, re.M)
    return [pattern for row in rows for pattern in re.findall(r"`([^`]+)`", row)]


def main():
    names = intrinsic_names()
    texts = list(sources())
    patterns = listed_patterns()
    is_wrong = False
    for operation in sys.argv[1:] or OPERATIONS:
        if operation not in names:
            sys.exit(f"op_places failed: src/lang/ir/op.hpp has no operation '{operation}'")
        found = places(operation, names[operation], texts)
        print(f"{operation}: {len(found)} files")
        if len(found) > LIMIT:
            print(f"  more than {LIMIT}: " + ", ".join(found))
            is_wrong = True
        for path in found:
            if not any(fnmatch.fnmatch(path, pattern) for pattern in patterns):
                print(f"  {path} is not listed in docs/extending.md")
                is_wrong = True
    sys.exit(1 if is_wrong else 0)


if __name__ == "__main__":
    main()
