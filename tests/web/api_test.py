#!/usr/bin/env python3
"""Tests the JavaScript API on WebGPU, and measures it: api_test.py chromium|firefox

Exit code 77: the browser or build/web is not there (1 if CI=true)."""
import gzip
import sys

import suite_test
import webdriver

MOST_BYTES = 2 << 20  # of quern.wasm, compressed


def main():
    suite_test.check_installed(sys.argv[1])
    web = webdriver.ROOT / "build" / "web"
    size = len(gzip.compress((web / "quern.wasm").read_bytes(), 9))
    address = webdriver.serve({"/": web, "/tests/": webdriver.HERE})
    with suite_test.BROWSERS[sys.argv[1]]() as browser:
        browser.open(f"{address}/tests/api.html")
        browser.wait("window.state?.failures", 120, "window.state?.done")
        failures, times = browser.script("return window.state.failures"), browser.script("return window.state.times")
    print(f"quern.wasm: {size / 2**20:.2f} MiB with gzip -9")
    print("ms: " + ", ".join(f"{name} {value:.1f}" for name, value in times.items()))
    if size > MOST_BYTES:
        failures.append(f"quern.wasm has {size} bytes with gzip -9, the limit is {MOST_BYTES}")
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
