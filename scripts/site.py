#!/usr/bin/env python3
"""Builds the documentation site in build/docs/site with MkDocs and checks its links. `make docs` calls it.

The pages of docs/ and those of the top folder are written for GitHub's Markdown. This script copies them to build/docs/pages, adapts
links and lists, and adds plots (scripts/plots.py). If build/docs/reference exists (`make reference`), it becomes part of the site.

usage: scripts/site.py
exit code: 0 the site was built and its links resolve, 1 otherwise
"""
import pathlib
import re
import shutil
import subprocess
import sys

import check_site
import plots

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/docs"
PAGES = BUILD / "pages"
SITE = BUILD / "site"
REFERENCE = BUILD / "reference"  # written by Doxygen
TOP_PAGES = ("CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md")
WIDE_PAGES = ("index.md", "performance.md", "status.md")  # sections of one page: no list of pages at the left
LINK = re.compile(r"(!?\[[^\]]*\])\(([^)\s:]+)\)")
FENCE = re.compile(r"^ *```")
ITEM = re.compile(r"^( *)(?:[-*]|\d+\.) ")


def staged(target):
    """Returns where a file of the repository is in build/docs/pages, or None if it is not part of the site."""
    relative = target.relative_to(ROOT)
    if relative.parts[0] == "docs":
        return PAGES / pathlib.Path(*relative.parts[1:])
    return PAGES / relative if str(relative) in TOP_PAGES else None


def adapt_links(text, page):
    """Makes links relative to the staged pages. A link to a file that is not part of the site becomes plain text."""
    def adapt(match):
        label, link = match.groups()
        path, mark, anchor = link.partition("#")
        if not path:
            return match.group(0)
        target = staged((page.parent / path).resolve())
        if target is None:
            return label.strip("[]")
        here = staged(page).parent
        up = [".."] * len(here.relative_to(PAGES).parts)
        return f"{label}({'/'.join([*up, target.relative_to(PAGES).as_posix()])}{mark}{anchor})"
    return LINK.sub(adapt, text)


def adapt_lists(text):
    """Python's Markdown needs an empty line before a list and four spaces before a nested item."""
    lines, in_code, in_list, previous = [], False, False, ""
    for line in text.splitlines():
        if FENCE.match(line):
            in_code = not in_code
        item = None if in_code else ITEM.match(line)
        if item and not in_list and previous.strip():
            lines.append("")
        if item and in_list and 2 <= len(item.group(1)) < 4:
            line = "    " + line.lstrip()
        in_list = bool(item) or (in_list and bool(line.strip()) and line.startswith(" "))
        lines.append(line)
        previous = line
    return "\n".join(lines) + "\n"


def stage():
    shutil.rmtree(PAGES, ignore_errors=True)
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / name for name in TOP_PAGES)]
    for page in pages:
        text = re.sub(r"<!-- sample context\n.*?-->\n+", "", page.read_text(encoding="utf-8"), flags=re.S)
        text = adapt_links(adapt_lists(plots.insert(text, page)), page)
        if page.parent == ROOT / "docs" and page.name in WIDE_PAGES:
            text = "---\nhide: [navigation]\n---\n" + text
        staged(page).parent.mkdir(parents=True, exist_ok=True)
        staged(page).write_text(text, encoding="utf-8")
    for file in [*(ROOT / "docs").glob("*.svg"), *(ROOT / "docs").glob("*.css")]:
        shutil.copy(file, PAGES)
    shutil.copytree(ROOT / "docs/images", PAGES / "images")
    if REFERENCE.is_dir():
        shutil.copytree(REFERENCE, PAGES / "reference")


def main():
    if "-h" in sys.argv or "--help" in sys.argv:
        print(__doc__.strip())
        return 0
    if not shutil.which("mkdocs"):
        print("building the site failed: the program 'mkdocs' was not found\nhint: run scripts/setup.sh docs", file=sys.stderr)
        return 1
    if (ROOT / "docs/Doxyfile").exists() and not (REFERENCE / "index.html").exists():
        print("building the site failed: 'build/docs/reference/index.html' does not exist\nhint: install doxygen, then run make docs", file=sys.stderr)
        return 1
    stage()
    if subprocess.run(["mkdocs", "build", "--quiet", "--clean"], cwd=ROOT, check=False).returncode != 0:
        print("building the site failed: mkdocs reported the errors above", file=sys.stderr)
        return 1
    if check_site.check(SITE) != 0:
        return 1
    print(f"open {SITE.relative_to(ROOT)}/index.html, or run `make docs-serve` for a site with search")
    return 0


if __name__ == "__main__":
    sys.exit(main())
