#!/usr/bin/env python3
"""Writes include/quern/kernel/using.hpp: a using-declaration for every name that the host compiler offers inside
inline kernels, and the list of these names. The names are those of the device library's files that include/quern/kernel includes.
usage: scripts/kernel_names.py [--check | --list]     (in the repository's root)
  --check   writes nothing; exit code 1 when the file is out of date
  --list    prints the names, one in a line"""
import pathlib
import re
import sys

KERNEL = pathlib.Path("include/quern/kernel")
LIBRARY = pathlib.Path("src/lang/builtin/library")
TARGET = KERNEL / "using.hpp"
# Declared by the headers themselves: small_float.hpp, thread.hpp, print.hpp.
OWN = """__half half __nv_bfloat16 nv_bfloat16 threadIdx blockIdx blockDim gridDim warpSize
         printf assert __assert_fail""".split()

HEAD = """// Brings the names of the kernel language into a namespace. Written by scripts/kernel_names.py.
//
// A using-directive alone would put our names next to those of the host's global namespace, so that
// `sinpif(x)` is ambiguous where the C library has a sinpif too. Using-declarations hide everything in the
// namespaces outside, whatever the host declares there, now or in its next release.
#pragma once

#include <string_view>

#include "quern/kernel/functions.hpp"
#include "quern/kernel/print.hpp"
#include "quern/kernel/words.hpp"

// clang-format off
#define QUERN_KERNEL_NAMES_ \\
  using namespace ::quern::kernel; namespace quern_names_ = ::quern::kernel; \\
"""


def library_files():
    for header in ("vectors.hpp", "functions.hpp"):
        yield from re.findall(r'#include "quern/kernel/library/(\w+\.cuh)"', (KERNEL / header).read_text())


def declared_name(line):
    """The name that a line in the first column declares; None: none."""
    line = re.sub(r"(__align__|alignas|requires)\s*\(.*?\)", "", line)
    patterns = (r"(?:struct|union|enum(?: class)?)\s+(\w+)", r"using\s+(\w+)\s*=", r"typedef\s.*?(\w+);",
                r".*?\b(\w+)\s*\(", r".*?(\w+)\s*=")
    for pattern in patterns:
        if match := re.match(r"(?:template\s*<.*?>\s+)?" + pattern, line):
            return match[1]
    return None


def names():
    found = set(OWN)
    for file in library_files():
        for line in (LIBRARY / file).read_text().splitlines():
            if not line or line[0] in " }/#" or re.search(r"\boperator\b", line):
                continue
            name = declared_name(line)
            if name and not name.startswith(("__lib_", "__quern_")):
                found.add(name)
    return sorted(found)


def wrapped(words, start, indent, end):
    lines, line = [], start
    for word in words:
        if len(line) + len(word) + 1 > 108 - len(end):
            lines.append(line + end)
            line = indent
        line += " " + word
    return "\n".join([*lines, line])


def text():
    listed = names()
    using = wrapped([f"quern_names_::{name}" + "," * (name != listed[-1]) for name in listed], "  using", " ", " \\")
    array = wrapped([f'"{name}",' for name in listed], " ", " ", "")
    return (HEAD + using + ";\n\nnamespace quern::detail {\n// The same names as text, in ASCII order.\n"
            "inline constexpr std::string_view kKernelNames[] = {\n" + array + "\n};\n}  // namespace quern::detail\n"
            "// clang-format on\n")


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(names()))
        return 0
    if sys.argv[1:] == ["--check"]:
        if TARGET.read_text() == text():
            return 0
        print(f"kernel_names: {TARGET} is out of date\n  hint: run scripts/kernel_names.py", file=sys.stderr)
        return 1
    if sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    TARGET.write_text(text())
    return 0


sys.exit(main())
