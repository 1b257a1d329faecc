#!/usr/bin/env python3
"""Runs the conformance cases in a browser: suite_test.py chromium|firefox QUERN_SUITE [PART/PARTS]

Exit code 77: the browser or build/web is not there (1 if CI=true)."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import webdriver

# For one case. SwiftShader compiles some kernels for more than a minute on a busy machine.
MOST_SECONDS = 300
BROWSERS = {"chromium": webdriver.Chromium, "firefox": webdriver.Firefox}


def skip(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(1 if os.environ.get("CI") == "true" else 77)


def check_installed(name):
    """Ends the program where something is missing."""
    if not (webdriver.ROOT / "build" / "web" / "quern.wasm").exists():
        skip("build/web is not built (make web)")
    missing = [p for p in BROWSERS[name].programs if not shutil.which(p)]
    if missing:
        skip(f"{missing[0]} is not installed")


def main():
    name, suite = sys.argv[1], sys.argv[2]
    part = sys.argv[3] if len(sys.argv) > 3 else "0/1"
    web = webdriver.ROOT / "build" / "web"
    check_installed(name)
    with tempfile.TemporaryDirectory() as folder:
        k, n = part.split("/")
        chosen = ["--part", f"{int(k) + 1}/{n}"]
        subprocess.run([suite, "--export", f"{folder}/cases.json", *chosen], check=True)
        address = webdriver.serve({"/": web, "/tests/": webdriver.HERE, "/cases.json": f"{folder}/cases.json"})
        with BROWSERS[name]() as browser:
            browser.open(f"{address}/tests/suite.html")
            browser.wait("window.state?.results || window.state?.error", MOST_SECONDS, "[window.state?.done, window.state?.current]")
            if error := browser.script("return window.state.error"):
                print(f"suite_test: {error}")
                return 1
            results = browser.script("return window.state.results")
        slow = sorted(results, key=lambda result: -result["seconds"])[:5]
        print("slowest: " + ", ".join(f"{result['name']} {result['seconds']:.1f} s" for result in slow))
        out = pathlib.Path(folder) / "results.json"
        out.write_text(json.dumps(results), encoding="utf-8")
        return subprocess.run([suite, "--compare", str(out), *chosen], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
