#!/usr/bin/env python3
"""Tests of the playground in Chromium.

usage: tests/web/playground_test.py --tool QUERN [--web FOLDER | --url ADDRESS] [--shots FOLDER] [TEST…]
FOLDER (default: build/web) is the output of `make web`. --shots keeps screenshots.
exit code: 0 all tests pass, 1 some do not, 77 a browser or the page is missing (1 if CI=true)
"""
import argparse
import base64
import functools
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
import webdriver
from browser import Browser
from reference import Reference, write_png

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "web/playground/examples"
IDS = json.loads((EXAMPLES / "index.json").read_text(encoding="utf-8"))
OPTIONS = argparse.Namespace()

PIXELS = """
  const image = await playground.engine.snapshot();
  let text = '';
  for (let i = 0; i < image.data.length; i += 8192) text += String.fromCharCode(...image.data.subarray(i, i + 8192));
  return [image.width, image.height, btoa(text)];"""
SHOWN = """
  const canvas = document.querySelector('#canvas-place canvas'), copy = new OffscreenCanvas(canvas.width, canvas.height);
  const context = copy.getContext('2d');
  context.drawImage(canvas, 0, 0);
  const bytes = new Uint8Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return [canvas.width, canvas.height, btoa(text)];"""
STATE = "document.getElementById('state').dataset.state"
TYPE = "const area = document.getElementById('source'); area.value = arguments[0]; area.dispatchEvent(new Event('input'));"
BROKEN = "__global__ void f(float* x) {\n  x[threadIdx.x] = missing;\n}\n"
COPY = """__global__ void edges(const unsigned int* image, unsigned int* pixels, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) pixels[y * width + x] = image[y * width + x];
}
"""
ENDLESS = "__global__ void f(unsigned int* x) {\n  while (x[0] != 1u) x[1] += 1u;\n}\n"


def differing(expected, actual):
    """Returns the share of pixels that differ by more than 8 levels in a channel."""
    if len(expected) != len(actual):
        return 1.0
    wrong = sum(any(abs(expected[i + c] - actual[i + c]) > 8 for c in range(3)) for i in range(0, len(expected), 4))
    return wrong / (len(expected) // 4)


@functools.cache
def reference_of(example):
    """Returns the output and the picture of two frames on the cpu device; the picture is None if there is none."""
    reference = Reference(OPTIONS.tool, EXAMPLES / f"{example}.json", simulator=True).run(2)
    with reference.folder:
        return reference.output, reference.picture() if "display" in reference.settings else None


class Page(unittest.TestCase):
    """Common parts: one window for each class. Windows with WebGPU are slow, because SwiftShader draws all of the page."""
    webgpu = True
    flags = ()

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser(cls.webgpu, flags=cls.flags)
        cls.addClassCleanup(cls.browser.__exit__)

    def go(self, fragment=""):
        self.browser.open(f"{OPTIONS.url}/playground/{fragment}")
        self.browser.wait("document.documentElement.dataset.ready", 180)
        self.browser.wait(f"{STATE} !== 'opening'", 180)

    def show(self, fragment):
        """Opens another program in the same document."""
        if not self.browser.script("return !!document.documentElement.dataset.ready;"):
            return self.go(fragment)
        self.browser.script("document.getElementById('state').dataset.state = 'changing'; location.hash = arguments[0];", fragment)
        return None

    def finish(self, seconds=300):
        return self.browser.wait(f"(['finished', 'stopped', 'closed', 'lost'].includes({STATE}) && {STATE})", seconds)

    def text(self, id_):
        return self.browser.script("return document.getElementById(arguments[0]).innerText;", id_)

    def keep(self, name):
        if OPTIONS.shots:
            OPTIONS.shots.mkdir(parents=True, exist_ok=True)
            (OPTIONS.shots / f"{name}.png").write_bytes(base64.b64decode(self.browser.screenshot()))

    def compare(self, example):
        """Compares the picture of the page with the one of the cpu device."""
        output, picture = reference_of(example)
        if picture is None:
            self.assertEqual(sorted(output.splitlines()), sorted(self.text("output").splitlines()))
            return
        width, height, expected = picture
        for what, (got_width, got_height, encoded) in (("render pass", self.browser.promise(PIXELS)), ("canvas", self.browser.script(SHOWN))):
            self.assertEqual((width, height), (got_width, got_height), what)
            share = differing(expected, base64.b64decode(encoded))
            self.assertLessEqual(share, 0.01, f"{example}, {what}: {100 * share:.2f} % of the pixels differ from the cpu device")


class ExamplesOnSimulator(Page):
    webgpu = False

    def test_pictures(self):
        for example in IDS:
            if example == "histogram":
                continue  # stops with a report: test_race
            with self.subTest(example=example):
                self.show(f"#example={example}&device=sim&frames=2")
                self.assertEqual(self.finish(), "finished", self.browser.summary())
                self.compare(example)
                self.assertEqual(self.browser.errors(), [])

    def test_race(self):
        self.go("#example=histogram&device=sim")
        self.assertEqual(self.finish(), "stopped")
        report = self.text("report")
        self.assertIn("race in line 21", report)
        self.assertRegex(report, r"thread \(\d+,0,0\) of block")
        self.assertIn("atomicAdd(&bins[data[i]], 1)", report)
        self.browser.wait("document.querySelector('.squiggle.error')")
        self.keep("race")
        source = (EXAMPLES / "histogram.cu").read_text(encoding="utf-8").replace("bins[data[i]] += 1;", "atomicAdd(&bins[data[i]], 1u);")
        self.browser.script(TYPE, source)
        self.browser.click("#run")
        self.browser.wait(f"{STATE} === 'finished'", 120)
        self.assertIn("counted 512 of 512 values", self.text("output"))

    def test_endless_kernel(self):
        self.go("#example=printf&device=sim")
        self.finish()
        self.browser.script(TYPE, ENDLESS)
        self.browser.click("#run")
        self.browser.wait("document.querySelector('[data-topic=waiting]')", 60)
        self.browser.click("[data-topic=waiting] button")
        self.browser.wait(f"{STATE} === 'ready'", 60)
        self.browser.script(TYPE, '__global__ void f() { printf("recovered\\n"); }')
        self.browser.click("#run")
        self.browser.wait("document.getElementById('output').textContent.includes('recovered')", 60)


class ExamplesOnWebGpu(Page):
    def require_webgpu(self):
        """Skips without an adapter; with CI=true that is a failure."""
        if self.browser.script("return document.querySelector('#device option').disabled;"):
            (self.fail if os.environ.get("CI") == "true" else self.skipTest)("this browser has no WebGPU adapter")

    def test_pictures(self):
        self.go()
        self.require_webgpu()
        for example in IDS:
            if example == "histogram":
                continue  # its result depends on the order of threads
            with self.subTest(example=example):
                self.run_program(f"#example={example}&device=webgpu&frames=2&small")
                self.compare(example)
                self.keep(example)

    def run_program(self, fragment):
        """Runs a program to its end. A crash of the browser's GPU process loses the device, which is a failure."""
        self.show(fragment)
        self.assertEqual(self.finish(), "finished", self.browser.summary())

    def test_no_copies_per_frame(self):
        self.go()
        self.require_webgpu()
        self.run_program("#example=mandelbrot&device=webgpu&frames=30&small")
        if not self.browser.script("return playground.drawsFromGpu;"):
            self.skipTest("this browser does not show WebGPU canvases: the page downloads the picture")
        figures = dict(zip(*[iter(self.text("figures").splitlines())] * 2))
        self.assertEqual(figures["copies/frame"], "0")


class Inputs(Page):
    """Pictures of the reader, on the simulator, with a kernel that copies them."""
    webgpu = False
    flags = ("--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream")

    def setUp(self):
        self.go("#example=image&device=sim")
        self.browser.wait(f"{STATE} === 'running'", 60)
        self.browser.script(TYPE, COPY)
        self.browser.click("#run")
        self.browser.wait(f"{STATE} === 'running'", 60)
        self.browser.click("#tab-panel-inputs")

    def wait_for_picture(self, is_expected):
        """Returns the first picture that satisfies the condition."""
        for _ in range(100):
            pixels = base64.b64decode(self.browser.promise(PIXELS)[2])
            if is_expected(pixels):
                return pixels
            time.sleep(0.2)
        self.fail(f"the picture did not appear; its first bytes are {pixels[:8].hex()}; {self.browser.summary()}")

    def test_image_file(self):
        red = b"\xff\x00\x00\xff"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            write_png(path / "red.png", 32, 24, red * (32 * 24))
            self.browser.choose_file("#panel-inputs input[type=file]", path / "red.png")
            self.wait_for_picture(lambda pixels: pixels == red * (len(pixels) // 4))
            self.assertIn("red.png is loaded", self.text("panel-inputs"))
            (path / "broken.png").write_bytes(b"no image")
            self.browser.choose_file("#panel-inputs input[type=file]", path / "broken.png")
            self.browser.wait("document.getElementById('panel-inputs').innerText.includes(\"reading 'broken.png' failed\")")

    def test_webcam(self):
        before = self.wait_for_picture(lambda pixels: True)
        self.browser.click("#panel-inputs .pictures button")
        self.browser.wait("document.getElementById('panel-inputs').innerText.includes('the webcam is on')", 60)
        first = self.wait_for_picture(lambda pixels: pixels != before)
        self.wait_for_picture(lambda pixels: pixels not in (before, first))  # the fake camera moves
        self.browser.click("#panel-inputs .pictures button")
        self.browser.wait("document.querySelector('#panel-inputs .pictures button').textContent === 'Start webcam'")


class Editing(Page):
    webgpu = False

    def test_diagnostics(self):
        self.go("#example=printf&device=sim")
        self.finish()
        self.browser.script(TYPE, BROKEN)
        self.browser.wait("document.querySelector('#problems li.error')")
        self.assertIn("missing", self.text("problems"))
        self.assertEqual(self.browser.script("return document.querySelector('.squiggle.error').textContent;"), "missing")
        self.assertIn("Line 2", self.browser.script("return document.getElementById('problem-live').textContent;"))
        self.browser.script("document.getElementById('source').focus(); document.getElementById('source').setSelectionRange(0, 0);")
        self.browser.keys("F8")
        self.assertEqual(self.browser.script("return document.getElementById('source').selectionStart;"), BROKEN.index("missing"))
        self.keep("diagnostics")

    def test_keyboard(self):
        self.go("#example=printf&device=sim")
        self.finish()
        focused = "return document.activeElement.id || document.activeElement.className || document.activeElement.tagName;"
        self.browser.keys("Tab")
        self.assertEqual(self.browser.script(focused), "skip")
        self.browser.keys("Enter")
        self.assertEqual(self.browser.script(focused), "source")
        self.browser.keys("Tab")
        self.assertTrue(self.browser.script("return document.getElementById('source').value;").startswith("  //"), "Tab must indent")
        self.browser.keys("Control+z")
        self.assertTrue(self.browser.script("return document.getElementById('source').value;").startswith("//"), "undo must work")
        self.browser.keys("Escape", "Tab")
        self.assertNotEqual(self.browser.script(focused), "source")
        self.browser.script("document.getElementById('tab-panel-output').focus();")
        self.browser.keys("ArrowRight")
        self.assertEqual(self.browser.script(focused), "tab-panel-launch")
        self.browser.keys("End")
        self.assertEqual(self.browser.script(focused), "tab-panel-device")
        self.browser.script("document.getElementById('output').textContent = ''; document.getElementById('source').focus();")
        self.browser.keys("Control+Enter")
        self.browser.wait("document.getElementById('output').textContent.includes('block 0')", 60)

    def test_emitted_code(self):
        self.go("#example=printf&device=sim")
        self.browser.click("#tab-panel-code")
        for target, word in (("wgsl", "@compute"), ("glsl", "#version"), ("msl", "kernel"), ("spirv", "Op"), ("ptx", ".entry"), ("hip", "__global__"), ("ir", "kernel")):
            self.browser.script("document.querySelector(`input[value=${arguments[0]}]`).click();", target)
            self.browser.wait(f"document.querySelector('.emitted').textContent.includes({json.dumps(word)})", 60)


class Links(Page):
    webgpu = False

    def share(self):
        self.browser.click("#share")
        return self.browser.wait("location.hash.startsWith('#code=') && location.hash")

    def test_round_trip(self):
        self.go("#example=printf&device=sim")
        self.finish()
        source = '__global__ void f(int n) { printf("shared %d\\n", n); }  // <b>ü</b>\n'
        self.browser.script(TYPE, source)
        self.browser.wait("document.getElementById('panel-launch').textContent.includes('n')")
        fragment = self.share()
        self.go(fragment)
        self.assertEqual(self.browser.script("return document.getElementById('source').value;"), source)
        self.assertTrue(self.browser.script("return !document.getElementById('guard').hidden;"))
        time.sleep(1.5)
        self.assertEqual(self.browser.script(f"return {STATE};"), "ready", "a link must not run by itself")
        self.assertEqual(self.text("output"), "")

    def test_text_is_escaped(self):
        settings = {"title": "<img src=x onerror=window.broken=1>", "summary": "<script>window.broken=1</script>", "buffers": {}, "setup": [], "frame": []}
        self.go()
        self.go("#" + self.encode({"source": "// <img src=x onerror=window.broken=1>", "settings": settings, "values": {}, "device": "sim"}))
        self.assertIn("<img", self.text("title"))
        self.assertIsNone(self.browser.script("return window.broken ?? null;"))

    def test_bad_links(self):
        self.go()
        many = self.encode({"source": "", "settings": {"frame": [{"kernel": "f"}] * 100}, "values": {}, "device": "sim"})
        bomb = self.encode({"source": " " * 4_000_000, "settings": {}, "values": {}, "device": "sim"})
        for fragment, reason in (("code=!!!", "damaged"), ("code=AAAA", "damaged"), (many, "at most 64"), (bomb, "1 MiB")):
            with self.subTest(reason=reason):
                self.go("#" + fragment)
                self.assertIn(reason, self.browser.wait("document.querySelector('[data-topic=link]')?.innerText"))

    def encode(self, shared):
        return self.browser.promise("const {encodeShared} = await import('./scripts/share.js'); return encodeShared(args[0]);", shared)


class WithoutWebGpu(Page):
    webgpu = False

    def test_explanation(self):
        self.go()
        notice = self.browser.wait("document.querySelector('[data-topic=webgpu]')?.innerText")
        self.assertIn("No WebGPU here", notice)
        self.assertIn("WebGL 2 cannot replace it", notice)
        self.assertEqual(self.browser.script("return document.getElementById('device').value;"), "sim")
        self.go("#example=mandelbrot&frames=1")
        self.assertEqual(self.finish(), "finished", self.browser.summary())
        self.keep("no_webgpu")


def missing():
    """Returns what prevents the tests, or an empty text."""
    if not all(shutil.which(program) for program in Browser.programs):
        return "chromium and chromium-driver are not installed"
    if not OPTIONS.url and not (OPTIONS.web / "quern.wasm").exists():
        return f"{OPTIONS.web} has no quern.wasm; run `make web`"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--web", type=pathlib.Path, default=ROOT / "build/web")
    parser.add_argument("--url")
    parser.add_argument("--shots", type=pathlib.Path)
    parser.add_argument("tests", nargs="*")
    parser.parse_args(namespace=OPTIONS)
    if reason := missing():
        print(f"SKIPPED: the playground is not tested: {reason}")
        return 1 if os.environ.get("CI") == "true" else 77
    OPTIONS.url = OPTIONS.url or webdriver.serve({"/": OPTIONS.web})
    return not unittest.main(argv=[sys.argv[0], *OPTIONS.tests], exit=False, verbosity=2).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
