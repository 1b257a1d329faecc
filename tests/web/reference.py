"""Runs an example of the playground with the `quern` tool, launch by launch, and returns its picture.

It interprets the same description (examples/NAME.json) as the page, so that the page's pixels can be compared with the cpu device.

usage: reference.py TOOL EXAMPLE.json [--frames N] [--set NAME=VALUE] [--on DEVICE] [--png FILE]
"""
import argparse
import ast
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

KERNEL = re.compile(r"__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\(([^)]*)\)")
BUFFER = re.compile(r"([iuf]\d+(?:x\d)?)\[([^\]]+)\](?:=(\S+))?")
SLIDER = re.compile(r"//\s*slider:\s*(\w+)\s*=\s*(\S+)\s+from")
FIXED_STEP = 1 / 60


def evaluate(text, scope):
    """Computes an arithmetic expression of a description."""
    def value(node):
        if isinstance(node, ast.BinOp):
            a, b = value(node.left), value(node.right)
            return {ast.Add: a + b, ast.Sub: a - b, ast.Mult: a * b}[type(node.op)] if not isinstance(node.op, ast.Div) else a / b
        return scope[node.id] if isinstance(node, ast.Name) else node.value
    return text if isinstance(text, (int, float)) else value(ast.parse(text, mode="eval").body)


def test_picture(width, height):
    """The picture of `=image` buffers before a reader loads one, as in worker/buffers.js."""
    pixels = []
    for y in range(height):
        for x in range(width):
            u, v = x * 1024 // width, y * 768 // height
            cx, cy = u % 256 - 128, v % 256 - 128
            disk, ring = cx * cx + cy * cy < 9000, cx * cx + cy * cy < 2500
            r = 250 if ring else 30 + (u >> 3) if disk else 20 + (v >> 5)
            g = 180 if ring else 90 + (v >> 3) if disk else 24 + (u >> 5)
            b = 60 + (u >> 4) if ring else 220 - (u >> 4) if disk else 66 if (u + v) % 128 < 64 else 40
            pixels.append(r | g << 8 | b << 16 | 255 << 24)
    return struct.pack(f"<{len(pixels)}I", *pixels)


class Reference:
    """One run of an example."""

    def __init__(self, tool, example, device="cpu", simulator=False, overrides=None):
        self.tool, self.device, self.overrides = tool, device, overrides or {}
        self.source = example.with_suffix(".cu")
        self.settings = json.loads(example.read_text(encoding="utf-8"))
        text = self.source.read_text(encoding="utf-8")
        self.kernels = {name: [part.split()[-1].lstrip("*") for part in parameters.split(",")] for name, parameters in KERNEL.findall(text)}
        self.values = {name: float(value) for name, value in SLIDER.findall(text)}
        self.values |= self.settings.get("values", {}) | (self.settings.get("simulator", {}) if simulator else {}) | self.overrides
        self.output = ""
        self.folder = tempfile.TemporaryDirectory()
        self.buffers = {}
        for name, spec in self.settings.get("buffers", {}).items():
            self.buffers[name] = self.allocate(name, spec)

    def allocate(self, name, spec):
        """Returns the argument of `quern run` for a buffer; later launches replace it by a file."""
        element, size, start = BUFFER.fullmatch(spec).groups()
        count = int(evaluate(size, self.values))
        if start == "image":
            path = pathlib.Path(self.folder.name) / f"{name}.bin"
            path.write_bytes(test_picture(self.values["width"], self.values["height"]))
            start = f"@{path}"
        return {"type": element, "count": count, "argument": f"{element}[{count}]" + (f"={start}" if start else "")}

    def run(self, frames):
        """Runs the setup and a number of frames, with the fixed time step of the page."""
        self.execute(self.settings.get("setup", []), self.inputs(0))
        for frame in range(frames if self.settings.get("frame") else 0):
            self.execute(self.settings["frame"], self.inputs(frame))
        return self

    @staticmethod
    def inputs(frame):
        time = 0.0
        for _ in range(frame):
            time += FIXED_STEP
        return {"time": time, "frame": frame, "delta_time": FIXED_STEP, "mouse_x": 0, "mouse_y": 0, "mouse_dx": 0, "mouse_dy": 0, "mouse_down": 0, "keys": 0}

    def execute(self, steps, inputs):
        for step in steps:
            if "swap" in step:
                a, b = step["swap"]
                self.buffers[a], self.buffers[b] = self.buffers[b], self.buffers[a]
            elif "steps" in step:
                for _ in range(int(evaluate(step["repeat"], self.values))):
                    self.execute(step["steps"], inputs)
            else:
                self.launch(step, inputs)

    def launch(self, step, inputs):
        scope = self.values | inputs | self.overrides
        block = [int(evaluate(size, scope)) for size in step["block"]]
        grid = [-(-int(evaluate(size, scope)) // block[i]) for i, size in enumerate(step["threads"])]
        parameters = self.kernels[step["kernel"]]
        sources = {name: step.get("arguments", {}).get(name, name) for name in parameters}
        arguments, saves = [], []
        for name in parameters:
            if sources[name] in self.buffers:
                arguments.append(self.buffers[sources[name]]["argument"])
                saves += ["--save", f"{name}={self.folder.name}/{sources[name]}.new.npy"]
            else:
                value = evaluate(sources[name], scope)
                arguments.append(str(int(value)) if value == int(value) else repr(value))
        command = [self.tool, "run", f"{self.source}:{step['kernel']}", *arguments, "--on", self.device, "--json", "--values", "1",
                   "--grid", ",".join(map(str, grid)), "--block", ",".join(map(str, block)), *saves]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} failed: {done.stdout}{done.stderr}")
        self.output += json.loads(done.stdout)["runs"][0]["printed"]
        for name in parameters:
            fresh = pathlib.Path(f"{self.folder.name}/{sources[name]}.new.npy")
            if sources[name] in self.buffers and fresh.exists():
                buffer = self.buffers[sources[name]]
                path = fresh.with_name(f"{id(buffer)}.bin")
                path.write_bytes(npy_data(fresh))
                fresh.unlink()
                buffer["argument"] = f"{buffer['type']}[{buffer['count']}]=@{path}"

    def picture(self):
        """Returns width, height and the pixels as RGBA bytes."""
        display = self.settings["display"]
        width, height = (int(evaluate(display[key], self.values)) for key in ("width", "height"))
        data = pathlib.Path(self.buffers[display["buffer"]]["argument"].split("=@")[1]).read_bytes()
        return width, height, data[:4 * width * height]


def npy_data(path):
    """Returns the data of a .npy file, without its header."""
    data = path.read_bytes()
    size = struct.unpack("<H", data[8:10])[0] + 10 if data[6] == 1 else struct.unpack("<I", data[8:12])[0] + 12
    return data[size:]


def write_png(path, width, height, rgba):
    """Writes RGBA bytes as a PNG file."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + rgba[4 * width * y:4 * width * (y + 1)] for y in range(height))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)) +
                     chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("example", type=pathlib.Path)
    parser.add_argument("--frames", type=int, default=2)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--on", default="cpu")
    parser.add_argument("--png", type=pathlib.Path)
    options = parser.parse_args()
    overrides = {name: float(value) if "." in value else int(value) for name, value in (each.split("=") for each in options.set)}
    run = Reference(options.tool, options.example, options.on, overrides=overrides).run(options.frames)
    print(run.output, end="")
    if options.png and "display" in run.settings:
        write_png(options.png, *run.picture())


if __name__ == "__main__":
    sys.exit(main())
