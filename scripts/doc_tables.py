#!/usr/bin/env python3
"""Writes the output of commands of the tool into the pages that quote it. Tests compare the pages with the output.

A page marks the place by the lines `<!-- quern ARGUMENTS -->` and `<!-- end of the ... -->`.

usage: scripts/doc_tables.py QUERN
"""
import pathlib
import re
import subprocess
import sys

PLACE = re.compile(r"(<!-- quern ([^>]+) -->\n).*?(<!-- end of the \w+ -->\n)", re.DOTALL)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())

    def run(match):
        command = [sys.argv[1], *match[2].split()]
        return match[1] + subprocess.run(command, capture_output=True, text=True, check=True).stdout + match[3]

    for page in sorted((pathlib.Path(__file__).resolve().parent.parent / "docs").rglob("*.md")):
        old = page.read_text(encoding="utf-8")
        new = PLACE.sub(run, old)
        if new != old:
            page.write_text(new, encoding="utf-8")
            print(f"wrote {page.name}")


if __name__ == "__main__":
    main()
