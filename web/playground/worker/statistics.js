// Times and counters of a run, and the figures that the description asks for.

import { evaluate } from "../scripts/expression.js";

const kSmooth = 0.2;

export class Statistics {
  /** @param {any} device @param {import("../scripts/settings.js").Settings} settings @param {Record<string, number>} values */
  constructor(device, settings, values) {
    this.device = device;
    this.settings = settings;
    this.values = values;
    this.frames = 0;
    this.compileMs = 0;
    this.launchMs = 0;
    this.frameMs = 0;
    /** @type {number | undefined} GPU time of a frame, in ms */
    this.gpuMs = undefined;
    /** @type {Map<string, {seconds: number, clock: "gpu" | "wall"}>} of one launch, by kernel */
    this.kernels = new Map();
    this.previous = { ...device.counters };
    /** @type {Record<string, number>} counters of the latest frame */
    this.perFrame = {};
  }

  /** @param {number} launchMs @param {number} frameMs time since the previous frame */
  frame(launchMs, frameMs) {
    ++this.frames;
    this.launchMs = this.frames === 1 ? launchMs : mix(this.launchMs, launchMs);
    if (this.frames > 1) this.frameMs = this.frames === 2 ? frameMs : mix(this.frameMs, frameMs);
    const now = { ...this.device.counters };
    this.perFrame = Object.fromEntries(Object.keys(now).map((key) => [key, now[key] - this.previous[key]]));
    this.previous = now;
  }

  /** @param {{kernel: string, seconds: number, clock: "gpu" | "wall"}[]} samples launches of one frame */
  sampled(samples) {
    if (samples.length === 0) return;
    const onGpu = samples.every((sample) => sample.clock === "gpu");
    this.gpuMs = onGpu ? samples.reduce((sum, sample) => sum + 1000 * sample.seconds, 0) : undefined;
    for (const { kernel, seconds, clock } of samples) {
      const known = this.kernels.get(kernel);
      this.kernels.set(kernel, { clock, seconds: known ? mix(known.seconds, seconds) : seconds });
    }
  }

  /** A message for the page. */
  report() {
    const metrics = this.settings.metrics.map(({ label, kernel, work }) => {
      const time = this.kernels.get(kernel);
      return { label, clock: time?.clock, value: time && time.seconds > 0 ? evaluate(work, this.values) / time.seconds : undefined };
    });
    return { driver: this.device.info.driver, frames: this.frames, compileMs: this.compileMs, launchMs: this.launchMs, frameMs: this.frameMs, gpuMs: this.gpuMs,
      perFrame: this.perFrame, metrics, kernels: [...this.kernels].map(([kernel, time]) => ({ kernel, ...time })) };
  }
}

/** @param {number} old @param {number} value */
function mix(old, value) {
  return old + kSmooth * (value - old);
}
