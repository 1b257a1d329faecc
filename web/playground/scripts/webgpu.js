// What the browser's WebGPU can do, examined once when the page starts.

/** @typedef {{problem?: {reason: string, help: string}, showsCanvas: boolean}} Examination */

/** @returns {Promise<Examination>} `problem` if there is no adapter */
export async function examineWebgpu() {
  if (!isSecureContext) return absent("This page is not served over HTTPS or from localhost, so the browser hides WebGPU.", "Serve it from localhost, or over HTTPS.");
  const gpu = /** @type {any} */ (navigator).gpu;
  if (!gpu) return absent("This browser has no WebGPU.", "Use a current Chrome, Edge, Safari or Firefox, or enable WebGPU in its settings.");
  const adapter = await gpu.requestAdapter().catch(() => null);
  if (!adapter) {
    return absent("The browser has WebGPU but found no adapter: the graphics driver is missing, too old or blocked.", "Update the graphics driver, or see the browser's page about graphics (chrome://gpu).");
  }
  const device = await adapter.requestDevice();
  const showsCanvas = await drawsOnCanvas(device);
  device.destroy();
  return { showsCanvas };
}

/** @param {string} reason @param {string} help @returns {Examination} */
function absent(reason, help) {
  return { problem: { reason, help }, showsCanvas: false };
}

/**
 * Draws one pixel. Some headless browsers lose the device when WebGPU draws on a canvas; kernels run there nevertheless, so the
 * page downloads the picture. A device of its own is used because it may be lost.
 * @param {any} device GPUDevice @returns {Promise<boolean>}
 */
async function drawsOnCanvas(device) {
  const canvas = new OffscreenCanvas(1, 1);
  const context = /** @type {any} */ (canvas.getContext("webgpu"));
  if (!context) return false;
  context.configure({ device, format: /** @type {any} */ (navigator).gpu.getPreferredCanvasFormat(), alphaMode: "opaque" });
  const encoder = device.createCommandEncoder();
  encoder.beginRenderPass({ colorAttachments: [{ view: context.getCurrentTexture().createView(), loadOp: "clear", storeOp: "store", clearValue: [1, 1, 1, 1] }] }).end();
  device.queue.submit([encoder.finish()]);
  const finished = device.queue.onSubmittedWorkDone().then(() => true, () => false);
  return Promise.race([finished, device.lost.then(() => false)]);
}
