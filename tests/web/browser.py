"""The window that the tests of the playground use."""
import time

import webdriver

# SwiftShader for kernels and for the compositor: with other combinations, WebGPU loses its device when it draws on a canvas.
WEBGPU = ["--enable-unsafe-webgpu", "--enable-features=Vulkan", "--use-vulkan=swiftshader", "--use-angle=vulkan"]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Tab": "\ue004", "Shift": "\ue008", "Control": "\ue009", "Escape": "\ue00c", "Enter": "\ue007", "End": "\ue010", "Home": "\ue011",
        "ArrowLeft": "\ue012", "ArrowRight": "\ue014", "F8": "\ue038", "Backspace": "\ue003"}


class Browser(webdriver.Chromium):
    """One headless window. Use it as a context manager."""

    def __init__(self, webgpu=True, width=1400, height=900, flags=()):
        super().__init__([f"--window-size={width},{height}", *(WEBGPU if webgpu else []), *flags])

    def open(self, url):
        """Opens a page in a fresh document, also if only the fragment differs."""
        super().open("about:blank")
        super().open(url)

    def promise(self, text, *arguments):
        """Runs the body of an async function."""
        wrapped = f"const done = arguments[arguments.length - 1]; (async (...args) => {{ {text} }})(...arguments).then(done, (e) => done('error: ' + e));"
        return self.call("POST", "/execute/async", {"script": wrapped, "args": list(arguments)})

    def wait(self, condition, seconds=30):
        """Waits for a JavaScript expression, and returns its value."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := self.script(f"return {condition};"):
                return value
            time.sleep(0.1)
        raise AssertionError(f"not true after {seconds} s: {condition}; the page: {self.summary()}")

    def summary(self):
        return self.script("return ['state', 'notices', 'problems', 'output'].map((id) => id + ': ' + document.getElementById(id)?.innerText).join('; ');")

    def keys(self, *names):
        """Presses keys; "Control+Enter" holds the first one."""
        actions = []
        for name in names:
            parts = [KEYS.get(part, part) for part in name.split("+")]
            actions += [{"type": "keyDown", "value": part} for part in parts] + [{"type": "keyUp", "value": part} for part in reversed(parts)]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/click", {})

    def choose_file(self, selector, path):
        self.call("POST", f"/element/{self.find(selector)}/value", {"text": str(path)})

    def errors(self):
        """Returns error messages of the console since the last call."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]

    def screenshot(self):
        """Returns a PNG of the window, in base64."""
        return self.call("GET", "/screenshot")
