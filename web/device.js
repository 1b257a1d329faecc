// Devices, modules, kernels and buffers of the JavaScript API.
import {QuernError, abortable} from "./errors.js";
import {makeStruct} from "./struct.js";

const kElements = new Map([
  [Float32Array, "real"], [Float64Array, "real"], [Uint8Array, "bytes"], [Uint8ClampedArray, "bytes"], [Int8Array, "integer"],
  [Int16Array, "integer"], [Uint16Array, "integer"], [Int32Array, "integer"], [Uint32Array, "integer"],
  [BigInt64Array, "integer"], [BigUint64Array, "integer"]]);

const bytesOf = (data) => (ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data));

function invalid(message, hint = "") { return new QuernError({kind: "invalid use", message, hint}); }

/** A buffer of a device: an array of numbers. */
export class Buffer {
  #device;
  #type;
  #isDestroyed = false;
  /** @internal */ id;

  constructor(device, type, length, label, id) {
    this.#device = device;
    this.#type = type;
    this.id = id;
    this.length = length;
    this.byteLength = length * type.BYTES_PER_ELEMENT;
    this.label = label;
  }

  upload(data, offset = 0) {
    this.#check("upload");
    const bytes = bytesOf(data).slice();
    this.#device.submit({request: {call: "upload", buffer: this.id, offset: offset * this.#type.BYTES_PER_ELEMENT}, payloads: [bytes]});
    this.#device.count({uploads: 1, uploadedBytes: bytes.length});
  }

  async download({signal} = {}) {
    this.#check("download");
    if (this.byteLength === 0) return new this.#type(0);
    const {bytes} = await this.#device.await({request: {call: "download", buffer: this.id, offset: 0, bytes: this.byteLength},
      bytes: this.byteLength}, signal);
    this.#device.count({downloads: 1, downloadedBytes: bytes.length});
    return new this.#type(bytes.buffer, bytes.byteOffset, this.length);
  }

  fill(value) {
    this.#check("fill");
    const one = new this.#type([value]);
    const width = one.byteLength;
    const view = new DataView(one.buffer);
    const bits = width === 8 ? view.getBigUint64(0, true) : width === 4 ? view.getUint32(0, true) : width === 2 ? view.getUint16(0, true) : view.getUint8(0);
    this.#device.submit({request: {call: "fill", buffer: this.id, offset: 0, bytes: this.byteLength, width, value: String(bits)}});
  }

  copyFrom(source) {
    this.#check("copy");
    if (source.byteLength !== this.byteLength)
      throw invalid(`copy failed: '${source.label}' has ${source.byteLength} bytes, '${this.label}' has ${this.byteLength}`);
    this.#device.submit({request: {call: "copy", to: this.id, from: source.id, bytes: this.byteLength}});
    this.#device.count({copies: 1});
  }

  destroy() {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.#device.submit({request: {call: "destroy", buffer: this.id}});
  }

  get native() { return this.#device.nativeBuffer(this.id, this.byteLength); }

  /** @internal The buffer as an argument of a launch. */
  argument(device) {
    this.#check("launch");
    if (device !== this.#device) throw invalid(`launch failed: '${this.label}' belongs to another device`);
    return {buffer: this.id, offset: 0, element: this.#type.BYTES_PER_ELEMENT, elements: kElements.get(this.#type) ?? "bytes"};
  }

  #check(operation) {
    if (this.#isDestroyed) throw invalid(`${operation} failed: '${this.label}' is destroyed`);
  }
}

function numberText(value) {
  if (typeof value !== "number") return String(value);
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return Object.is(value, -0) ? "-0.0" : String(value);
}

const sizes = (value) => (Array.isArray(value) ? value : [value]).map(Number);

export class Device {
  #backend;
  #id;
  #nextBuffer = 1;
  #failed = null;
  #isClosed = false;
  #handles = new Map();  // of GPUBuffers, by the number of the buffer
  #translate;
  #modules = new FinalizationRegistry((module) => {
    if (!this.#isClosed) this.submit({request: {call: "unload", module}});
  });
  counters = {launches: 0, uploads: 0, downloads: 0, uploadedBytes: 0, downloadedBytes: 0, copies: 0};
  /** Receives the output of printf. */
  onoutput = (text) => console.log(text);

  /** @internal */
  constructor(backend, {device, info}, lost, translate) {
    this.#backend = backend;
    this.#id = device;
    this.info = info;
    this.lost = lost;
    this.#translate = translate;
  }

  get native() { return this.#backend.webgpu?.device; }

  async compile(source, {signal, ...options} = {}) {
    this.#alive();
    signal?.throwIfAborted();
    // The front end runs in a worker, because it can take long. This thread loads its result and emits the code of
    // kernels when they are launched.
    const translated = this.#backend.isSeparate ? undefined : await this.#translate(source, {...options, signal});
    const text = translated ? {ir: translated.ir, math: options.math} : {source, ...requestOf(options)};
    const {value} = await this.await({request: {call: "compile", device: this.#id, ...text}}, signal);
    const handle = {module: value.module};  // the module is unloaded when no kernel refers to it any more
    this.#modules.register(handle, value.module);
    const kernels = (translated ?? value).kernels.map((info) => [info.name, this.#kernel(handle, info)]);
    return Object.freeze(Object.fromEntries(kernels));
  }

  allocate(type, count, {label} = {}) {
    this.#alive();
    if (!kElements.has(type)) throw invalid("allocating a buffer failed: the type is no typed array", "use Float32Array, Int32Array, …");
    const id = this.#nextBuffer++;
    const buffer = new Buffer(this, type, count, label ?? `buffer ${id}`, id);
    this.submit({request: {call: "allocate", device: this.#id, buffer: id, bytes: buffer.byteLength}})
      .then((done) => { if (done?.value.handle) this.#handles.set(id, done.value.handle); });
    return buffer;
  }

  upload(data, {label} = {}) {
    const buffer = this.allocate(data.constructor, data.length, {label});
    buffer.upload(data);
    return buffer;
  }

  async synchronize({signal} = {}) {
    await this.await({request: {call: "synchronize", device: this.#id}}, signal);
  }

  close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#backend.request({request: {call: "close", device: this.#id}}).catch(() => {}).finally(() => this.#backend.close());
  }

  /** @internal Executes a request; its error is thrown by the next call that waits. */
  submit(job) {
    this.#alive();
    return this.#backend.request(job).catch((error) => { this.#failed ??= this.#error(error); });
  }

  /** @internal Executes a request after all earlier ones. Reports errors of earlier ones first. */
  async await(job, signal) {
    this.#alive();
    const result = this.#backend.request(job).then((done) => {
      this.#print(done.value?.output);
      return done;
    }, (error) => {
      this.#print(error.output);
      throw this.#error(error);
    });
    const done = await abortable(result, signal, () => this.#abort(signal.reason)).catch((error) => {
      const first = this.#takeFailure();
      throw first ?? error;
    });
    const first = this.#takeFailure();
    if (first) throw first;
    return done;
  }

  /** @internal */
  count(counts) { for (const [name, n] of Object.entries(counts)) this.counters[name] += n; }

  /** @internal */
  nativeBuffer(id, size) {
    const buffer = this.#backend.webgpu?.object(this.#handles.get(id) ?? 0);
    return buffer ? {buffer, offset: 0, size} : undefined;
  }

  // A simulated kernel stops only with its worker. On a GPU, the work ends by itself or the browser ends it.
  #abort(reason) {
    if (this.#backend.isSeparate)
      this.#backend.end(new QuernError({kind: "device lost", message: `the simulator was stopped: ${reason?.message ?? reason}`,
        hint: "open the device again"}));
  }

  #takeFailure() {
    const first = this.#failed;
    this.#failed = null;
    return first;
  }

  #error(error) {
    if (error instanceof QuernError && error.device === "") error.device = this.info.name;
    return error;
  }

  #print(text) { if (text) this.onoutput?.(text); }

  #alive() { if (this.#isClosed) throw invalid("the device is closed", "open it again"); }

  #kernel(handle, info) {
    for (const parameter of info.parameters) if (parameter.struct) makeStruct(parameter.struct);
    const kernel = (config, ...args) => this.#launch(handle, info, config, args);
    Object.defineProperty(kernel, "name", {value: info.name});
    return Object.assign(kernel, {parameters: info.parameters, line: info.line, block: info.block});
  }

  async #launch({module}, info, {grid, block, shared = 0, timed = false, signal}, args) {
    const payloads = [];
    const request = {call: "launch", module, kernel: info.name, grid: sizes(grid), block: sizes(block), shared, timed: timed ? 1 : 0,
      arguments: args.map((value, i) => this.#argument(info.parameters[i], value, payloads))};
    const {value} = await this.await({request, payloads}, signal);
    this.count({launches: 1});
    return this.#receipt(info.name, value);
  }

  #argument(parameter, value, payloads) {
    if (value === null || value === undefined) return null;
    if (value instanceof Buffer) return value.argument(this);
    if (typeof value !== "object") return {value: numberText(value)};
    const isBytes = value instanceof ArrayBuffer || ArrayBuffer.isView(value);
    if (isBytes && parameter?.kind === "pointer")
      throw invalid(`launch failed: parameter '${parameter.name}' is a pointer, the argument is an array`, "upload it: device.upload(array)");
    if (!isBytes && !parameter?.struct) throw invalid(`launch failed: parameter '${parameter?.name}' takes no object`);
    payloads.push(isBytes ? bytesOf(value) : new Uint8Array(parameter.struct.pack(value)));
    return {payload: payloads.length - 1};
  }

  #receipt(kernel, {timing, notes}) {
    const device = this;
    let done, time;
    return {
      kernel, device: this.info.name, notes,
      get done() { return (done ??= device.synchronize()); },
      get gpuTime() {
        time ??= timing === undefined ? Promise.resolve(undefined)
          : device.await({request: {call: "time", timing}}).then(({value}) => value.seconds);
        return time;
      },
    };
  }
}

/** The options of a compilation as members of a request. */
export function requestOf({math, defines = {}, kernels}) {
  const texts = Object.fromEntries(Object.entries(defines).map(([name, value]) => [name, String(value)]));
  return {math, defines: texts, ...(kernels ? {kernels} : {})};
}
