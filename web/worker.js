// The worker of a simulator, or of the compiler.
import {execute} from "./backend.js";
import {plain} from "./errors.js";
import {Instance, loadModule} from "./instance.js";

const port = typeof self !== "undefined" && self.postMessage ? self : (await import("node:worker_threads")).parentPort;
let instance;

async function answer({id, wasm, job}) {
  try {
    if (!job) {
      instance = await Instance.create(await loadModule(wasm ?? undefined));
      return port.postMessage({id});
    }
    const result = await execute(instance, job);
    port.postMessage({id, result}, result.bytes ? [result.bytes.buffer] : []);
  } catch (error) {
    port.postMessage({id, error: plain(error), output: error.output, isBroken: instance?.isBroken ?? true});
  }
}

if (port === globalThis) port.onmessage = ({data}) => answer(data);
else port.on("message", answer);
