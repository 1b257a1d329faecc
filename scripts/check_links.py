#!/usr/bin/env python3
"""Checks relative links and anchors in README.md, CONTRIBUTING.md and the other pages of the repository.

usage: scripts/check_links.py
exit code: 0 all links resolve, 1 some do not
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def anchors(page):
    """Returns the anchors of a page as GitHub generates them."""
    found, inside = set(), False
    for line in page.read_text(encoding="utf-8").splitlines():
        inside ^= line.startswith("```")
        if not inside and (match := re.match(r"#+ (.*)", line)):
            text = re.sub(r"[^\w\- ]", "", match.group(1).lower())
            found.add(text.replace(" ", "-"))
    return found


def main():
    broken = count = 0
    for page in [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
        for link in LINK.findall(text):
            if re.match(r"[a-z]+:", link):
                continue
            count += 1
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists():
                problem = "no such file"
            elif anchor and anchor not in anchors(target):
                problem = "no such heading"
            else:
                continue
            broken += 1
            print(f"{page.relative_to(ROOT)}: {link}: {problem}")
    print(f"{count} links, {broken} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
