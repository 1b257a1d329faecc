// The functions of webgpu.h that the driver calls, on the browser's WebGPU objects. src/web/webgpu_table.cpp imports
// them and checks the offsets that are used here. Handles are numbers; 0 is null.
//
// Only InstanceWaitAny blocks: it suspends the calling WebAssembly code until a promise is settled. Callbacks run when
// their promise is settled, also while another call is suspended; they never suspend.

const kSuccess = 1, kError = 2;
const kErrorTypes = {validation: 2, "out-of-memory": 3, internal: 4, unknown: 5};
const kFilters = [, "validation", "out-of-memory", "internal"];
const kFeatures = new Map([[0x9, "timestamp-query"], [0xB, "shader-f16"], [0x12, "subgroups"]]);
const kBindings = {2: "uniform", 3: "storage", 4: "read-only-storage"};
const kUnusedQuery = 0xffffffff;

// WGPULimits: names in order, with 64-bit members marked. The first member is a pointer.
const kLimits = layout(["maxTextureDimension1D", "maxTextureDimension2D", "maxTextureDimension3D", "maxTextureArrayLayers",
  "maxBindGroups", "maxBindGroupsPlusVertexBuffers", "maxBindingsPerBindGroup", "maxDynamicUniformBuffersPerPipelineLayout",
  "maxDynamicStorageBuffersPerPipelineLayout", "maxSampledTexturesPerShaderStage", "maxSamplersPerShaderStage",
  "maxStorageBuffersPerShaderStage", "maxStorageTexturesPerShaderStage", "maxUniformBuffersPerShaderStage",
  "maxUniformBufferBindingSize:64", "maxStorageBufferBindingSize:64", "minUniformBufferOffsetAlignment",
  "minStorageBufferOffsetAlignment", "maxVertexBuffers", "maxBufferSize:64", "maxVertexAttributes",
  "maxVertexBufferArrayStride", "maxInterStageShaderVariables", "maxColorAttachments", "maxColorAttachmentBytesPerSample",
  "maxComputeWorkgroupStorageSize", "maxComputeInvocationsPerWorkgroup", "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY", "maxComputeWorkgroupSizeZ", "maxComputeWorkgroupsPerDimension", "maxImmediateSize"]);
// Requested from the adapter; all others keep their defaults.
const kRequested = ["maxStorageBuffersPerShaderStage", "maxUniformBufferBindingSize", "maxStorageBufferBindingSize",
  "maxBufferSize", "maxComputeWorkgroupStorageSize", "maxComputeInvocationsPerWorkgroup", "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY", "maxComputeWorkgroupSizeZ", "maxComputeWorkgroupsPerDimension"];

function layout(names) {
  let at = 4;
  return names.map((text) => {
    const [name, bits] = text.split(":");
    const size = bits ? 8 : 4;
    at = Math.ceil(at / size) * size;
    at += size;
    return {name, at: at - size, isLong: size === 8};
  });
}

export class WebGpu {
  #instance;
  #objects = [null];
  #free = [];
  #futures = new Map();
  #nextFuture = 1n;
  #adapter;
  #isClosed = false;
  /** The GPUDevice that the driver has opened. */
  device = null;

  /** @param {GPUAdapter} adapter */
  constructor(adapter) {
    this.#adapter = adapter;
    this.imports = this.#table();
  }

  attach(instance) { this.#instance = instance; }
  object(handle) { return this.#objects[handle]; }

  #add(object) {
    const handle = this.#free.pop() ?? this.#objects.length;
    this.#objects[handle] = object;
    return handle;
  }
  #release(handle) {
    if (handle === 0) return;
    this.#objects[handle] = null;
    this.#free.push(handle);
  }

  // --- memory ---
  get #view() { return this.#instance.view; }
  #word(at) { return this.#view.getUint32(at, true); }
  #long(at) { return Number(this.#view.getBigUint64(at, true)); }
  #setWord(at, value) { this.#view.setUint32(at, value, true); }
  #text(at) {
    const data = this.#word(at), length = this.#word(at + 4);
    if (data === 0) return "";
    return this.#instance.text(data, length === 0xffffffff ? this.#instance.bytes.indexOf(0, data) - data : length);
  }
  #setText(at, text) {
    const {at: data, length} = this.#instance.put(text);
    this.#setWord(at, data);
    this.#setWord(at + 4, length);
  }
  #array(count, first, size, read) {
    return Array.from({length: count}, (_, i) => read(first + i * size));
  }

  // --- callbacks ---
  // Calls the function of a CallbackInfo: `first` arguments, the message, and the two user pointers.
  // After the driver has destroyed the device, nobody waits for them.
  #callback(info, first, message) {
    if (this.#isClosed) return;
    const {at, length} = this.#instance.put(message);
    const text = this.#instance.allocate(8);
    this.#setWord(text, at);
    this.#setWord(text + 4, length);
    this.#instance.table.get(info.callback)(...first, text, info.first, info.second);
    this.#instance.free(text);
    this.#instance.free(at);
  }
  #info(at) { return {callback: this.#word(at + 8), first: this.#word(at + 12), second: this.#word(at + 16)}; }
  // Calls back when the promise is settled; InstanceWaitAny waits for the returned future.
  // `results` makes the first arguments of the callback from the promise's value; without a value, it has failed.
  #future(promise, info, results) {
    const id = this.#nextFuture++;
    const done = promise.then((value) => this.#callback(info, results(value), value?.message ?? ""),
      (error) => this.#callback(info, [kError, ...results().slice(1)], error.message));
    this.#futures.set(id, done.finally(() => this.#futures.delete(id)));
    return id;
  }

  // --- devices ---
  #limits(adapter, to) {
    for (const {name, at, isLong} of kLimits) {
      const value = adapter.limits[name] ?? 0;
      if (isLong) this.#view.setBigUint64(to + at, BigInt(value), true);
      else this.#setWord(to + at, value);
    }
    return kSuccess;
  }

  #adapterInfo(adapter, to) {
    const info = adapter.info ?? {};
    const name = info.device || info.description || [info.vendor, info.architecture].filter(Boolean).join(" ");
    [info.vendor, info.architecture, name || "GPU", info.description].forEach((text, i) => this.#setText(to + 4 + 8 * i, text ?? ""));
    const kWebGpu = 2, kCpu = 3, kUnknown = 4;
    this.#setWord(to + 36, kWebGpu);
    this.#setWord(to + 40, info.isFallbackAdapter ?? adapter.isFallbackAdapter ? kCpu : kUnknown);
    this.#setWord(to + 44, 0);
    this.#setWord(to + 48, 0);
    this.#setWord(to + 52, info.subgroupMinSize ?? 0);
    this.#setWord(to + 56, info.subgroupMaxSize ?? 0);
    return kSuccess;
  }

  #requestDevice(adapter, descriptor, infoAt) {
    const info = this.#info(infoAt), lost = this.#info(descriptor + 36);
    const error = {callback: this.#word(descriptor + 60), first: this.#word(descriptor + 64), second: this.#word(descriptor + 68)};
    const features = this.#array(this.#word(descriptor + 12), this.#word(descriptor + 16), 4, (at) => kFeatures.get(this.#word(at)))
      .filter(Boolean);
    const requiredLimits = {};
    for (const name of kRequested) if (adapter.limits[name] !== undefined) requiredLimits[name] = adapter.limits[name];
    const promise = adapter.requestDevice({requiredFeatures: features, requiredLimits});
    return this.#future(promise, info, (device) => {
      if (!device) return [kError, 0];
      this.device = device;
      const handle = this.#add(device);
      device.addEventListener("uncapturederror", (event) => this.#callback(error, [0, this.#errorType(event.error)], event.error.message));
      const kUnknown = 1, kDestroyed = 2;
      device.lost.then(({reason, message}) =>
        this.#callback(lost, [0, reason === "destroyed" ? kDestroyed : kUnknown], message || "the browser reports no reason"));
      return [kSuccess, handle];
    });
  }

  #errorType(error) {
    if (error instanceof GPUOutOfMemoryError) return kErrorTypes["out-of-memory"];
    return error instanceof GPUValidationError ? kErrorTypes.validation : kErrorTypes.internal;
  }

  #popErrorScope(device, infoAt) {
    const info = this.#info(infoAt), kNoError = 1;
    return this.#future(device.popErrorScope(), info, (error) => [kSuccess, error ? this.#errorType(error) : kNoError]);
  }

  // --- objects ---
  #groupLayout(device, d) {
    const kEntryBytes = 88;
    const entries = this.#array(this.#word(d + 12), this.#word(d + 16), kEntryBytes, (at) => ({
      binding: this.#word(at + 4),
      visibility: this.#long(at + 8),
      buffer: {type: kBindings[this.#word(at + 28)], hasDynamicOffset: this.#word(at + 32) !== 0},
    }));
    return device.createBindGroupLayout({entries});
  }

  #group(device, d) {
    const entries = this.#array(this.#word(d + 16), this.#word(d + 20), 40, (at) => ({
      binding: this.#word(at + 4),
      resource: {buffer: this.object(this.#word(at + 8)), offset: this.#long(at + 16), size: this.#long(at + 24)},
    }));
    return device.createBindGroup({layout: this.object(this.#word(d + 12)), entries});
  }

  #pipeline(device, d) {
    const constants = Object.fromEntries(this.#array(this.#word(d + 32), this.#word(d + 36), 24,
      (at) => [this.#text(at + 4), this.#view.getFloat64(at + 16, true)]));
    return device.createComputePipeline({layout: this.object(this.#word(d + 12)),
      compute: {module: this.object(this.#word(d + 20)), entryPoint: this.#text(d + 24), constants}});
  }

  #pass(encoder, d) {
    const times = this.#word(d + 12);
    if (times === 0) return encoder.beginComputePass();
    const begin = this.#word(times + 8), end = this.#word(times + 12);
    const timestampWrites = {querySet: this.object(this.#word(times + 4))};
    if (begin !== kUnusedQuery) timestampWrites.beginningOfPassWriteIndex = begin;
    if (end !== kUnusedQuery) timestampWrites.endOfPassWriteIndex = end;
    return encoder.beginComputePass({timestampWrites});
  }

  #map(buffer, mode, offset, size, infoAt) {
    const info = this.#info(infoAt);
    return this.#future(buffer.mapAsync(Number(mode), offset, size), info, () => [kSuccess]);
  }

  // A copy in the memory of WebAssembly, until the buffer is unmapped.
  #mappedRange(handle, offset, size) {
    const buffer = this.object(handle);
    const {at} = this.#instance.put(buffer.getMappedRange(offset, size));
    (buffer.copies ??= []).push(at);
    return at;
  }
  #unmap(buffer) {
    for (const at of buffer.copies ?? []) this.#instance.free(at);
    buffer.copies = [];
    buffer.unmap();
  }

  async #waitAny(_instance, count, waits, _timeout) {
    const ids = this.#array(count, waits, 16, (at) => this.#view.getBigUint64(at, true));
    await Promise.race(ids.map((id) => this.#futures.get(id) ?? Promise.resolve()));
    ids.forEach((id, i) => this.#setWord(waits + 16 * i + 8, this.#futures.has(id) ? 0 : 1));
    return kSuccess;
  }

  #table() {
    const o = (handle) => this.object(handle);
    const release = (handle) => this.#release(handle);
    const create = (make) => (device, descriptor) => this.#add(make(o(device), descriptor));
    const table = {
      CreateInstance: () => this.#add(this),
      InstanceProcessEvents: () => {},
      InstanceWaitAny: new WebAssembly.Suspending((...args) => this.#waitAny(...args)),
      InstanceEnumerateAdapters: (_instance, _options, to) => {
        if (to !== 0) this.#setWord(to, this.#add(this.#adapter));
        return 1;
      },
      InstanceRequestAdapter: (_instance, _options, infoAt) => {
        const info = this.#info(infoAt);
        return this.#future(Promise.resolve(this.#adapter), info, () => [kSuccess, this.#add(this.#adapter)]);
      },
      AdapterRequestDevice: (adapter, descriptor, info) => this.#requestDevice(o(adapter), descriptor, info),
      AdapterGetLimits: (adapter, to) => this.#limits(o(adapter), to),
      AdapterGetInfo: (adapter, to) => this.#adapterInfo(o(adapter), to),
      AdapterInfoFreeMembers: (info) => { for (let i = 0; i < 4; ++i) this.#instance.free(this.#word(info + 4 + 8 * i)); },
      AdapterHasFeature: (adapter, feature) => (kFeatures.has(feature) && o(adapter).features.has(kFeatures.get(feature)) ? 1 : 0),
      DeviceGetQueue: (device) => this.#add(o(device).queue),
      DevicePushErrorScope: (device, filter) => o(device).pushErrorScope(kFilters[filter]),
      DevicePopErrorScope: (device, info) => this.#popErrorScope(o(device), info),
      DeviceCreateShaderModule: create((device, d) => device.createShaderModule({code: this.#text(this.#word(d) + 8)})),
      DeviceCreateBuffer: create((device, d) => device.createBuffer({usage: this.#long(d + 16), size: this.#long(d + 24)})),
      DeviceCreateBindGroupLayout: create((device, d) => this.#groupLayout(device, d)),
      DeviceCreateBindGroup: create((device, d) => this.#group(device, d)),
      DeviceCreatePipelineLayout: create((device, d) => device.createPipelineLayout({
        bindGroupLayouts: this.#array(this.#word(d + 12), this.#word(d + 16), 4, (at) => o(this.#word(at)))})),
      DeviceCreateComputePipeline: create((device, d) => this.#pipeline(device, d)),
      DeviceCreateQuerySet: create((device, d) => device.createQuerySet({type: "timestamp", count: this.#word(d + 16)})),
      DeviceCreateCommandEncoder: create((device) => device.createCommandEncoder()),
      DeviceDestroy: (device) => {
        this.#isClosed = true;
        o(device).destroy();
      },
      CommandEncoderBeginComputePass: create((encoder, d) => this.#pass(encoder, d)),
      CommandEncoderCopyBufferToBuffer: (encoder, from, at, to, offset, size) =>
        o(encoder).copyBufferToBuffer(o(from), Number(at), o(to), Number(offset), Number(size)),
      CommandEncoderClearBuffer: (encoder, buffer, offset, size) => o(encoder).clearBuffer(o(buffer), Number(offset), Number(size)),
      CommandEncoderResolveQuerySet: (encoder, set, first, count, to, offset) =>
        o(encoder).resolveQuerySet(o(set), first, count, o(to), Number(offset)),
      CommandEncoderFinish: create((encoder) => encoder.finish()),
      ComputePassEncoderSetPipeline: (pass, pipeline) => o(pass).setPipeline(o(pipeline)),
      ComputePassEncoderSetBindGroup: (pass, index, group, count, offsets) =>
        o(pass).setBindGroup(index, o(group), this.#array(count, offsets, 4, (at) => this.#word(at))),
      ComputePassEncoderDispatchWorkgroups: (pass, x, y, z) => o(pass).dispatchWorkgroups(x, y, z),
      ComputePassEncoderEnd: (pass) => o(pass).end(),
      QueueSubmit: (queue, count, commands) => o(queue).submit(this.#array(count, commands, 4, (at) => o(this.#word(at)))),
      QueueWriteBuffer: (queue, buffer, offset, data, size) =>
        o(queue).writeBuffer(o(buffer), Number(offset), this.#instance.bytes, data, size),
      QueueOnSubmittedWorkDone: (queue, infoAt) => {
        const info = this.#info(infoAt);
        return this.#future(o(queue).onSubmittedWorkDone(), info, () => [kSuccess]);
      },
      BufferMapAsync: (buffer, mode, offset, size, info) => this.#map(o(buffer), mode, offset, size, info),
      BufferGetConstMappedRange: (buffer, offset, size) => this.#mappedRange(buffer, offset, size),
      BufferUnmap: (buffer) => this.#unmap(o(buffer)),
      BufferDestroy: (buffer) => o(buffer).destroy(),
    };
    for (const name of ["Instance", "Adapter", "Device", "Queue", "Buffer", "BindGroup", "BindGroupLayout", "PipelineLayout",
      "ComputePipeline", "ShaderModule", "QuerySet", "ComputePassEncoder", "CommandEncoder", "CommandBuffer"])
      table[`${name}Release`] = release;
    // Numbers of WebAssembly are signed.
    return Object.fromEntries(Object.entries(table).map(([name, call]) =>
      [name, typeof call === "function" && !(call instanceof WebAssembly.Suspending)
        ? (...args) => call(...args.map((a) => (typeof a === "number" && Number.isInteger(a) ? a >>> 0 : a))) : call]));
  }
}
