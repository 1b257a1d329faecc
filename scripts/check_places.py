#!/usr/bin/env python3
"""Follows the pages for contributors: each place that a page lists must exist and contain the neighbor entry.

A section that starts with the comment `<!-- neighbor: NAME -->` lists the places of an addition in tables whose first column has
the header "Place". NAME is an existing addition of that kind. For every path in the first column:
  - NAME in the path stands for the neighbor (also in the form of a test folder: tests/target_NAME/);
  - the path exists; of a pattern with `*`, at least one file;
  - a file, or one of the pattern's files, contains the neighbor's name, in any case and with or without underscores, unless the
    row's second column starts with "only if" (an optional place).
With `<!-- neighbor: NAME, complete -->` the page must also list every file that contains the name, apart from those below the
listed folders.

usage: scripts/check_places.py        (in the root of the repository)
exit code: 0 all places are right, 1 a place is wrong or missing
"""
import fnmatch
import pathlib
import re
import subprocess
import sys

PAGES = ["docs/driver.md", "docs/extending.md"]
# Where every addition of any kind may be mentioned: prose, not a place to edit.
PROSE = ["CHANGELOG.md", "docs/status.md", "docs/decisions/*", "docs/decisions.md", "docs/driver.md", "docs/extending.md", "docs/glossary.md",
         "docs/cuda_programmers.md", "docs/interop.md", "docs/targets.md", "docs/recovery.md", "docs/performance.md"]


def spellings(name):
    return {name.lower(), name.replace("_", "").lower(), name.replace("_", " ").lower()}


def contains(path, name):
    text = path.read_text(errors="replace").lower()
    return any(s in text for s in spellings(name))


def sections(page):
    """(title, neighbor, is_complete, rows) of the sections with a neighbor; rows are (cells, line)."""
    title, neighbor, is_complete, rows, in_table, found = "", None, False, [], False, []
    for number, line in enumerate(pathlib.Path(page).read_text().splitlines() + ["## end"], 1):
        if line.startswith("## "):
            if neighbor:
                found.append((title, neighbor, is_complete, rows))
            title, neighbor, rows, in_table = line[3:], None, [], False
        elif match := re.match(r"<!-- neighbor: (\w+)(, complete)? -->", line):
            neighbor, is_complete = match[1], bool(match[2])
        elif re.match(r"\s*\| Place \|", line):
            in_table = True
        elif in_table and line.lstrip().startswith("|"):
            cells = [c.strip() for c in line.strip().strip("|").split("|")]
            if not set(cells[0]) <= set("-: "):
                rows.append((cells, number))
        else:
            in_table = False
    return found


def paths_of(cell, page):
    folder = ""
    for code, link in re.findall(r"`([^`]+)`|\]\(([^)#]+)[^)]*\)", cell):
        path = code or str(pathlib.PurePosixPath(page).parent / link)
        if "/" not in path and folder and not pathlib.Path(path).exists():  # `src/a.cpp`, `b.cpp`
            path = f"{folder}/{path}"
        folder = str(pathlib.PurePosixPath(path).parent)
        yield path


def main():
    wrong, places, covered_sections = [], 0, 0
    tracked = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    files = tracked.stdout.split("\n") if tracked.returncode == 0 else [str(p) for p in pathlib.Path(".").rglob("*")]
    for page in PAGES:
        for title, neighbor, is_complete, rows in sections(page):
            covered_sections += 1
            if not rows:
                wrong.append(f"{page}: section '{title}' has a neighbor but no table with the header 'Place'")
            listed = []
            for cells, number in rows:
                is_optional = len(cells) > 1 and cells[1].lower().startswith("only if")
                for path in paths_of(cells[0], page):
                    places += 1
                    path = path.replace("NAME", neighbor)
                    listed.append(path)
                    matches = [p for p in pathlib.Path(".").glob(path.rstrip("/")) if p.exists()]
                    if not matches:
                        wrong.append(f"{page}:{number}: '{path}' does not exist")
                    elif not is_optional and not any(p.is_dir() or contains(p, neighbor) for p in matches):
                        wrong.append(f"{page}:{number}: '{path}' does not mention '{neighbor}', so it is not a place of {title.lower()}")
            for file in files if is_complete else []:
                path = pathlib.Path(file)
                known = any(file.startswith(p) if p.endswith("/") else fnmatch.fnmatch(file, p) for p in listed + PROSE)
                if known or not path.is_file() or path.suffix in (".svg", ".png", ".bin"):
                    continue
                if neighbor.lower() in path.read_text(errors="replace").lower():
                    wrong.append(f"{page}: section '{title}' does not list '{file}', which mentions '{neighbor}'")
    if covered_sections < 3:
        wrong.append(f"only {covered_sections} sections name a neighbor; 3 or more are expected")
    for line in wrong:
        print(f"places: {line}", file=sys.stderr)
    if not wrong:
        print(f"places: {places} places in {covered_sections} sections exist and have their neighbor")
    return 1 if wrong else 0


sys.exit(main())
