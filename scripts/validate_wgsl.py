#!/usr/bin/env python3
"""Validates the WGSL of CUDA files with Tint, the WebGPU compiler of Chromium.

Usage: scripts/validate_wgsl.py QUERN_TOOL FILE.cu...
QUERN_CHROMIUM names the browser if it is not in PATH. It needs OpenGL ES through EGL (llvmpipe is sufficient).
"""
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

PAGE = b"""<body><script>(async () => {
  const refused = [];
  try {
    const adapter = await navigator.gpu.requestAdapter({featureLevel: "compatibility"});
    const device = await adapter.requestDevice();
    for (const [name, code] of await (await fetch("/texts")).json()) {
      device.pushErrorScope("validation");
      const info = await device.createShaderModule({code}).getCompilationInfo();
      await device.popErrorScope();
      const errors = info.messages.filter(m => m.type == "error").map(m => m.lineNum + ": " + m.message);
      if (errors.length) refused.push([name, errors[0]]);
    }
  } catch (e) { refused.push(["the browser", "" + e]); }
  await fetch("/done", {method: "POST", body: JSON.stringify(refused)});
})();</script></body>"""


def texts_of(tool, file):
    """Yields name and text of each kernel of a file that was emitted."""
    run = subprocess.run([tool, "emit", file, "--target", "wgsl"], capture_output=True, text=True, timeout=300)
    for part in re.split(r"^// kernel (?=[^'])", run.stdout, flags=re.M)[1:]:
        name, _, text = part.partition("\n")
        yield f"{file}:{name}", re.sub(r"^// kernel '.*$", "", text, flags=re.M)


def validate(texts, browser):
    """Returns the texts that Tint rejects, each with its first error."""
    done, answer = threading.Event(), []

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(texts).encode() if self.path == "/texts" else PAGE)

        def do_POST(self):
            answer.extend(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()
            done.set()

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [browser, "--headless=new", "--no-sandbox", "--enable-unsafe-webgpu", "--use-webgpu-adapter=opengles",
             "--use-angle=gl-egl", f"--user-data-dir={profile}", f"http://127.0.0.1:{server.server_port}/"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        answered = done.wait(600)
        process.terminate()
        process.wait()
    return answer if answered else [["the browser", "no answer within 600 s"]]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    browser = os.environ.get("QUERN_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("validate_wgsl: Chromium not found; set QUERN_CHROMIUM")
    texts = [t for file in sys.argv[2:] for t in texts_of(sys.argv[1], file)]
    refused = validate(texts, browser)
    for name, reason in refused:
        print(f"{name}: {reason}")
    print(f"{len(texts)} texts, {len(refused)} rejected by Tint")
    sys.exit(1 if refused else 0)


if __name__ == "__main__":
    main()
