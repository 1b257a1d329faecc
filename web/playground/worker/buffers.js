// Buffers of a program: allocation and initial contents.

import { parseBuffer } from "../scripts/settings.js";

/**
 * Allocates the buffers of a description.
 * @param {any} device @param {Record<string, string>} texts @param {Record<string, number>} scope
 * @param {(width: number, height: number) => Uint32Array} picture the current image or webcam frame
 * @returns {Map<string, {buffer: any, components: number, image: boolean}>}
 */
export function allocateBuffers(device, texts, scope, picture) {
  const buffers = new Map();
  for (const [name, text] of Object.entries(texts)) {
    const spec = parseBuffer(text, scope);
    const length = spec.count * spec.components;
    const image = spec.init === "image";
    const data = image ? imageData(spec, scope, picture) : contents(spec, length);
    const buffer = data ? device.upload(data, { label: name }) : device.allocate(spec.array, length, { label: name });
    buffers.set(name, { buffer, components: spec.components, image });
  }
  return buffers;
}

/** @param {ReturnType<parseBuffer>} spec @param {Record<string, number>} scope @param {(width: number, height: number) => Uint32Array} picture */
function imageData(spec, scope, picture) {
  const { width, height } = scope;
  if (spec.type !== "u32" || spec.count !== width * height) throw new Error("a buffer with '=image' must be u32[width * height]");
  return picture(width, height);
}

/** Initial contents, or undefined for uninitialized memory. @param {ReturnType<parseBuffer>} spec @param {number} length @returns {any} */
function contents(spec, length) {
  if (spec.init === "") return undefined;
  const data = new spec.array(length);
  const big = data instanceof BigInt64Array || data instanceof BigUint64Array;
  const set = (/** @type {number} */ i, /** @type {number} */ value) => { data[i] = big ? BigInt(Math.trunc(value)) : value; };
  if (spec.init === "iota") for (let i = 0; i < length; ++i) set(i, i);
  else if (spec.init.startsWith("rand")) fillRandom(spec, length, set);
  else {
    const value = Number(spec.init);
    if (Number.isNaN(value)) throw new Error(`'${spec.init}' is not a start value; use a number, iota, rand:7 or image`);
    if (value !== 0) for (let i = 0; i < length; ++i) set(i, value);
  }
  return data;
}

/** Floats in [0, 1), integers in [0, 100). @param {ReturnType<parseBuffer>} spec @param {number} length @param {(i: number, value: number) => void} set */
function fillRandom(spec, length, set) {
  let state = Number(spec.init.split(":")[1] ?? 1) >>> 0;
  for (let i = 0; i < length; ++i) {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    const unit = ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    set(i, spec.type.startsWith("f") ? unit : Math.floor(100 * unit));
  }
}

/** The picture of `=image` before one is loaded: disks and stripes. @param {number} width @param {number} height @returns {Uint32Array} */
export function testPicture(width, height) {
  const pixels = new Uint32Array(width * height);
  for (let y = 0; y < height; ++y) {
    for (let x = 0; x < width; ++x) {
      const u = Math.floor((x * 1024) / width), v = Math.floor((y * 768) / height);
      const cx = (u % 256) - 128, cy = (v % 256) - 128;
      const disk = cx * cx + cy * cy < 9000, ring = cx * cx + cy * cy < 2500;
      const r = ring ? 250 : disk ? 30 + (u >> 3) : 20 + (v >> 5);
      const g = ring ? 180 : disk ? 90 + (v >> 3) : 24 + (u >> 5);
      const b = ring ? 60 + (u >> 4) : disk ? 220 - (u >> 4) : (u + v) % 128 < 64 ? 66 : 40;
      pixels[y * width + x] = (r | (g << 8) | (b << 16) | (255 << 24)) >>> 0;
    }
  }
  return pixels;
}
