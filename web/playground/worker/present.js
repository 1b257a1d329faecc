// Drawing of a buffer on the canvas. With WebGPU, a render pass reads the kernel's memory: nothing is copied to JavaScript.

/** @typedef {{buffer: any, components: number, width: number, height: number}} Picture */

const kShader = `
struct View { width: u32, first: u32 }
@group(0) @binding(0) var<storage, read> pixels: array<u32>;
@group(0) @binding(1) var<uniform> view: View;

@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

fn index(position: vec4f) -> u32 { return u32(position.y) * view.width + u32(position.x); }

@fragment fn packed(@builtin(position) position: vec4f) -> @location(0) vec4f {
  return vec4f(unpack4x8unorm(pixels[view.first + index(position)]).rgb, 1.0);
}

@fragment fn floats(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let i = view.first + 4u * index(position);
  return vec4f(bitcast<f32>(pixels[i]), bitcast<f32>(pixels[i + 1u]), bitcast<f32>(pixels[i + 2u]), 1.0);
}`;

/** Draws from GPU memory. */
export class GpuPresenter {
  /** @param {OffscreenCanvas | undefined} canvas needed for `draw` @param {GPUDevice} device */
  constructor(canvas, device) {
    this.canvas = canvas;
    this.device = device;
    this.format = navigator.gpu.getPreferredCanvasFormat();
    this.context = /** @type {GPUCanvasContext | undefined} */ (canvas?.getContext("webgpu") ?? undefined);
    this.context?.configure({ device, format: this.format, alphaMode: "opaque" });
    this.module = device.createShaderModule({ code: kShader, label: "display" });
    /** @type {Map<string, GPURenderPipeline>} */
    this.pipelines = new Map();
    /** @type {WeakMap<GPUBuffer, {key: string, group: GPUBindGroup}>} */
    this.groups = new WeakMap();
  }

  /** Whether fragment shaders of this device can read buffers. @param {GPUDevice | undefined} device */
  static supported(device) {
    const limits = /** @type {any} */ (device?.limits);
    return Boolean(limits) && (limits.maxStorageBuffersInFragmentStage ?? limits.maxStorageBuffersPerShaderStage) > 0;
  }

  /** @param {string} entry */
  pipeline(entry) {
    let pipeline = this.pipelines.get(entry);
    if (!pipeline) {
      pipeline = this.device.createRenderPipeline({ layout: "auto", vertex: { module: this.module, entryPoint: "corner" },
        fragment: { module: this.module, entryPoint: entry, targets: [{ format: this.format }] }, primitive: { topology: "triangle-list" } });
      this.pipelines.set(entry, pipeline);
    }
    return pipeline;
  }

  /** @param {Picture} picture @param {GPURenderPipeline} pipeline @param {string} entry */
  group(picture, pipeline, entry) {
    const { buffer, offset, size } = picture.buffer.native;
    const key = `${entry} ${offset} ${size} ${picture.width}`;
    const known = this.groups.get(buffer);
    if (known?.key === key) return known.group;
    const start = offset - (offset % 256);
    const view = this.device.createBuffer({ size: 16, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
    this.device.queue.writeBuffer(view, 0, new Uint32Array([picture.width, (offset - start) / 4, 0, 0]));
    const group = this.device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [
      { binding: 0, resource: { buffer, offset: start, size: Math.ceil((offset - start + size) / 4) * 4 } },
      { binding: 1, resource: { buffer: view } }] });
    this.groups.set(buffer, { key, group });
    return group;
  }

  /** @param {Picture} picture @param {GPUTextureView} view @returns {GPUCommandEncoder} */
  encode(picture, view) {
    const entry = picture.components === 4 ? "floats" : "packed";
    const pipeline = this.pipeline(entry);
    const encoder = this.device.createCommandEncoder();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: "clear", storeOp: "store" }] });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, this.group(picture, pipeline, entry));
    pass.draw(3);
    pass.end();
    return encoder;
  }

  /** @param {Picture} picture */
  async draw(picture) {
    if (!this.canvas || !this.context) throw new Error("the browser has no WebGPU context for this canvas");
    if (this.canvas.width !== picture.width || this.canvas.height !== picture.height) {
      this.canvas.width = picture.width;
      this.canvas.height = picture.height;
    }
    const encoder = this.encode(picture, this.context.getCurrentTexture().createView());
    this.device.queue.submit([encoder.finish()]);
  }

  /** Draws to a texture by the same pass, and reads it. @param {Picture} picture @returns {Promise<ImageData>} */
  async snapshot({ buffer, components, width, height }) {
    const texture = this.device.createTexture({ size: [width, height], format: this.format, usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC });
    const stride = Math.ceil(width / 64) * 256;
    const target = this.device.createBuffer({ size: stride * height, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
    const encoder = this.encode({ buffer, components, width, height }, texture.createView());
    encoder.copyTextureToBuffer({ texture }, { buffer: target, bytesPerRow: stride }, [width, height]);
    this.device.queue.submit([encoder.finish()]);
    await target.mapAsync(GPUMapMode.READ);
    const rows = new Uint8Array(target.getMappedRange()), image = new ImageData(width, height);
    for (let y = 0; y < height; ++y) image.data.set(rows.subarray(stride * y, stride * y + 4 * width), 4 * width * y);
    if (this.format === "bgra8unorm") swapRedAndBlue(image.data);
    target.destroy();
    texture.destroy();
    return image;
  }
}

/** @param {Uint8ClampedArray} bytes */
function swapRedAndBlue(bytes) {
  for (let i = 0; i < bytes.length; i += 4) [bytes[i], bytes[i + 2]] = [bytes[i + 2], bytes[i]];
}

/** Draws by a download: for the simulator, whose memory is in JavaScript anyway. */
export class CopyPresenter {
  /** @param {OffscreenCanvas} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
  }

  /** @param {Picture} picture */
  async draw(picture) {
    const image = await this.snapshot(picture);
    if (this.canvas.width !== image.width || this.canvas.height !== image.height) {
      this.canvas.width = image.width;
      this.canvas.height = image.height;
    }
    this.context.putImageData(image, 0, 0);
  }

  /** @param {Picture} picture @returns {Promise<ImageData>} */
  async snapshot({ buffer, components, width, height }) {
    const data = await buffer.download();
    const bytes = new Uint8ClampedArray(4 * width * height);
    if (components === 4) for (let i = 0; i < bytes.length; ++i) bytes[i] = 255 * data[i];
    else bytes.set(new Uint8Array(data.buffer, data.byteOffset, bytes.length));
    for (let i = 3; i < bytes.length; i += 4) bytes[i] = 255;
    return new ImageData(bytes, width, height);
  }
}
