#!/usr/bin/env python3
"""Compares the time to compile 100 lines in a page with the native time: compile_bench.py chromium|firefox BENCH_COMPILE QUERN

Both compile the text that `bench_compile --source 100` prints, many times, and the best time counts. The IR of both must be equal.
Exit code 1: the IR differs, or the page takes more than 4 times as long. 77: the browser or build/web is not there (1 if CI=true)."""
import pathlib
import re
import subprocess
import sys
import tempfile

import suite_test
import webdriver

LINES = 100
MOST_TIMES = 4


def output(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def main():
    name, bench, tool = sys.argv[1:4]
    suite_test.check_installed(name)
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "kernel.cu"
        source.write_text(output(bench, "--source", str(LINES)), encoding="utf-8")
        address = webdriver.serve({"/": webdriver.ROOT / "build" / "web", "/tests/": webdriver.HERE, "/bench.cu": source})
        with suite_test.BROWSERS[name]() as browser:
            browser.open(f"{address}/tests/compile_bench.html")
            browser.wait("window.state?.result || window.state?.error", 120, "window.state?.done")
            if error := browser.script("return window.state.error"):
                print(f"FAILED: {error}")
                return 1
            page = browser.script("return window.state.result")
        expected = output(pathlib.Path(tool).resolve(), "emit", source.name, "--target", "ir", cwd=folder)
        native = float(re.search(r"([\d.]+) ms", output(bench, "--lines", str(LINES)))[1])
    ratio = page["milliseconds"] / native
    print(f"{LINES} lines, {page['kernels']} kernels: {native:.2f} ms native, {page['milliseconds']:.2f} ms in {name}, {ratio:.1f} times as long")
    print(f"check() with the messages to its worker and back: {page['withMessages']:.2f} ms")
    if page["ir"].split() != expected.split():
        print("FAILED: the IR differs from the one of the native compiler")
        return 1
    if ratio > MOST_TIMES:
        print(f"FAILED: the limit is {MOST_TIMES} times the native time")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
