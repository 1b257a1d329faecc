// CUDA C++ in the browser. quern.d.ts describes the interface.
import {LocalBackend, WorkerBackend} from "./backend.js";
import {Buffer, Device, requestOf} from "./device.js";
import {QuernError, abortable} from "./errors.js";
import {makeStruct} from "./struct.js";
import {WebGpu} from "./webgpu.js";

export {Buffer, Device, QuernError};
export const version = "0.1.0";

/** The longest compilation. A longer one is stopped. */
const kCompileSeconds = 10;

// --- the compiler, in a worker that is started again after it was stopped ---

let compiler = null;
const wasms = {compiler: undefined};

function startCompiler() {
  compiler ??= WorkerBackend.create(wasms.compiler, () => { compiler = null; });
  compiler.catch(() => { compiler = null; });
  return compiler;
}

async function compileInWorker(request, signal) {
  signal?.throwIfAborted();
  const worker = await startCompiler();
  const stop = (error) => worker.end(error);
  const timer = setTimeout(() => stop(new QuernError({kind: "timeout", message: `compiling took more than ${kCompileSeconds} s`,
    hint: "make the kernels smaller, or instantiate fewer templates"})), kCompileSeconds * 1000);
  timer.unref?.();
  try {
    const {value} = await abortable(worker.request({request}), signal, () =>
      stop(new QuernError({kind: "invalid use", message: "the compilation was aborted"})));
    return value;
  } finally {
    clearTimeout(timer);
  }
}

/** Compiles without a device. Bad kernels are no error: they are in the diagnostics. */
export async function check(source, {signal, ...options} = {}) {
  const value = await compileInWorker({call: "check", source, ...requestOf(options)}, signal);
  for (const kernel of value.kernels)
    for (const parameter of kernel.parameters) if (parameter.struct) makeStruct(parameter.struct);
  return value;
}

/** The code of all kernels for a target. */
export async function emit(source, target, {signal, ...options} = {}) {
  return (await compileInWorker({call: "emit", source, target, ...requestOf(options)}, signal)).text;
}

function translate(source, {signal, ...options}) {
  return compileInWorker({call: "translate", source, ...requestOf(options)}, signal);
}

// --- devices ---

async function openWebGpu({wasm}) {
  const gpu = globalThis.navigator?.gpu;
  if (!gpu)
    throw new QuernError({kind: "not found", message: "opening a device failed: this browser has no WebGPU",
      hint: "use a browser with WebGPU on a page served by HTTPS or localhost, or open({device: \"sim\"}); WebGL has no compute shaders"});
  if (!WebAssembly.Suspending)
    throw new QuernError({kind: "unsupported", message: "opening a device failed: this browser cannot suspend WebAssembly (JSPI)",
      hint: "use a newer browser, or open({device: \"sim\"})"});
  const adapter = await gpu.requestAdapter({powerPreference: "high-performance"});
  if (!adapter)
    throw new QuernError({kind: "not found", message: "opening a device failed: the browser offers no WebGPU adapter",
      hint: "check the browser's GPU settings, or open({device: \"sim\"})"});
  const webgpu = new WebGpu(adapter);
  const backend = await LocalBackend.create(wasm, webgpu);
  const {value} = await backend.request({request: {call: "open", driver: "webgpu"}});
  const lost = webgpu.device.lost.then(({message, reason}) => new QuernError({kind: "device lost",
    message: `${value.info.name} is lost: ${message || reason}`, hint: "open the device again"}, value.info.name));
  return new Device(backend, value, lost, translate);
}

async function openSim({wasm, check = true, seed}) {
  let lose;
  const lost = new Promise((resolve) => { lose = resolve; });
  const backend = await WorkerBackend.create(wasm, (error) => lose(error));
  const request = {call: "open", driver: "sim", check: check === true ? undefined : check === false ? "none" : check,
    seed: seed === undefined ? undefined : String(seed)};
  const {value} = await backend.request({request});
  return new Device(backend, value, lost, translate);
}

/** Opens a device. */
export async function open({device = "webgpu", signal, ...options} = {}) {
  signal?.throwIfAborted();
  wasms.compiler ??= options.wasm;
  if (device === "webgpu") {
    startCompiler().catch(() => {});  // while the device is being opened
    return abortable(openWebGpu(options), signal);
  }
  if (device === "sim") return abortable(openSim(options), signal);
  throw new QuernError({kind: "not found", message: `opening a device failed: there is no device '${device}' in a browser`,
    hint: "use \"webgpu\" or \"sim\""});
}
