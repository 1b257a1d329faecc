"""A small WebDriver client for Chromium: only the calls that the tests need, without packages."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

# SwiftShader for kernels and for the compositor: with other combinations, WebGPU loses its device when it draws on a canvas.
WEBGPU = ["--enable-unsafe-webgpu", "--enable-features=Vulkan", "--use-vulkan=swiftshader", "--use-angle=vulkan"]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Tab": "\ue004", "Shift": "\ue008", "Control": "\ue009", "Escape": "\ue00c", "Enter": "\ue007", "End": "\ue010", "Home": "\ue011",
        "ArrowLeft": "\ue012", "ArrowRight": "\ue014", "F8": "\ue038", "Backspace": "\ue003"}


def find(*names):
    """Returns the path of the first installed program, or None."""
    return next((path for path in map(shutil.which, names) if path), None)


def driver_command(port, folder):
    """Returns the command that starts chromedriver.

    SwiftShader selects instructions by the name of the processor. A virtual machine may name a Neoverse V1 without offering SVE:
    SwiftShader then crashes. Root can show it another name, in a mount namespace of its own.
    """
    command = [find("chromedriver"), f"--port={port}"]
    path = pathlib.Path("/proc/cpuinfo")
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if "0xd40" not in text or " sve" in text or os.geteuid() != 0 or not find("unshare"):
        return command
    other = pathlib.Path(folder) / "cpuinfo"
    other.write_text(text.replace("0xd40", "0xd0c"), encoding="utf-8")
    return ["unshare", "-m", "sh", "-c", f"mount --bind {other} {path} && exec {' '.join(command)}"]


class Browser:
    """One headless window. Use it as a context manager."""

    def __init__(self, webgpu=True, width=1400, height=900, arguments=()):
        with socket.socket() as probe:
            probe.bind(("localhost", 0))
            self.port = probe.getsockname()[1]
        self.folder = tempfile.TemporaryDirectory()
        self.driver = subprocess.Popen(driver_command(self.port, self.folder.name), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        flags = ["--headless=new", "--no-sandbox", f"--window-size={width},{height}", *(WEBGPU if webgpu else []), *arguments]
        options = {"binary": str(pathlib.Path(find("chromium", "google-chrome"))), "args": flags}
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}}
        self.session = ""
        self.session = "/session/" + self.retry(lambda: self.call("POST", "/session", wanted))["sessionId"]
        self.call("POST", "/timeouts", {"script": 180000})

    def retry(self, action):
        """Repeats a call until the driver has started."""
        for _ in range(100):
            try:
                return action()
            except urllib.error.URLError:
                time.sleep(0.1)
        raise RuntimeError("chromedriver did not start")

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://localhost:{self.port}{self.session}{path}", data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"].split("\n")[0]) from None

    def open(self, url):
        """Opens a page in a fresh document, also if only the fragment differs."""
        self.call("POST", "/url", {"url": "about:blank"})
        self.call("POST", "/url", {"url": url})

    def script(self, text, *arguments):
        return self.call("POST", "/execute/sync", {"script": text, "args": list(arguments)})

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

    def click(self, selector):
        element = self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]
        self.call("POST", f"/element/{element}/click", {})

    def errors(self):
        """Returns error messages of the console since the last call."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]

    def screenshot(self):
        """Returns a PNG of the window, in base64."""
        return self.call("GET", "/screenshot")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.folder.cleanup()
