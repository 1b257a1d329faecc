// The page's side of the engine worker: one worker and one canvas per device session.

import { h } from "./dom.js";

/** Milliseconds without progress after which the page offers to stop. */
const kPatienceMs = 4000;

export class EngineClient extends EventTarget {
  /** @param {HTMLElement} place where the canvas goes */
  constructor(place) {
    super();
    this.place = place;
    this.state = "closed";
    this.progress = 0;
    this.waitingReported = false;
    setInterval(() => this.watch(), 500);
  }

  /**
   * Starts a new worker on a device, and ends the previous one with everything that it runs.
   * @param {"webgpu" | "sim"} device @param {boolean} showsCanvas whether WebGPU may draw on the canvas @returns {Promise<any>} the message "opened"; rejects with an error that has a kind
   */
  open(device, showsCanvas) {
    this.worker?.terminate();
    this.device = device;
    this.canvas = h("canvas", { width: 320, height: 224, tabindex: 0, role: "img", "aria-label": "Picture that the kernel draws" });
    this.place.replaceChildren(this.canvas);
    const worker = new Worker(new URL("../worker/engine.js", import.meta.url), { type: "module", name: "engine" });
    this.worker = worker;
    this.setState("opening");
    const offscreen = this.canvas.transferControlToOffscreen();
    return new Promise((resolve, reject) => {
      worker.addEventListener("error", (event) => reject({ kind: "internal error", message: `the engine did not load: ${event.message || "quern.js is missing"}`, hint: "reload the page", diagnostics: [] }));
      worker.addEventListener("message", ({ data }) => {
        if (worker !== this.worker) return;
        this.moved();
        if (data.type === "opened") this.setState("ready"), resolve(data);
        else if (data.type === "failed" && data.phase === "open") this.setState("closed"), reject(data.error);
        else this.receive(data);
      });
      worker.postMessage({ type: "open", device, showsCanvas, canvas: offscreen }, [offscreen]);
    });
  }

  /** @param {any} data */
  receive(data) {
    if (data.type === "state") this.setState(data.state);
    else if (data.type === "lost") this.setState("lost");
    this.dispatchEvent(new CustomEvent(data.type, { detail: data }));
  }

  /** @param {string} state */
  setState(state) {
    if (this.state === "lost" && state === "stopped") return;  // the run ends because the device is lost
    this.state = state;
    this.moved();
    this.dispatchEvent(new CustomEvent("state", { detail: { state } }));
  }

  moved() {
    this.progress = performance.now();
    if (this.waitingReported) this.dispatchEvent(new CustomEvent("progress"));
    this.waitingReported = false;
  }

  /** Reports a run that makes no progress, once. */
  watch() {
    const busy = this.state === "running" || this.state === "compiling";
    if (!busy || this.waitingReported || document.hidden || performance.now() - this.progress < kPatienceMs) return;
    this.waitingReported = true;
    this.dispatchEvent(new CustomEvent("waiting"));
  }

  /** @param {any} message @param {Transferable[]} [transfer] */
  send(message, transfer = []) {
    this.worker?.postMessage(message, transfer);
  }

  /** @param {{source: string, settings: any, values: Record<string, number>, frames?: number}} request */
  run(request) {
    this.setState("compiling");
    this.send({ type: "run", ...request });
  }

  /** The current picture, if the program has one. @returns {Promise<ImageData | undefined>} */
  snapshot() {
    return new Promise((resolve) => {
      this.addEventListener("snapshot", (event) => resolve(/** @type {CustomEvent} */ (event).detail.image), { once: true });
      this.send({ type: "snapshot" });
    });
  }
}
