// Where requests are executed: in this thread, or in a worker.
import {QuernError, plain} from "./errors.js";
import {Instance, loadModule} from "./instance.js";

/**
 * Executes a request with data. An argument {payload: i} of a launch, or the data of an upload, is the i-th payload; `bytes`
 * are returned for a download.
 */
export function execute(instance, {request, payloads = [], bytes = 0}) {
  const prepare = () => {
    const parts = payloads.map((payload) => instance.put(payload));
    const release = parts.map((part) => part.at);
    const data = {release};
    if (request.call === "upload") Object.assign(data, {data: parts[0].at, bytes: parts[0].length});
    if (bytes > 0) {
      data.data = instance.allocate(bytes);
      release.push(data.data);
    }
    if (request.arguments) {
      data.arguments = request.arguments.map((argument) => (argument?.payload === undefined ? argument
        : {data: parts[argument.payload].at, bytes: parts[argument.payload].length}));
    }
    return data;
  };
  const finish = (value, data) => ({value, bytes: bytes > 0 ? instance.bytes.slice(data.data, data.data + bytes) : undefined});
  return instance.call(request, {prepare, finish});
}

/** Runs everything on the calling thread, with the browser's WebGPU. */
export class LocalBackend {
  static async create(wasm, webgpu) {
    const backend = new LocalBackend();
    backend.webgpu = webgpu;
    backend.instance = await Instance.create(await loadModule(wasm), webgpu);
    return backend;
  }
  request(job) { return execute(this.instance, job); }
  get isSeparate() { return false; }
  close() {}
}

async function startWorker() {
  const url = new URL("worker.js", import.meta.url);
  if (typeof Worker !== "undefined") return new Worker(url, {type: "module", name: "quern"});
  const threads = await import("node:worker_threads");  // Node
  const worker = new threads.Worker(url);
  worker.unref();
  worker.on("message", (data) => worker.onmessage?.({data}));
  worker.on("error", (error) => worker.onerror?.(error));
  return worker;
}

/** Runs everything in a worker, which can be terminated at any time. */
export class WorkerBackend {
  #worker;
  #waiting = new Map();
  #next = 1;
  #ended = null;
  #onend;

  static async create(wasm, onend = () => {}) {
    const backend = new WorkerBackend();
    backend.#onend = onend;
    backend.#worker = await startWorker();
    backend.#worker.onmessage = ({data}) => backend.#answer(data);
    backend.#worker.onerror = (event) => backend.end(new QuernError({kind: "internal error",
      message: `the worker stopped: ${event.message ?? "it could not be loaded"}`, hint: "serve the folder of quern.js by HTTP"}));
    const source = wasm instanceof URL ? wasm.href : wasm;
    await backend.#post({wasm: typeof Response !== "undefined" && source instanceof Response ? await loadModule(source) : source});
    return backend;
  }

  #post(message, transfer = []) {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, {resolve, reject});
      this.#worker.postMessage({id, ...message}, transfer);
    });
  }

  #answer({id, result, error, output, isBroken}) {
    const {resolve, reject} = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (!error) return resolve(result);
    const made = Object.assign(new QuernError(error), {output});
    reject(made);
    if (isBroken) this.end(made);
  }

  request(job) { return this.#post({job}); }
  get isSeparate() { return true; }
  get isIdle() { return this.#waiting.size === 0; }

  /** Terminates the worker; all waiting and later requests fail with the error. */
  end(error) {
    if (this.#ended) return;
    this.#ended = error;
    this.#worker.terminate();
    for (const {reject} of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#onend(error);
  }
  close() { this.end(new QuernError({kind: "invalid use", message: "the device is closed"})); }
}

export {plain};
