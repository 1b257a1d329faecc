// The JavaScript API in Node, without a browser: the compiler and the simulator.
//   node tests/web/node_test.mjs [FOLDER]     FOLDER: with quern.js (build/web)
import assert from "node:assert/strict";
import {existsSync} from "node:fs";
import {resolve} from "node:path";
import {test, after} from "node:test";
import {fileURLToPath, pathToFileURL} from "node:url";

const folder = resolve(process.env.QUERN_WEB ?? fileURLToPath(new URL("../../build/web", import.meta.url)));
if (!existsSync(`${folder}/quern.wasm`)) {
  console.log("SKIPPED: build/web is not built (make web)");
  process.exit(process.env.CI === "true" ? 1 : 77);
}
const quern = await import(pathToFileURL(`${folder}/quern.js`));
after(() => setTimeout(() => process.exit(), 100).unref());

const kSaxpy = `__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}`;

const rejects = (promise, kind, text) => assert.rejects(promise, (error) => {
  assert.equal(error.kind, kind, String(error));
  assert.match(String(error), text);
  return true;
});

test("diagnostics have a place and a hint", async () => {
  const {diagnostics, kernels} = await quern.check("__global__ void f(float* x) {\n  x[0] = sqrtt(1.0f);\n}");
  assert.equal(kernels.length, 0);
  const [{line, column, length, severity, message, hint}] = diagnostics;
  assert.deepEqual({line, column, length, severity}, {line: 2, column: 10, length: 5, severity: "error"});
  assert.match(message, /sqrtt/);
  assert.match(hint, /sqrt/);
});

test("kernels are described", async () => {
  const {kernels: [kernel]} = await quern.check(kSaxpy);
  assert.equal(kernel.name, "saxpy");
  assert.equal(kernel.line, 1);
  assert.deepEqual(kernel.parameters.map(({name, kind, bytes, isConst}) => [name, kind, bytes, isConst]),
    [["n", "integer", 4, false], ["a", "real", 4, false], ["x", "pointer", 4, true], ["y", "pointer", 4, false]]);
});

test("every target is emitted", async () => {
  const expected = {ir: /f32/, wgsl: /@compute/, glsl: /#version/, essl: /310 es/, msl: /metal/, spirv: /OpEntryPoint/, ptx: /\.entry/,
    cuda: /__global__/, hip: /__global__/, opencl: /__kernel/};
  for (const [target, text] of Object.entries(expected)) assert.match(await quern.emit(kSaxpy, target), text, target);
  await rejects(quern.emit(kSaxpy, "dxil"), "invalid use", /no target 'dxil'/);
  await rejects(quern.emit("__global__ void f() { g(); }", "wgsl"), "does not compile", /'g'/);
});

test("files cannot be included", async () => {
  const {diagnostics} = await quern.check('#if __has_include("/etc/passwd")\n#error found\n#endif\n__global__ void f() {}');
  assert.deepEqual(diagnostics, []);
});

// By a limit of the front end, or by the time limit.
async function ends(source) {
  const start = performance.now();
  try {
    assert.notEqual((await quern.check(source)).diagnostics.length, 0);
  } catch (error) {
    assert.ok(["timeout", "bad input", "out of memory"].includes(error.kind), String(error));
  }
  assert.ok(performance.now() - start < 20000);
}

test("texts that cost too much end with an error, and the compiler still works", async () => {
  await ends(`__global__ void f(int* x) { x[0] = ${"(".repeat(100000)}1${")".repeat(100000)}; }`);
  await ends("template <int N> __device__ int f() { return f<N + 1>(); }\n__global__ void g(int* x) { x[0] = f<0>(); }");
  await ends("constexpr int f() { int i = 0; while (true) ++i; return i; }\n__global__ void g(int* x) { constexpr int n = f(); x[0] = n; }");
  await ends(`#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(A(x))))\n__global__ void g(int* x) { ${"B(B(x[0]++;))".repeat(3)} }`);
  assert.equal((await quern.check(kSaxpy)).diagnostics.length, 0);
});

test("the simulator runs kernels", async () => {
  const device = await quern.open({device: "sim"});
  const {saxpy} = await device.compile(kSaxpy);
  const x = device.upload(Float32Array.from({length: 1000}, (_, i) => i)), y = device.allocate(Float32Array, 1000);
  y.fill(1);
  const receipt = await saxpy({grid: 4, block: 256, timed: true}, 1000, 3, x, y);
  await receipt.done;
  assert.deepEqual([...(await y.download()).slice(0, 3)], [1, 4, 7]);
  assert.equal(receipt.kernel, "saxpy");
  assert.deepEqual({...device.counters}, {launches: 1, uploads: 1, downloads: 1, uploadedBytes: 4000, downloadedBytes: 4000, copies: 0});
  device.close();
});

test("structs and printf", async () => {
  const device = await quern.open({device: "sim"});
  let output = "";
  device.onoutput = (text) => { output += text; };
  const {move} = await device.compile(`struct Inner { double d; unsigned char c; };
struct Particle { float x; int n[2]; Inner inner; };
__global__ void move(Particle p, Particle* out) {
  p.x += threadIdx.x;
  out[threadIdx.x] = p;
  if (threadIdx.x == 1) printf("n %d\\n", p.n[1]);
}`);
  const type = move.parameters[0].struct;
  const out = device.allocate(Uint8Array, 2 * type.size);
  await move({grid: 1, block: 2}, {x: 1.5, n: [7, 8], inner: {d: 0.1, c: 200}}, out);
  assert.deepEqual(type.unpack(await out.download()), [{x: 1.5, n: [7, 8], inner: {d: 0.1, c: 200}}, {x: 2.5, n: [7, 8], inner: {d: 0.1, c: 200}}]);
  assert.equal(output, "n 8\n");
  device.close();
});

test("invalid launches are rejected", async () => {
  const device = await quern.open({device: "sim"});
  const {saxpy} = await device.compile(kSaxpy);
  const x = device.allocate(Float32Array, 8), n = device.allocate(Int32Array, 8);
  await rejects(saxpy({grid: 1, block: 4096}, 8, 1, x, x), "invalid use", /block \(4096,1,1\) is too large/);
  await rejects(saxpy({grid: 1, block: 8}, 8, 1, x), "invalid use", /takes 4 arguments, got 3/);
  await rejects(saxpy({grid: 1, block: 8}, 1.5, 1, x, x), "invalid use", /an integer is required/);
  await rejects(saxpy({grid: 1, block: 8}, 2 ** 40, 1, x, x), "invalid use", /does not fit/);
  await rejects(saxpy({grid: 1, block: 8}, 8, 1, n, x), "invalid use", /elements/);
  await rejects(device.compile("int x;"), "does not compile", /no kernel/);
  x.destroy();
  await assert.rejects(async () => x.upload(new Float32Array(8)), /is destroyed/);
  device.close();
});

test("the simulator finds a race and names the line", async () => {
  const device = await quern.open({device: "sim"});
  const {count} = await device.compile("__global__ void count(int* n) {\n  n[0] += 1;\n}");
  const n = device.upload(new Int32Array(1));
  await assert.rejects(async () => {
    await count({grid: 1, block: 32}, n);
    await device.synchronize();
  }, (error) => error.kind === "kernel fault" && error.diagnostics[0].line === 2 && error.diagnostics[0].kind === "race");
  device.close();
});

test("an endless kernel is aborted, and the device can be opened again", async () => {
  const device = await quern.open({device: "sim"});
  const {wait} = await device.compile("__global__ void wait(volatile int* n) { while (n[0] == 0) {} }");
  await assert.rejects(wait({grid: 1, block: 1, signal: AbortSignal.timeout(300)}, device.upload(new Int32Array(1))), /abort|timeout/i);
  assert.equal((await device.lost).kind, "device lost");
  await rejects(device.synchronize(), "device lost", /stopped/);
  const other = await quern.open({device: "sim"});
  await other.synchronize();
  other.close();
});

test("unknown devices and missing WebGPU are errors", async () => {
  await rejects(quern.open({device: "cuda"}), "not found", /no device 'cuda'/);
  await rejects(quern.open(), "not found", /no WebGPU/);
});
