"""Browsers for the tests: WebDriver calls without packages, and a server for build/web."""
import http.server
import json
import pathlib
import platform
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves `folders`: the first one that has the file, by the prefix of its path."""
    folders = {}

    def translate_path(self, path):
        path = path.split("?")[0].split("#")[0]
        for prefix, folder in self.folders.items():
            if path.startswith(prefix):
                return str(pathlib.Path(folder) / path[len(prefix):])
        return "/nonexistent"

    def log_message(self, *_):
        pass


Handler.extensions_map = {**Handler.extensions_map, ".js": "text/javascript", ".wasm": "application/wasm"}


def serve(folders):
    """Starts a server; returns its address. Longer prefixes come first."""
    handler = type("Serving", (Handler,), {"folders": dict(sorted(folders.items(), key=lambda item: -len(item[0])))})
    server = http.server.ThreadingHTTPServer(("localhost", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://localhost:{server.server_port}"


def plain_cpu(folder):
    """Flags for Chromium on machines whose processor has no SVE, but a name that implies it (plain_cpu.c)."""
    info = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    if platform.machine() != "aarch64" or "sve" in info or not shutil.which("cc"):
        return []
    library, other = f"{folder}/plain_cpu.so", f"{folder}/cpuinfo"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, str(HERE / "plain_cpu.c"), "-ldl"], check=True)
    lines = [("CPU part\t: 0xd0c" if line.startswith("CPU part") else line) for line in info.splitlines()]  # Neoverse N1
    pathlib.Path(other).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ["--no-zygote", f"--gpu-launcher=env LD_PRELOAD={library} QUERN_CPUINFO={other}"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


class Browser:
    """A headless window. Use it as a context manager."""

    def open(self, url):
        raise NotImplementedError

    def script(self, text):
        raise NotImplementedError

    def wait(self, condition, seconds, what):
        """Waits until the expression is true, as long as `what` (an expression) changes at least every `seconds`."""
        last, since = None, time.monotonic()
        while not self.script(f"return !!({condition})"):
            now = self.script(f"return JSON.stringify({what})")
            if now != last:
                last, since = now, time.monotonic()
            if time.monotonic() - since > seconds:
                raise TimeoutError(f"nothing happened for {seconds} s: {now}")
            time.sleep(0.2)


class Chromium(Browser):
    """By chromedriver (WebDriver)."""
    programs = ["chromium", "chromedriver"]

    def __init__(self, flags=("--enable-unsafe-webgpu",)):
        self.folder = tempfile.TemporaryDirectory()
        port = free_port()
        self.url = f"http://localhost:{port}"
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        flags = ["--headless=new", "--no-sandbox", *flags, *plain_cpu(self.folder.name)]
        options = {"goog:chromeOptions": {"binary": shutil.which("chromium"), "args": flags}, "goog:loggingPrefs": {"browser": "ALL"}}
        self.url += "/session/" + self.start({"capabilities": {"alwaysMatch": options}})
        self.call("POST", "/timeouts", {"script": 180000})

    def start(self, wanted):
        """Waits for the driver; returns the session."""
        for _ in range(200):
            try:
                return self.call("POST", "/session", wanted)["sessionId"]
            except urllib.error.URLError:
                time.sleep(0.1)
        raise RuntimeError("chromedriver did not start within 20 s")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.folder.cleanup()

    def call(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.url + path, data=data, method=method, headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=300) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from error

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def script(self, text, *arguments):
        return self.call("POST", "/execute/sync", {"script": text, "args": list(arguments)})


class Firefox(Browser):
    """By Marionette, the protocol of geckodriver: messages are their length, a colon and JSON."""
    programs = ["firefox-esr"]
    prefs = {"dom.webgpu.enabled": True, "gfx.webgpu.ignore-blocklist": True, "dom.webgpu.workers.enabled": True,
             "datareporting.policy.dataSubmissionEnabled": False}

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        port = free_port()
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in {**self.prefs, "marionette.port": port}.items()]
        pathlib.Path(self.folder.name, "user.js").write_text("\n".join(lines), encoding="utf-8")
        self.process = subprocess.Popen(["firefox-esr", "-headless", "-marionette", "-no-remote", "-profile", self.folder.name],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            try:
                self.socket = socket.create_connection(("localhost", port), timeout=120)
                break
            except OSError:
                time.sleep(0.1)
        self.number = 0
        self.receive()  # its greeting
        self.call("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {"pageLoadStrategy": "normal"}}})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def receive(self):
        digits = b""
        while not digits.endswith(b":"):
            digits += self.socket.recv(1)
        data = b""
        while len(data) < int(digits[:-1]):
            data += self.socket.recv(int(digits[:-1]) - len(data))
        return json.loads(data)

    def call(self, command, parameters):
        self.number += 1
        text = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(str(len(text)).encode() + b":" + text)
        _, _, error, result = self.receive()
        if error:
            raise RuntimeError(error["message"])
        return result

    def open(self, url):
        self.call("WebDriver:Navigate", {"url": url})

    def script(self, text):  # in the page itself: values of a sandbox could not see the page's variables
        return self.call("WebDriver:ExecuteScript", {"script": text, "args": [], "sandbox": None, "newSandbox": False})["value"]
