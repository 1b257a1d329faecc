#!/usr/bin/env python3
"""Compiles the C++ samples of the documentation pages and runs them.

A sample is a code block marked `cpp`. Blocks marked `cuda` (kernel text) or unmarked are skipped. A block that contains
`int main` is a program. The other samples of a page become one program, with a function for each: paragraphs that begin with
`QUERN_`, `#include`, `struct` or `namespace` are placed at namespace scope and all others in the function. A page may declare names that its
samples use in an HTML comment:

    <!-- sample context
    declarations
    -->

`<!-- sample: compile only -->` before a block, or `<!-- sample context, compile only` for a page, excludes samples that need certain hardware.
All others are run on the device `cpu`, and must end with exit code 0.

usage: scripts/check_samples.py [--library libquern.so] [PAGE.md…]     (CXX selects the compiler)
The default pages are README.md and those of docs/; the default library is build/release/lib/libquern.so. Without a library, samples are
compiled only.
exit code: 0 all samples compile and run, 1 some do not
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONTEXT = re.compile(r"<!-- sample context(, compile only)?\n(.*?)-->", re.S)
BLOCK = re.compile(r"(<!-- sample: compile only -->\n+)?^```cpp\n(.*?)^```", re.S | re.M)
INCLUDE = re.compile(r"^#include .*$", re.M)
GLOBAL = ("QUERN_", "#include", "struct ", "namespace ")
HEADERS = "quern/inline.hpp", "quern/ring.hpp", "cstdio", "iostream"


def split(block):
    """Returns the paragraphs of a block for namespace scope and those for a function body."""
    outside, inside = [], []
    for paragraph in re.split(r"\n\s*\n", block.strip("\n")):
        code = [line for line in paragraph.splitlines() if not line.startswith("//")]
        is_global = bool(code) and code[0].startswith(GLOBAL)
        (outside if is_global else inside).append(paragraph)
    return "\n\n".join(outside), "\n\n".join(inside)


def programs(page):
    """Yields (lines, source, whether it is run) for each program of a page."""
    text = page.read_text(encoding="utf-8")
    contexts = CONTEXT.findall(text)
    may_run = not any(mark for mark, _ in contexts)
    context = "\n".join(declarations for _, declarations in contexts)
    parts = {True: [], False: []}
    for match in BLOCK.finditer(text):
        line, block = text.count("\n", 0, match.start(2)) + 1, match.group(2)
        runs = may_run and not match.group(1)
        if "int main" in block:
            yield [line], f'#line {line} "{page.name}"\n{block}', runs
        else:
            parts[runs].append((line, block))
    for runs, samples in parts.items():
        if samples:
            yield [line for line, _ in samples], joined(page, context, samples), runs


def joined(page, context, samples):
    """Returns one program that calls the samples in the order of the page."""
    includes, functions, calls = [f"#include <{h}>" for h in HEADERS], [], []
    for line, block in samples:
        outside, inside = split(block)
        includes += INCLUDE.findall(outside)
        functions.append(f'namespace sample_{line} {{\n#line {line} "{page.name}"\n{INCLUDE.sub("", outside)}\n'
                         f'static void sample() {{\n#line {line} "{page.name}"\n{inside}\n}}\n}}')
        calls.append(f"  sample_{line}::sample();")
    return "\n".join([*includes, context, *functions, "int main() {", *calls, "}"]) + "\n"


def command(*words, **options):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False, **options)


def check(source, library, folder):
    """Compiles a program, and runs it if there is a library. Returns an error or None."""
    file, program = folder / "sample.cpp", folder / "sample"
    file.write_text(source, encoding="utf-8")
    compiler = [os.environ.get("CXX", "g++"), "-std=c++20", "-w", "-I", ROOT / "include", file]
    if not library:
        result = command(*compiler, "-fsyntax-only")
        return f"does not compile\n{result.stderr}" if result.returncode != 0 else None
    where = library.parent
    result = command(*compiler, where / "libquern_comm.a", where / "libquern_ops.a", where / "libquern_ring.a", library, f"-Wl,-rpath,{where}", "-ldl", "-pthread", "-o", program)
    if result.returncode != 0:
        return f"does not compile\n{result.stderr}"
    environment = {**os.environ, "QUERN_DEVICE": "cpu", "QUERN_CACHE": str(folder / "cache")}
    try:
        result = command(program, cwd=folder, env=environment, timeout=300)
    except subprocess.TimeoutExpired:
        return "does not end within 300 s"
    return f"ends with exit code {result.returncode}\n{result.stdout}{result.stderr}" if result.returncode != 0 else None


def main():
    words = sys.argv[1:]
    if "-h" in words or "--help" in words:
        print(__doc__.strip())
        return 0
    library = ROOT / "build/release/lib/libquern.so"
    if "--library" in words:
        at = words.index("--library")
        library = pathlib.Path(words[at + 1]).resolve()
        del words[at:at + 2]
        if not library.exists():
            print(f"running the samples failed: '{library}' does not exist\nhint: run make build", file=sys.stderr)
            return 1
    elif not library.exists():
        print(f"SKIPPED: the samples are compiled but not run, because '{library.relative_to(ROOT)}' does not exist")
        library = None
    pages = [pathlib.Path(p).resolve() for p in words] or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    total = run = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for page in pages:
            for lines, source, runs in programs(page):
                total += len(lines)
                run += len(lines) if runs and library else 0
                if error := check(source, library if runs else None, pathlib.Path(folder)):
                    failed += 1
                    where = ", ".join(map(str, lines))
                    print(f"{page.relative_to(ROOT)}, samples of the lines {where}: the program {error}")
    print(f"{total} samples, {run} were run, {failed} programs failed")
    return 1 if failed or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
