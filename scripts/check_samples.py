#!/usr/bin/env python3
"""Compiles the C++ samples of the documentation pages (syntax and types only).

A sample is a code block marked `cpp`. Blocks marked `cuda` (kernel text) or unmarked are skipped. A block that contains
`int main` is one file. In other blocks, paragraphs that begin with `QUERN_`, `#include`, `struct` or `namespace` are placed at
namespace scope and all others in a function. A page may declare names that its samples use in an HTML comment:

    <!-- sample context
    declarations
    -->

usage: scripts/check_samples.py [PAGE.md…]     (default: README.md and docs/*.md; CXX selects the compiler)
exit code: 0 all samples compile, 1 some do not
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONTEXT = re.compile(r"<!-- sample context\n(.*?)-->", re.S)
BLOCK = re.compile(r"^```cpp\n(.*?)^```", re.S | re.M)
GLOBAL = ("QUERN_", "#include", "struct ", "namespace ")


def split(block):
    """Returns the paragraphs of a block for namespace scope and those for a function body."""
    outside, inside = [], []
    for paragraph in re.split(r"\n\s*\n", block.strip("\n")):
        code = [line for line in paragraph.splitlines() if not line.startswith("//")]
        is_global = bool(code) and code[0].startswith(GLOBAL)
        (outside if is_global else inside).append(paragraph)
    return "\n\n".join(outside), "\n\n".join(inside)


def sources(page):
    """Yields (line, translation unit) for each sample of a page."""
    text = page.read_text(encoding="utf-8")
    context = "\n".join(CONTEXT.findall(text))
    for match in BLOCK.finditer(text):
        line, block = text.count("\n", 0, match.start()) + 2, match.group(1)
        if "int main" in block:
            yield line, block
            continue
        outside, inside = split(block)
        includes = "\n".join(re.findall(r"^#include .*$", outside, re.M))
        outside = re.sub(r"^#include .*$", "", outside, flags=re.M)
        yield line, (f"#include <quern/inline.hpp>\n#include <quern/ring.hpp>\n#include <cstdio>\n#include <iostream>\n"
                     f"{includes}\n{context}\n{outside}\n[[maybe_unused]] static void sample() {{\n{inside}\n}}\n")


def compile_one(source):
    with tempfile.NamedTemporaryFile("w", suffix=".cpp", encoding="utf-8") as file:
        file.write(source)
        file.flush()
        command = [os.environ.get("CXX", "g++"), "-std=c++20", "-fsyntax-only", "-w", "-I", str(ROOT / "include"), file.name]
        return subprocess.run(command, capture_output=True, text=True, check=False)


def main():
    if "-h" in sys.argv or "--help" in sys.argv:
        print(__doc__.strip())
        return 0
    pages = [pathlib.Path(p) for p in sys.argv[1:]] or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    total = failed = 0
    for page in pages:
        for line, source in sources(page):
            total += 1
            result = compile_one(source)
            if result.returncode != 0:
                failed += 1
                print(f"{page}:{line}: the sample does not compile\n{result.stderr}")
    print(f"{total} samples, {failed} do not compile")
    return 1 if failed or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
