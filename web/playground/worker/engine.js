// The device and the frame loop. One worker is one device session: the page ends the worker to stop anything that does not
// stop by itself, and starts a new one.
//
// Messages from the page: open, run, values, inputs, picture, pause, resume, step, snapshot.
// Messages to the page: opened, compiled, state, statistics, output, failed, lost, snapshot, pictureUsed.

import * as quern from "../../quern.js";
import { CopyPresenter, GpuPresenter } from "./present.js";
import { Program } from "./program.js";
import { Statistics } from "./statistics.js";
import { testPicture } from "./buffers.js";

const kFixedStep = 1 / 60;    // seconds per frame when the number of frames is given, or with "step"
const kFramesInFlight = 2;
const kSampleEvery = 20;      // every 20th frame is timed
const kReportMs = 250;
const kMaxOutput = 65536;     // characters of kernel output per frame that reach the page

/** @type {any} */
let device;
/** @type {OffscreenCanvas} */
let canvas;
/** @type {GpuPresenter | CopyPresenter | undefined} */
let presenter;
/** @type {Run | undefined} */
let current;
/** @type {Record<string, number>} */
let inputs = { mouse_x: 0, mouse_y: 0, mouse_down: 0, keys: 0 };
/** @type {ImageBitmap | undefined} */
let bitmap;
let pictureIsNew = false;
let drawsFromGpu = false;

/** One click on "Run": a program and its loop. */
class Run {
  /** @param {any} request */
  constructor(request) {
    this.request = request;
    this.values = { ...request.values };
    this.frame = 0;
    this.time = 0;
    this.paused = false;
    this.stepping = 0;
    this.ended = false;
    this.last = 0;
    this.reported = 0;
    this.mouse = { x: inputs.mouse_x, y: inputs.mouse_y };
    this.fixed = request.frames !== undefined;
    /** @type {Promise<void>[]} */
    this.inFlight = [];
    /** @type {any} */
    this.error = undefined;
    this.wake = () => {};
  }

  get active() {
    return current === this && this.error === undefined;
  }

  /** @param {any} error */
  fail(error) {
    if (!this.active) return;
    this.error = error;
    post("failed", { error: describe(error), phase: this.program ? "run" : "compile" });
    state("stopped");
  }

  async start() {
    try {
      const { source, settings } = this.request;
      const begin = performance.now();
      const module = await device.compile(source);
      const compileMs = performance.now() - begin;
      if (!this.active) return;
      post("compiled", { compileMs });
      this.program = new Program(device, module, settings, this.values, picture);
      this.statistics = new Statistics(device, settings, this.values);
      this.statistics.compileMs = compileMs;
      state("running");
      await this.execute(settings.setup, this.inputs(0), settings.frame.length === 0);
      await device.synchronize();
      await this.present();
      if (settings.frame.length === 0) this.finish();
      else await this.loop();
    } catch (error) {
      this.fail(error);
    } finally {
      this.ended = true;
      if (current !== this) this.program?.destroy();
    }
  }

  async loop() {
    while (this.active && (this.request.frames === undefined || this.frame < this.request.frames)) {
      const now = await nextFrame();
      if (this.paused && this.stepping === 0) {
        state("paused");
        await new Promise((resolve) => { this.wake = () => resolve(undefined); });
        this.last = 0;
        if (!this.paused) state("running");
        continue;
      }
      if (this.active) await this.once(now);
    }
    if (this.active) {
      await device.synchronize();
      this.finish();
    }
  }

  /** @param {number} now time of the frame in ms */
  async once(now) {
    const fixed = this.fixed || this.stepping > 0;
    this.stepping = Math.max(0, this.stepping - 1);
    const delta = fixed || this.last === 0 ? kFixedStep : Math.min(0.1, (now - this.last) / 1000);
    const interval = this.last === 0 ? 0 : now - this.last;
    this.last = now;
    if (pictureIsNew && this.program.uploadPicture()) post("pictureUsed", {});
    pictureIsNew = false;

    const begin = performance.now();
    await this.execute(this.request.settings.frame, this.inputs(delta), this.frame % kSampleEvery === 1);
    await this.present();
    this.statistics.frame(performance.now() - begin, interval);
    ++this.frame;
    this.time += delta;
    if (/\bprintf\b/.test(this.request.source)) await device.synchronize();
    while (this.inFlight.length > kFramesInFlight) await this.inFlight.shift();
    this.report();
  }

  /** @param {number} delta @returns {Record<string, number>} */
  inputs(delta) {
    const { mouse_x, mouse_y } = inputs;
    const live = { ...inputs, time: this.time, frame: this.frame, delta_time: delta, mouse_dx: mouse_x - this.mouse.x, mouse_dy: mouse_y - this.mouse.y };
    this.mouse = { x: mouse_x, y: mouse_y };
    return live;
  }

  /** @param {any[]} steps @param {Record<string, number>} live @param {boolean} timed */
  async execute(steps, live, timed) {
    /** @type {Promise<{kernel: string, seconds: number, clock: "gpu" | "wall"}>[]} */
    const samples = [];
    /** @type {Promise<void> | undefined} */
    let last;
    if (timed) await device.synchronize();
    await this.program.execute(steps, live, async (kernel, receipt, start) => {
      last = receipt.done.catch((/** @type {any} */ error) => this.fail(error));
      if (timed) samples.push(this.sample(kernel, receipt, start));
      if (timed) await last;
      if (!this.active) throw this.error ?? new Error("replaced by another run");
    }, timed);
    if (last) this.inFlight.push(last);
    if (timed) Promise.all(samples).then((list) => this.statistics.sampled(list), () => {});
  }

  /** @param {string} kernel @param {any} receipt @param {number} start @returns {Promise<any>} */
  async sample(kernel, receipt, start) {
    receipt.gpuTime.catch(() => {});  // a failed launch is reported by `done`
    await receipt.done;
    const wall = (performance.now() - start) / 1000;
    const seconds = await receipt.gpuTime;
    return seconds === undefined ? { kernel, seconds: wall, clock: "wall" } : { kernel, seconds, clock: "gpu" };
  }

  async present() {
    const shown = this.active ? this.program.display() : undefined;
    if (!shown) return;
    presenter ??= drawsFromGpu ? new GpuPresenter(canvas, device.native) : new CopyPresenter(canvas);
    await presenter.draw(shown);
  }

  report() {
    const now = performance.now();
    if (now - this.reported < kReportMs) return;
    this.reported = now;
    post("statistics", this.statistics.report());
  }

  finish() {
    if (!this.active) return;
    post("statistics", this.statistics.report());
    state("finished");
  }
}

/** The image for `=image` buffers. @param {number} width @param {number} height @returns {Uint32Array} */
function picture(width, height) {
  if (!bitmap) return testPicture(width, height);
  const surface = new OffscreenCanvas(width, height);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (surface.getContext("2d", { willReadFrequently: true }));
  const scale = Math.max(width / bitmap.width, height / bitmap.height);
  const w = bitmap.width * scale, h = bitmap.height * scale;
  context.drawImage(bitmap, (width - w) / 2, (height - h) / 2, w, h);
  return new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
}

/** @returns {Promise<number>} */
function nextFrame() {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}

/** @param {string} type @param {any} fields */
function post(type, fields) {
  postMessage({ type, ...fields });
}

/** @param {string} name */
function state(name) {
  post("state", { state: name });
}

/** The fields of an error that the page shows. @param {any} error */
function describe(error) {
  return { kind: error?.kind ?? "internal error", message: String(error?.message ?? error), hint: error?.hint ?? "", kernel: error?.kernel ?? "",
    diagnostics: JSON.parse(JSON.stringify(error?.diagnostics ?? [])) };
}

const kHandlers = {
  /** @param {any} message */
  async open(message) {
    canvas = message.canvas;
    try {
      device = await quern.open({ device: message.device, ...(message.wasm ? { wasm: message.wasm } : {}) });
    } catch (error) {
      post("failed", { error: describe(error), phase: "open" });
      return;
    }
    device.onoutput = (/** @type {string} */ text) => post("output", { text: text.slice(0, kMaxOutput), cut: text.length > kMaxOutput });
    device.lost.then((/** @type {any} */ error) => post("lost", { error: describe(error) }));
    drawsFromGpu = message.showsCanvas && GpuPresenter.supported(device.native);
    post("opened", { info: JSON.parse(JSON.stringify(device.info)), drawsFromGpu });
  },
  /** @param {any} message */
  async run(message) {
    const old = current;
    current = new Run(message);
    old?.wake();
    if (old?.ended) old.program?.destroy();
    current.start();
  },
  /** @param {any} message */
  values({ values }) {
    if (current) Object.assign(current.values, values);
  },
  /** @param {any} message */
  inputs(message) {
    inputs = { ...inputs, ...message.inputs };
  },
  /** @param {any} message */
  picture(message) {
    bitmap?.close();
    bitmap = message.bitmap;
    pictureIsNew = true;
  },
  pause() {
    if (current) current.paused = true;
  },
  resume() {
    if (!current) return;
    current.paused = false;
    current.wake();
  },
  step() {
    if (!current) return;
    current.stepping = 1;
    current.wake();
  },
  async snapshot() {
    const shown = current?.program?.display();
    if (!shown) return post("snapshot", {});
    const source = GpuPresenter.supported(device.native) && shown.buffer.native ? new GpuPresenter(undefined, device.native) : new CopyPresenter(new OffscreenCanvas(1, 1));
    post("snapshot", { image: await source.snapshot(shown) });
  },
};

addEventListener("message", ({ data }) => {
  const handler = kHandlers[/** @type {keyof typeof kHandlers} */ (data.type)];
  Promise.resolve(handler?.(data)).catch((error) => post("failed", { error: describe(error), phase: "run" }));
});
