// One instance of quern.wasm: its memory, its calls, and the few functions of WASI that it imports.
import {QuernError} from "./errors.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The browser has no files, no environment and no arguments: all calls of WASI but these fail. */
function wasi(memory, log) {
  const kNotSupported = 58, kBadDescriptor = 8;
  const view = () => new DataView(memory().buffer);
  const text = {1: "", 2: ""};
  const defined = {
    clock_time_get(_clock, _precision, to) {
      view().setBigUint64(to, BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6)), true);
      return 0;
    },
    fd_write(file, parts, count, written) {
      if (!(file in text)) return kBadDescriptor;
      let bytes = 0;
      for (let i = 0; i < count; ++i) {
        const at = view().getUint32(parts + 8 * i, true), size = view().getUint32(parts + 8 * i + 4, true);
        text[file] += decoder.decode(new Uint8Array(memory().buffer, at, size));
        bytes += size;
      }
      const lines = text[file].split("\n");
      text[file] = lines.pop();
      for (const line of lines) log(line);
      view().setUint32(written, bytes, true);
      return 0;
    },
    proc_exit(code) {
      throw new Error(`the library exited with code ${code}`);
    },
    environ_sizes_get(count, bytes) {
      view().setUint32(count, 0, true);
      view().setUint32(bytes, 0, true);
      return 0;
    },
    environ_get: () => 0,
    random_get(at, size) {
      crypto.getRandomValues(new Uint8Array(memory().buffer, at, size));
      return 0;
    },
    sched_yield: () => 0,
  };
  return new Proxy(defined, {get: (all, name) => all[name] ?? (() => kNotSupported), has: () => true});
}

export class Instance {
  #exports;
  #last = Promise.resolve();
  #call;
  #broken = null;

  /**
   * @param {WebAssembly.Module} module
   * @param {object} webgpu The imports of a WebGPU device; absent: this instance has no such device.
   */
  static async create(module, webgpu = null) {
    const instance = new Instance();
    const memory = () => instance.#exports.memory;
    const imports = {};
    for (const {module: from, name} of WebAssembly.Module.imports(module)) {
      imports[from] ??= {};
      imports[from][name] = from === "webgpu"
        ? webgpu?.imports[name] ?? (() => { throw new Error(`WebGPU is not available here (${name})`); })
        : wasi(memory, (line) => console.warn(line))[name];
    }
    instance.#exports = (await WebAssembly.instantiate(module, imports)).exports;
    instance.#exports._initialize?.();
    instance.#call = webgpu ? WebAssembly.promising(instance.#exports.quern_call) : instance.#exports.quern_call;
    webgpu?.attach(instance);
    return instance;
  }

  /** Whether a call has trapped: no other call is possible. */
  get isBroken() { return this.#broken !== null; }
  get bytes() { return new Uint8Array(this.#exports.memory.buffer); }
  get view() { return new DataView(this.#exports.memory.buffer); }
  get table() { return this.#exports.__indirect_function_table; }

  allocate(size) {
    const at = this.#exports.quern_allocate(Math.max(size, 1));
    if (at === 0) throw new QuernError({kind: "out of memory", message: `allocating ${size} bytes failed`});
    return at;
  }
  free(at) { this.#exports.quern_free(at); }

  text(at, length) { return decoder.decode(this.bytes.subarray(at, at + length)); }
  /** Copies a text or bytes into memory. */
  put(data) {
    const bytes = typeof data === "string" ? encoder.encode(data)
      : ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);
    const at = this.allocate(bytes.length);
    this.bytes.set(bytes, at);
    return {at, length: bytes.length};
  }

  /**
   * Executes a request. Requests run one after the other, because a suspended one keeps its place on the stack. `prepare`
   * runs before and may add data; `finish` runs after and may read it.
   */
  call(request, {prepare, finish} = {}) {
    const result = this.#last.then(async () => {
      if (this.#broken) throw this.#broken;
      const data = prepare?.(this);
      const text = this.put(JSON.stringify(data ? {...request, ...data} : request));
      try {
        const at = await this.#execute(text);
        const length = this.view.getUint32(at, true);
        const reply = JSON.parse(this.text(at + 4, length));
        this.free(at);
        if (reply.error) throw Object.assign(new QuernError(reply.error), {output: reply.value?.output});
        return finish ? finish(reply.value, data) : reply.value;
      } finally {
        if (!this.#broken) {
          this.free(text.at);
          for (const part of data?.release ?? []) this.free(part);
        }
      }
    });
    this.#last = result.catch(() => {});
    return result;
  }

  // A trap leaves the instance in an unknown state: it is not used again.
  async #execute(text) {
    try {
      return await this.#call(text.at, text.length);
    } catch (error) {
      this.#broken = classify(error, this.#exports.memory.buffer.byteLength);
      throw this.#broken;
    }
  }
}

function classify(error, bytes) {
  const kMostMemory = 1 << 30;
  const size = `${Math.round(bytes / 2 ** 20)} MiB of memory in use`;
  if (error instanceof RangeError)
    return new QuernError({kind: "bad input", message: "the kernels are nested too deeply for this browser's stack",
      hint: "split long expressions and deep templates", cause: error});
  if (error instanceof WebAssembly.RuntimeError && bytes > kMostMemory * 0.75)
    return new QuernError({kind: "out of memory", message: `the compiler ran out of memory (${size})`,
      hint: "make the kernels or the buffers smaller, then open the device again", cause: error});
  return new QuernError({kind: "internal error", message: `the library stopped: ${error.message} (${size})`,
    hint: "open the device again; please report the kernel", cause: error});
}

/** Compiles quern.wasm, from an address (default: next to this file), a response or a module. */
export async function loadModule(source = new URL("quern.wasm", import.meta.url)) {
  if (source instanceof WebAssembly.Module) return source;
  if (typeof Response !== "undefined" && source instanceof Response) return compileResponse(source);
  const url = new URL(source, import.meta.url);
  if (url.protocol === "file:" && typeof process !== "undefined") {  // Node
    const {readFile} = await import("node:fs/promises");
    return WebAssembly.compile(await readFile(url));
  }
  let response;
  try {
    response = await fetch(url);
  } catch (cause) {
    throw new QuernError({kind: "input/output", message: `loading ${url} failed: ${cause.message}`,
      hint: "serve the folder of quern.js by HTTP", cause});
  }
  if (!response.ok)
    throw new QuernError({kind: "input/output", message: `loading ${url} failed: ${response.status} ${response.statusText}`});
  return compileResponse(response);
}

// A server may send another media type than streaming requires.
async function compileResponse(response) {
  const isStreamable = response.headers.get("Content-Type")?.startsWith("application/wasm");
  return isStreamable ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}
