#!/usr/bin/env python3
"""Tests of the scripts that build and check the documentation site. They need no MkDocs."""
import contextlib
import importlib.util
import io
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
import check_samples
import check_site
import plots

spec = importlib.util.spec_from_file_location("quern_site", ROOT / "scripts/site.py")
quern_site = importlib.util.module_from_spec(spec)
spec.loader.exec_module(quern_site)

TABLE = "| Size | Upload | Note |\n|---|---|---|\n| 1 MiB | 2.0 to 4.0 GB/s | x |\n| 2 MiB | 1,000 | |\n\n"


class CheckSite(unittest.TestCase):
    def problems(self, body):
        with tempfile.TemporaryDirectory() as folder:
            site = pathlib.Path(folder)
            (site / "a.html").write_text(body, encoding="utf-8")
            (site / "b.html").write_text("<h2 id='here'>b</h2>", encoding="utf-8")
            check_site.read.cache_clear()
            with contextlib.redirect_stdout(io.StringIO()):
                return check_site.check(site)

    def test_accepts_links_that_resolve(self):
        self.assertEqual(self.problems("<a href='b.html#here'>b</a><a href='#x' id='x'></a><a href='https://example.org'></a>"), 0)

    def test_finds_missing_pages_and_anchors(self):
        self.assertEqual(self.problems("<a href='c.html'></a>"), 1)
        self.assertEqual(self.problems("<a href='b.html#there'></a>"), 1)

    def test_finds_resources_of_the_network(self):
        for loaded in ("<script src='https://example.org/x.js'></script>", "<link rel='stylesheet' href='//example.org/x.css'>",
                       "<img src='https://example.org/x.png'>"):
            self.assertEqual(self.problems(loaded), 1, loaded)


class Plots(unittest.TestCase):
    def draw(self, mark):
        return plots.insert(TABLE + f"<!-- plot: {mark} -->\n", pathlib.Path("page.md"))

    def test_reads_numbers_and_ranges(self):
        self.assertEqual(plots.interval("2.7 to 3.9 GB/s"), (2.7, 3.9))
        self.assertEqual(plots.interval("1,234 ns"), (1234, 1234))
        self.assertIsNone(plots.interval("none"))

    def test_replaces_the_comment_by_a_plot(self):
        text = self.draw("dots | Copies | columns: Upload | scale: log")
        self.assertIn("<svg", text)
        self.assertNotIn("<!-- plot", text)
        self.assertIn("1 MiB, Upload: 2 to 4", text)
        self.assertNotIn("nan", text)

    def test_reports_a_column_that_does_not_exist(self):
        with self.assertRaisesRegex(SystemExit, "has no column 'Down'"):
            self.draw("bars | Copies | columns: Down")

    def test_draws_every_plot_of_the_pages(self):
        for page in (ROOT / "docs").rglob("*.md"):
            self.assertNotIn("<!-- plot:", plots.insert(page.read_text(encoding="utf-8"), page))


class Pages(unittest.TestCase):
    def test_links_become_relative_to_the_site(self):
        page = ROOT / "docs/index.md"
        self.assertEqual(quern_site.adapt_links("[a](../SECURITY.md#x)", page), "[a](SECURITY.md#x)")
        self.assertEqual(quern_site.adapt_links("[a](memory.md)", ROOT / "docs/decisions/cpu.md"),
                         "[a](../decisions/memory.md)")

    def test_lists_get_an_empty_line_and_four_spaces(self):
        self.assertEqual(quern_site.adapt_lists("a:\n- b\n  - c\n"), "a:\n\n- b\n    - c\n")
        self.assertEqual(quern_site.adapt_lists("```\na\n- b\n```\n"), "```\na\n- b\n```\n")


class Samples(unittest.TestCase):
    def test_samples_of_a_page_become_one_program(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text("```cpp\nint a = 1;\n```\n\n<!-- sample: compile only -->\n\n```cpp\nint b = 2;\n```\n\n"
                            "```cpp\nint main() {}\n```\n", encoding="utf-8")
            found = [(lines, runs) for lines, _, runs in check_samples.programs(page)]
        self.assertEqual(found, [([12], True), ([2], True), ([8], False)])


if __name__ == "__main__":
    unittest.main()
