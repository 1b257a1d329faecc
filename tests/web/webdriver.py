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


def chromium(folder):
    flags = ["--headless=new", "--no-sandbox", "--enable-unsafe-webgpu", *plain_cpu(folder)]
    options = {"binary": shutil.which("chromium") or shutil.which("google-chrome"), "args": flags}
    return ["chromedriver"], {"goog:chromeOptions": options}


def firefox(folder):
    prefs = {"dom.webgpu.enabled": True, "gfx.webgpu.ignore-blocklist": True, "dom.webgpu.workers.enabled": True,
             "javascript.options.wasm_js_promise_integration": True}
    return ["geckodriver", "--profile-root", folder], {"moz:firefoxOptions": {
        "binary": shutil.which("firefox-esr") or shutil.which("firefox"), "args": ["-headless"], "prefs": prefs}}


class Browser:
    """One headless window of chromium() or firefox(). Use it as a context manager."""

    def __init__(self, kind):
        self.folder = tempfile.TemporaryDirectory()
        command, options = kind(self.folder.name)
        with socket.socket() as probe:
            probe.bind(("localhost", 0))
            port = probe.getsockname()[1]
        self.url = f"http://localhost:{port}"
        port_flag = [f"--port={port}"] if command[0] == "chromedriver" else ["--port", str(port)]
        self.driver = subprocess.Popen([*command, *port_flag], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                self.session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": options}})["sessionId"]
                break
            except urllib.error.URLError:
                time.sleep(0.1)
        self.url += f"/session/{self.session}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "", None)
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.folder.cleanup()

    def call(self, method, path, body):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.url + path, data=data, method=method, headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from error

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def script(self, text):
        return self.call("POST", "/execute/sync", {"script": text, "args": []})

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
