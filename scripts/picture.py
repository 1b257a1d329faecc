#!/usr/bin/env python3
"""Converts the output of a program to an SVG picture.

usage: COMMAND | scripts/picture.py "$ COMMAND" > docs/NAME.svg

The argument is shown above the output, as the command that was typed. Columns keep their positions in any font.
"""
import re
import sys
from xml.sax.saxutils import escape

WIDTH, HEIGHT, MARGIN = 7, 15, 14
BACK, TEXT, BRIGHT = "#14171c", "#c3cad4", "#ffffff"


def main():
    lines = sys.argv[1:] + sys.stdin.read().expandtabs().rstrip("\n").split("\n")
    wide = max(map(len, lines)) * WIDTH + 2 * MARGIN
    high = len(lines) * HEIGHT + 2 * MARGIN
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}">')
    print(f'<rect width="{wide}" height="{high}" rx="8" fill="{BACK}"/>')
    print(f'<g font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="11.5" fill="{TEXT}">')
    for number, line in enumerate(lines):
        colour = f' fill="{BRIGHT}"' if number < len(sys.argv) - 1 else ""
        for part in re.finditer(r"\S+(?: \S+)*", line):
            print(
                f'<text x="{MARGIN + part.start() * WIDTH}" y="{MARGIN + (number + 0.75) * HEIGHT:g}"'
                f' textLength="{len(part[0]) * WIDTH}"{colour}>{escape(part[0])}</text>'
            )
    print("</g>\n</svg>")


main()
