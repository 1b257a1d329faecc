#!/usr/bin/env python3
"""Writes the table of `quern backends --defects` into docs/defects.md. A test compares the page with that output.

usage: scripts/defects_table.py QUERN
"""
import pathlib
import subprocess
import sys

BEGIN, END = "<!-- quern backends --defects -->\n", "<!-- end of the table -->\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    page = pathlib.Path(__file__).resolve().parent.parent / "docs" / "defects.md"
    table = subprocess.run([sys.argv[1], "backends", "--defects"], capture_output=True, text=True, check=True).stdout
    text = page.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    page.write_text(before + BEGIN + table + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
