// Runs the cases that `quern_suite --export` has written, through the JavaScript API. Used in browsers and in Node.

const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

async function runCase(device, source, test) {
  let printed = "";
  device.onoutput = (text) => { printed += text; };
  const module = await device.compile(source, {kernels: [test.kernel]});
  const [kernel] = Object.values(module);
  const buffers = [];
  const args = test.arguments.map((argument) => {
    if (argument === null) return null;
    if (argument.value !== undefined) return fromHex(argument.value);
    const buffer = argument.memory ? device.upload(fromHex(argument.memory)) : device.allocate(Uint8Array, argument.size);
    buffers.push(buffer);
    return buffer;
  });
  try {
    await kernel({grid: test.grid, block: test.block, shared: test.shared}, ...args);
    await device.synchronize();
    const memory = {};
    for (const at of test.reads) memory[at] = toHex(await args[at].download());
    return {name: test.name, memory, printed};
  } finally {
    for (const buffer of buffers) buffer.destroy();
  }
}

/** Returns the results in the form that `quern_suite --compare` reads. A lost device is opened again. */
export async function runCases(open, {sources, cases}, onprogress = () => {}) {
  const results = [];
  let device = await open();
  for (const test of cases) {
    onprogress(results.length, test.name);
    const start = performance.now();
    try {
      results.push(await runCase(device, sources[test.source], test));
    } catch (error) {
      const isRefused = error.kind === "unsupported" || / is too large; the limit of /.test(error.message);
      results.push({name: test.name, [isRefused ? "refused" : "failed"]: String(error)});
      if (error.kind === "device lost" || error.kind === "internal error") device = await open();
    }
    results.at(-1).seconds = (performance.now() - start) / 1000;
  }
  device.close();
  return results;
}
