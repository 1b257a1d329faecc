#!/usr/bin/env python3
"""Writes the thumbnails of the gallery: opens examples in the page, runs them on WebGPU, and scales their pictures.

usage: tests/web/thumbnails.py [--web FOLDER] [--out FOLDER] [EXAMPLE=FRAMES…]
"""
import argparse
import base64
import pathlib
import sys

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
import webdriver
from browser import Browser

FRAMES = {"fluid": 120, "reaction_diffusion": 150, "nbody": 40}
STATE = "document.getElementById('state').dataset.state"
# The middle of the picture in the proportions of a thumbnail, 240 by 110 pixels.
SCALE = """
  const image = await playground.engine.snapshot();
  const whole = await createImageBitmap(image), height = Math.min(image.height, Math.round(image.width * 110 / 240));
  const canvas = new OffscreenCanvas(240, 110), context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(whole, 0, (image.height - height) / 2, image.width, height, 0, 0, 240, 110);
  const blob = await canvas.convertToBlob({type: 'image/webp', quality: 0.85});
  return btoa(String.fromCharCode(...new Uint8Array(await blob.arrayBuffer())));"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", type=pathlib.Path, default=webdriver.ROOT / "build/web")
    parser.add_argument("--out", type=pathlib.Path, default=webdriver.ROOT / "web/playground/examples")
    parser.add_argument("examples", nargs="*")
    options = parser.parse_args()
    frames = {name: int(count) for name, count in (each.split("=") for each in options.examples)} or FRAMES
    address = webdriver.serve({"/": options.web})
    with Browser() as browser:
        for example, count in frames.items():
            browser.open(f"{address}/playground/#example={example}&device=webgpu&frames={count}")
            browser.wait("document.documentElement.dataset.ready", 180)
            state = browser.wait(f"(['finished', 'stopped', 'lost'].includes({STATE}) && {STATE})", 900)
            if state != "finished":
                print(f"thumbnails: {example} is {state}: {browser.summary()}")
                return 1
            path = options.out / f"{example}.webp"
            path.write_bytes(base64.b64decode(browser.promise(SCALE)))
            print(f"{path}: {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
