// Calls of the compiler's worker. A call that takes too long ends the worker; the next call starts a new one.

const kLimitMs = 15_000;

export class LanguageClient {
  constructor() {
    /** @type {Map<number, {resolve: (value: any) => void, reject: (error: any) => void, timer: number}>} */
    this.calls = new Map();
    this.nextId = 1;
    this.start();
  }

  start() {
    this.worker = new Worker(new URL("../worker/language.js", import.meta.url), { type: "module", name: "language" });
    this.ready = new Promise((resolve) => { this.onready = resolve; });
    this.worker.addEventListener("message", ({ data }) => (data.ready ? this.onready(data.version) : this.answer(data)));
    this.worker.addEventListener("error", (event) => this.fail(`the compiler did not load: ${event.message || "quern.js is missing"}`));
  }

  /** @param {any} message */
  answer({ id, result, error }) {
    const call = this.calls.get(id);
    if (!call) return;
    this.calls.delete(id);
    clearTimeout(call.timer);
    if (error) call.reject(error);
    else call.resolve(result);
  }

  /** @param {string} message */
  fail(message) {
    for (const { reject, timer } of this.calls.values()) {
      clearTimeout(timer);
      reject({ kind: "internal error", message, hint: "reload the page", diagnostics: [] });
    }
    this.calls.clear();
  }

  /** @param {any} request @returns {Promise<any>} */
  call(request) {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.tooLong(), kLimitMs);
      this.calls.set(id, { resolve, reject, timer });
      this.worker.postMessage({ id, ...request });
    });
  }

  tooLong() {
    this.worker.terminate();
    this.fail(`compilation failed: it took more than ${kLimitMs / 1000} s`);
    this.start();
  }

  /** Diagnostics and kernels. @param {string} source @returns {Promise<{diagnostics: any[], kernels: any[]}>} */
  check(source) {
    return this.call({ call: "check", source });
  }

  /** @param {string} source @param {string} target @returns {Promise<string>} */
  emit(source, target) {
    return this.call({ call: "emit", source, target });
  }
}
