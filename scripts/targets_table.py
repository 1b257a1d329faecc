#!/usr/bin/env python3
"""Writes the output of `quern emit --list` to docs/targets.md. A test compares the page with that output.

usage: scripts/targets_table.py QUERN
"""
import pathlib
import subprocess
import sys

BEGIN, END = "<!-- quern emit --list -->\n", "<!-- end of the list -->\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    page = pathlib.Path(__file__).resolve().parent.parent / "docs" / "targets.md"
    table = subprocess.run([sys.argv[1], "emit", "--list"], capture_output=True, text=True, check=True).stdout
    text = page.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    page.write_text(before + BEGIN + table + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
