// The description of a program: values, buffers, launches and the picture. Examples have one as a .json file; links contain one.

import { evaluate } from "./expression.js";

/**
 * @typedef {{kernel: string, threads: (string | number)[], block: (string | number)[], arguments?: Record<string, string | number>}} Launch
 * @typedef {{swap: [string, string]}} Swap exchanges two buffers
 * @typedef {{repeat: string | number, steps: Step[]}} Repeat
 * @typedef {Launch | Swap | Repeat} Step
 * @typedef {{title: string, summary: string, device?: "webgpu" | "sim", values: Record<string, number>,
 *   simulator: Record<string, number>, buffers: Record<string, string>, setup: Step[], frame: Step[],
 *   display?: {buffer: string, width: string | number, height: string | number},
 *   metrics: {label: string, kernel: string, work: string | number}[]}} Settings
 * @typedef {{name: string, value: number, min: number, max: number, step: number}} Slider
 */

/** Names that the page supplies to every kernel, with their meaning. */
export const kLiveInputs = {
  time: "seconds since the start",
  delta_time: "seconds since the previous frame",
  frame: "number of the frame, from 0",
  mouse_x: "position of the pointer, in pixels of the picture",
  mouse_y: "position of the pointer, in pixels of the picture",
  mouse_dx: "motion of the pointer since the previous frame",
  mouse_dy: "motion of the pointer since the previous frame",
  mouse_down: "1 while a button or a finger is down",
  keys: "pressed keys: 1 left, 2 right, 4 up, 8 down, 16 space, 32 shift",
};

export const kLimits = { source: 200_000, steps: 64, buffers: 32, values: 64, repeat: 4096, elements: 2 ** 27, side: 4096 };

const kName = /^[A-Za-z_]\w{0,63}$/;
const kBuffer = /^\s*([iuf](?:8|16|32|64))(?:x([234]))?\s*\[([^\]]+)\]\s*(?:=\s*(\S+)\s*)?$/;
const kArrays = { i8: Int8Array, u8: Uint8Array, i16: Int16Array, u16: Uint16Array, i32: Int32Array, u32: Uint32Array,
  f32: Float32Array, f64: Float64Array, i64: BigInt64Array, u64: BigUint64Array };

/**
 * Parses the text of a buffer, which has the form of an argument of `quern run`: "f32x4[n]=0", "u32[64]=iota", "f32[n]=rand:7",
 * "u32[width * height]=image".
 * @param {string} text @param {Record<string, number>} scope
 */
export function parseBuffer(text, scope) {
  const match = kBuffer.exec(text);
  if (!match) throw new Error(`'${text}' is not a buffer; write for example f32[1024]=0`);
  const [, type, components, size, init] = match;
  const array = kArrays[/** @type {keyof kArrays} */ (type)];
  if (!array) throw new Error(`'${text}': no array type for '${type}'; use i8 to i64, u8 to u64, f32 or f64`);
  const count = Math.floor(evaluate(size, scope));
  if (count < 1 || count > kLimits.elements) throw new Error(`'${text}': ${count} elements; 1 to ${kLimits.elements} are possible`);
  return { type, array, components: Number(components ?? 1), count, init: init ?? "" };
}

/**
 * Checks a description that comes from a file or a link, and fills in what is missing. Unknown keys are dropped.
 * @param {any} raw @returns {Settings}
 * @throws {Error} that names the wrong entry
 */
export function checkSettings(raw) {
  if (typeof raw !== "object" || raw === null) throw new Error("the settings are not an object");
  const counter = { steps: 0 };
  const display = raw.display && { buffer: name(raw.display.buffer, "display.buffer"),
    width: size(raw.display.width, "display.width"), height: size(raw.display.height, "display.height") };
  return {
    title: text(raw.title ?? "Untitled", "title", 80),
    summary: text(raw.summary ?? "", "summary", 400),
    device: raw.device === "sim" ? "sim" : raw.device === "webgpu" ? "webgpu" : undefined,
    values: map(raw.values ?? {}, "values", kLimits.values, number),
    simulator: map(raw.simulator ?? {}, "simulator", kLimits.values, number),
    buffers: map(raw.buffers ?? {}, "buffers", kLimits.buffers, (value, where) => text(value, where, 200)),
    setup: steps(raw.setup ?? [], "setup", counter, 0),
    frame: steps(raw.frame ?? [], "frame", counter, 0),
    display: display || undefined,
    metrics: list(raw.metrics ?? [], "metrics", 8).map((metric) => ({ label: text(metric?.label, "metrics.label", 40),
      kernel: name(metric?.kernel, "metrics.kernel"), work: size(metric?.work, "metrics.work") })),
  };
}

/** @param {any} value @param {string} where @param {number} limit @returns {string} */
function text(value, where, limit) {
  if (typeof value !== "string" || value.length > limit) throw new Error(`${where} must be a text of at most ${limit} characters`);
  return value;
}

/** @param {any} value @param {string} where @returns {string} */
function name(value, where) {
  if (typeof value !== "string" || !kName.test(value)) throw new Error(`${where} must be a name`);
  return value;
}

/** @param {any} value @param {string} where @returns {number} */
function number(value, where) {
  if (typeof value !== "number" || !Number.isFinite(value)) throw new Error(`${where} must be a number`);
  return value;
}

/** @param {any} value @param {string} where @returns {string | number} */
function size(value, where) {
  return typeof value === "number" ? number(value, where) : text(value, where, 200);
}

/** @param {any} value @param {string} where @param {number} limit @returns {any[]} */
function list(value, where, limit) {
  if (!Array.isArray(value) || value.length > limit) throw new Error(`${where} must be a list of at most ${limit} entries`);
  return value;
}

/**
 * @template T
 * @param {any} value @param {string} where @param {number} limit @param {(value: any, where: string) => T} entry
 * @returns {Record<string, T>}
 */
function map(value, where, limit, entry) {
  if (typeof value !== "object" || value === null) throw new Error(`${where} must be an object`);
  const entries = list(Object.entries(value), where, limit);
  return Object.fromEntries(entries.map(([key, item]) => [name(key, where), entry(item, `${where}.${key}`)]));
}

/** @param {any} raw @param {string} where @param {{steps: number}} counter @param {number} depth @returns {Step[]} */
function steps(raw, where, counter, depth) {
  return list(raw, where, kLimits.steps).map((step) => {
    if (++counter.steps > kLimits.steps) throw new Error(`there are more than ${kLimits.steps} steps`);
    if (step?.swap) return { swap: [name(step.swap[0], `${where}.swap`), name(step.swap[1], `${where}.swap`)] };
    if (step?.steps) {
      if (depth > 2) throw new Error(`${where} is nested too deeply`);
      return { repeat: size(step.repeat ?? 1, `${where}.repeat`), steps: steps(step.steps, where, counter, depth + 1) };
    }
    return launch(step, where);
  });
}

/** @param {any} step @param {string} where @returns {Launch} */
function launch(step, where) {
  const sizes = (/** @type {any} */ value, /** @type {string} */ key) =>
    list(value, `${where}.${key}`, 3).map((item) => size(item, `${where}.${key}`));
  return { kernel: name(step?.kernel, `${where}.kernel`), threads: sizes(step.threads ?? [256], "threads"), block: sizes(step.block ?? [256], "block"),
    ...(step.arguments ? { arguments: map(step.arguments, `${where}.arguments`, 32, size) } : {}) };
}

/**
 * All launches of a description, in order.
 * @param {Settings} settings @returns {Launch[]}
 */
export function launches(settings) {
  const flat = (/** @type {Step[]} */ list) => list.flatMap((step) => ("kernel" in step ? [step] : "steps" in step ? flat(step.steps) : []));
  return [...flat(settings.setup), ...flat(settings.frame)];
}

const kSlider = /\/\/\s*slider:\s*([A-Za-z_]\w*)\s*=\s*(\S+)\s+from\s+(\S+)\s+to\s+(\S+)(?:\s+step\s+(\S+))?/g;

/**
 * Sliders that comments of the source declare: `// slider: speed = 1 from 0 to 4 step 0.1`.
 * @param {string} source @returns {Slider[]}
 */
export function findSliders(source) {
  const found = [];
  for (const [, label, ...numbers] of source.matchAll(kSlider)) {
    const [value, min, max] = numbers.map(Number);
    const step = Number(numbers[3] ?? (max - min) / 100);
    if ([value, min, max, step].every(Number.isFinite) && min < max && step > 0) found.push({ name: label, value, min, max, step });
  }
  return found.slice(0, 16);
}

/**
 * Adds what the kernels of an edited source need: a launch if no launch refers to them, a buffer or a value for each new
 * parameter.
 * @param {Settings} settings @param {any[]} kernels KernelInfo of the compiler @param {string} source @returns {Settings}
 */
export function completeSettings(settings, kernels, source) {
  const result = structuredClone(settings);
  const find = (/** @type {Launch} */ step) => kernels.find((kernel) => kernel.name === step.kernel);
  if (kernels.length > 0 && !launches(result).some(find)) startOver(result, kernels[0]);
  const known = new Set([...Object.keys(kLiveInputs), ...findSliders(source).map((slider) => slider.name)]);
  for (const step of launches(result)) {
    for (const parameter of find(step)?.parameters ?? []) {
      if (step.arguments && parameter.name in step.arguments) continue;
      if (parameter.kind === "pointer") result.buffers[parameter.name] ??= `${elementType(parameter)}[1024]=0`;
      else if (parameter.kind !== "struct" && !known.has(parameter.name)) result.values[parameter.name] ??= 0;
    }
  }
  return result;
}

/** Launches only `kernel`: under its new name if it was the only one, else once. @param {Settings} settings @param {any} kernel */
function startOver(settings, kernel) {
  const old = launches(settings);
  if (old.length === 1) {
    old[0].kernel = kernel.name;
    return;
  }
  settings.setup = [{ kernel: kernel.name, threads: [256], block: [kernel.block?.[0] ?? 256] }];
  settings.frame = [];
  settings.metrics = [];
  if (!kernel.parameters.some((/** @type {any} */ parameter) => parameter.name === settings.display?.buffer)) settings.display = undefined;
}

/** @param {any} parameter @returns {string} the element type in the notation of buffers */
function elementType(parameter) {
  const vector = /^(?:const )?(u?)(char|short|int|long|longlong|float|double)([234])?\b/.exec((parameter.element ?? "").replace("unsigned ", "u"));
  if (!vector) return `u${8 * Math.min(8, parameter.bytes || 4)}`;
  const bits = { char: 8, short: 16, int: 32, long: 64, longlong: 64, float: 32, double: 64 }[vector[2]];
  const letter = vector[2] === "float" || vector[2] === "double" ? "f" : vector[1] ? "u" : "i";
  return `${letter}${bits}${vector[3] ? `x${vector[3]}` : ""}`;
}
