#!/usr/bin/env python3
"""Checks the built documentation site: every internal link and anchor resolves, and no page loads anything from the network.

usage: scripts/check_site.py [FOLDER]     (default: build/docs/site)
exit code: 0 no problems, 1 problems
"""
import functools
import html.parser
import pathlib
import re
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOADED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("link", "href"), ("object", "data"), ("embed", "src")}
DOXYGEN_SUMMARIES = ("#nested-classes", "#concepts")  # Doxygen links to these sections even if it omits them because they are empty
NETWORK = re.compile(r"(?:https?:)?//[\w.-]+\.[a-z]{2,}", re.I)


class Page(html.parser.HTMLParser):
    """The anchors, links and loaded resources of a page."""
    def __init__(self):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        for name in ("id", "name"):
            if values.get(name):
                self.anchors.add(values[name])
        for name in ("href", "src", "data"):
            if not values.get(name):
                continue
            is_hint = tag == "link" and values.get("rel") in ("canonical", "alternate", "prev", "next")
            (self.loaded if (tag, name) in LOADED and not is_hint else self.links).append(values[name])


@functools.cache
def read(path):
    page = Page()
    page.feed(path.read_text(encoding="utf-8", errors="replace"))
    return page


def problem_of(page, link):
    """Returns why a link of a page does not resolve, or None."""
    parts = urllib.parse.urlsplit(link)
    path = urllib.parse.unquote(parts.path)
    target = (page.parent / path).resolve() if path else page
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return "no such file"
    anchor = urllib.parse.unquote(parts.fragment)
    if anchor and target.suffix == ".html" and not anchor.startswith("__") and anchor not in read(target).anchors:
        return "no such anchor"
    return None


def check(site):
    """Prints the problems and returns their number."""
    count = problems = 0

    def report(file, text):
        nonlocal problems
        problems += 1
        print(f"{file.relative_to(site)}: {text}")

    pages = [p for p in sorted(site.rglob("*.html")) if p.name != "404.html"]  # its links are absolute
    for page in pages:
        for link in read(page).loaded:
            if NETWORK.match(link):
                report(page, f"loads {link} from the network")
        for link in read(page).links + read(page).loaded:
            if re.match(r"[a-z][a-z0-9+.-]*:|//", link, re.I):
                continue
            if page.parent.name == "reference" and link in DOXYGEN_SUMMARIES:
                continue
            count += 1
            if why := problem_of(page, link):
                report(page, f"{link}: {why}")
    for style in site.rglob("*.css"):
        for url in re.findall(r"(?:url\(|@import )['\"]?((?:https?:)?//[^'\")]+)", style.read_text(encoding="utf-8", errors="replace")):
            report(style, f"loads {url} from the network")
    for script in site.glob("assets/javascripts/*.js"):
        for url in re.findall(r"https://(?:unpkg|cdn|fonts)[^\"'`\s]+", script.read_text(encoding="utf-8", errors="replace")):
            report(script, f"can load {url} from the network")
    print(f"{len(pages)} pages, {count} internal links, {problems} problems")
    return problems if pages else 1


if __name__ == "__main__":
    if "-h" in sys.argv or "--help" in sys.argv:
        print(__doc__.strip())
        sys.exit(0)
    sys.exit(1 if check(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "build/docs/site") else 0)
