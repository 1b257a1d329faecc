// A compiled source with its buffers and launches.

import { evaluate } from "../scripts/expression.js";
import { kLimits } from "../scripts/settings.js";
import { allocateBuffers } from "./buffers.js";

/** @typedef {import("../scripts/settings.js").Settings} Settings */
/** @typedef {import("../scripts/settings.js").Step} Step */

/** An error of the description, with the fields of QuernError. */
export class ProgramError extends Error {
  /** @param {string} message @param {string} hint */
  constructor(message, hint) {
    super(message);
    this.kind = "invalid use";
    this.hint = hint;
    this.diagnostics = [];
  }
}

export class Program {
  /**
   * @param {any} device @param {any} module compiled kernels @param {Settings} settings @param {Record<string, number>} values
   * @param {(width: number, height: number) => Uint32Array} picture
   */
  constructor(device, module, settings, values, picture) {
    this.device = device;
    this.module = module;
    this.settings = settings;
    this.values = values;
    this.picture = picture;
    try {
      this.buffers = allocateBuffers(device, settings.buffers, values, picture);
    } catch (error) {
      throw error.kind ? error : new ProgramError(`allocation failed: ${error.message}`, "change the buffers in the panel \"Launch\"");
    }
  }

  /**
   * Runs steps in order.
   * @param {Step[]} steps @param {Record<string, number>} inputs live inputs
   * @param {(kernel: string, receipt: any, start: number) => void | Promise<void>} launched called after each launch is queued
   * @param {boolean} timed
   */
  async execute(steps, inputs, launched, timed) {
    for (const step of steps) {
      if ("swap" in step) this.swap(step.swap);
      else if ("steps" in step) await this.repeat(step, inputs, launched, timed);
      else {
        const start = performance.now();
        await launched(step.kernel, await this.launch(step, inputs, timed), start);
      }
    }
  }

  /** @param {import("../scripts/settings.js").Repeat} step @param {Record<string, number>} inputs @param {any} launched @param {boolean} timed */
  async repeat(step, inputs, launched, timed) {
    const count = Math.floor(evaluate(step.repeat, { ...this.values, ...inputs }));
    if (count > kLimits.repeat) throw new ProgramError(`repeat failed: ${count} repetitions; the limit is ${kLimits.repeat}`, "repeat less often");
    for (let i = 0; i < count; ++i) await this.execute(step.steps, inputs, launched, timed);
  }

  /** @param {[string, string]} names */
  swap([a, b]) {
    const first = this.find(a, "swap"), second = this.find(b, "swap");
    this.buffers.set(a, second);
    this.buffers.set(b, first);
  }

  /** @param {string} name @param {string} user */
  find(name, user) {
    const found = this.buffers.get(name);
    if (!found) throw new ProgramError(`${user} failed: no buffer '${name}'`, `add the buffer '${name}' in the panel "Launch"`);
    return found;
  }

  /** @param {import("../scripts/settings.js").Launch} step @param {Record<string, number>} inputs @param {boolean} timed */
  launch(step, inputs, timed) {
    const kernel = Object.hasOwn(this.module, step.kernel) ? this.module[step.kernel] : undefined;
    if (!kernel) {
      throw new ProgramError(`launch failed: the source has no kernel '${step.kernel}'`, `select one of ${Object.keys(this.module).map((name) => `'${name}'`).join(", ")} in the panel "Launch"`);
    }
    const scope = { ...this.values, ...inputs };
    const block = this.sizes(step.block, scope, step.kernel);
    const threads = this.sizes(step.threads, scope, step.kernel);
    const grid = threads.map((count, i) => Math.ceil(count / (block[i] ?? 1)));
    const args = kernel.parameters.map((/** @type {any} */ parameter) => this.argument(step, parameter, scope));
    return kernel({ grid, block, timed }, ...args);
  }

  /** @param {(string | number)[]} texts @param {Record<string, number>} scope @param {string} kernel */
  sizes(texts, scope, kernel) {
    return texts.map((text) => {
      const value = Math.floor(this.evaluate(text, scope, kernel));
      if (value < 1) throw new ProgramError(`launch of '${kernel}' failed: the size '${text}' is ${value}`, "use sizes of 1 or more");
      return value;
    });
  }

  /** @param {string | number} text @param {Record<string, number>} scope @param {string} kernel */
  evaluate(text, scope, kernel) {
    try {
      return evaluate(text, scope);
    } catch (error) {
      throw new ProgramError(`launch of '${kernel}' failed: ${error.message}`, "change the size in the panel \"Launch\"");
    }
  }

  /** @param {import("../scripts/settings.js").Launch} step @param {any} parameter @param {Record<string, number>} scope */
  argument(step, parameter, scope) {
    const source = step.arguments && Object.hasOwn(step.arguments, parameter.name) ? step.arguments[parameter.name] : parameter.name;
    if (parameter.kind === "pointer") return this.find(String(source), `launch of '${step.kernel}'`).buffer;
    if (parameter.kind === "struct") {
      throw new ProgramError(`launch of '${step.kernel}' failed: the parameter '${parameter.name}' is a struct`, "pass its members as separate parameters, or in a buffer");
    }
    if (source === parameter.name && !Object.hasOwn(scope, parameter.name)) {
      throw new ProgramError(`launch of '${step.kernel}' failed: no value for the parameter '${parameter.name}'`, `add the value '${parameter.name}' in the panel "Launch"`);
    }
    const value = this.evaluate(source, scope, step.kernel);
    if (parameter.kind === "boolean") return value !== 0;
    if (parameter.kind === "real") return value;
    return parameter.bytes === 8 ? BigInt(Math.trunc(value)) : Math.trunc(value);
  }

  /** Uploads a new image or webcam frame. @returns {boolean} whether a buffer uses it */
  uploadPicture() {
    let used = false;
    for (const { buffer, image } of this.buffers.values()) {
      if (!image) continue;
      buffer.upload(this.picture(this.values.width, this.values.height));
      used = true;
    }
    return used;
  }

  /** The buffer and size of the picture, if the description has one. */
  display() {
    const display = this.settings.display;
    if (!display) return undefined;
    const width = Math.floor(this.evaluate(display.width, this.values, "display")), height = Math.floor(this.evaluate(display.height, this.values, "display"));
    if (width < 1 || height < 1 || width > kLimits.side || height > kLimits.side) {
      throw new ProgramError(`display failed: ${width} x ${height} pixels; 1 to ${kLimits.side} are possible`, "change 'width' and 'height'");
    }
    const { buffer, components } = this.find(display.buffer, "display");
    if (buffer.length < width * height * components) {
      throw new ProgramError(`display failed: '${display.buffer}' has fewer than ${width} x ${height} pixels`, "enlarge the buffer in the panel \"Launch\"");
    }
    return { buffer, components, width, height };
  }

  destroy() {
    for (const { buffer } of this.buffers.values()) buffer.destroy();
    this.buffers.clear();
  }
}
