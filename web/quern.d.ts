// CUDA C++ in the browser: compiles kernels in the page and runs them on the GPU (WebGPU) or on a simulator that checks
// every access. docs/web.md is the manual.

export type ErrorKind = "invalid use" | "not found" | "unsupported" | "bad input" | "does not compile" | "out of memory"
  | "timeout" | "kernel fault" | "device lost" | "input/output" | "internal error";   // as the C++ to_string(ErrorKind)

/** A message of the compiler. Lines and columns start at 1. */
export interface Diagnostic { line: number; column: number; length?: number; severity: "error" | "warning" | "note";
  message: string; hint?: string; notes?: Diagnostic[]; }

/** Thrown by every call that fails. */
export class QuernError extends Error { kind: ErrorKind; hint: string; diagnostics: Diagnostic[]; device: string; kernel: string; }

export type TypedArray = Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array | Uint32Array
  | BigInt64Array | BigUint64Array | Float32Array | Float64Array;

export interface OpenOptions {
  device?: "webgpu" | "sim";          // default: webgpu; open() fails with kind "not found" where there is no adapter
  signal?: AbortSignal;
  wasm?: string | URL | Response | WebAssembly.Module;   // default: quern.wasm in the folder of quern.js
  check?: boolean | string;           // sim only, default true: races, bounds, uninitialized reads; false: none
  seed?: number;                      // sim only: the order in which threads run
}
/** Opens a device. WebGPU is used on the calling thread (page or worker); the simulator always runs in a worker of its own. */
export function open(options?: OpenOptions): Promise<Device>;

export type Target = "wgsl" | "glsl" | "essl" | "msl" | "spirv" | "ptx" | "cuda" | "hip" | "opencl" | "ir";
/** Compiles without a device, for editors. Never throws for a bad kernel text. */
export function check(source: string, options?: CompileOptions): Promise<{ diagnostics: Diagnostic[]; kernels: KernelInfo[] }>;
/** The text for a target (SPIR-V: disassembled). Rejects with a QuernError (kind "unsupported": why the target cannot express it). */
export function emit(source: string, target: Target, options?: CompileOptions): Promise<string>;
export const version: string;

export interface CompileOptions { math?: "exact" | "fast"; defines?: Record<string, string | number>; signal?: AbortSignal;
  /** The kernels to compile, also instances of templates: "scan<float, 256>". Default: all. */
  kernels?: string[]; }

export interface StructType { name: string; size: number; align: number;
  /** Types of numbers: i8 to i64, u8 to u64, f16, bf16, f32, f64, bool. Arrays have a count above 1. */
  fields: { name: string; type: string; offset: number; count: number; struct?: StructType }[];
  pack(values: object | object[]): ArrayBuffer;  unpack(bytes: ArrayBuffer | TypedArray): object[]; }
export interface Parameter { name: string; type: string;      // C++ text: "const float*"
  kind: "integer" | "unsigned" | "real" | "boolean" | "struct" | "pointer";
  bytes: number; isConst: boolean;                            // pointers: read only; bytes: of one element
  element?: string; struct?: StructType; }
export interface KernelInfo { name: string; parameters: Parameter[]; line: number; block?: [number, number, number]; /* __launch_bounds__ etc. */ }

export interface LaunchConfig { grid: number | number[]; block: number | number[]; shared?: number; signal?: AbortSignal; timed?: boolean; }
export interface Kernel extends KernelInfo {
  /** Queues a launch. Resolves when it is queued; errors of the run appear at receipt.done, synchronize() and download(). */
  (config: LaunchConfig, ...args: (number | bigint | boolean | object | Buffer | null)[]): Promise<Receipt>;
}
export type Module = { readonly [kernel: string]: Kernel };

export interface Receipt { kernel: string; device: string; done: Promise<void>; gpuTime: Promise<number | undefined>; /* seconds */
  notes: string[]; /* e.g. "doubles in software" */ }

export interface Buffer<T extends TypedArray = TypedArray> {
  readonly length: number; readonly byteLength: number; readonly label: string;
  upload(data: T | ArrayBuffer, offset?: number): void;
  download(options?: { signal?: AbortSignal }): Promise<T>;
  fill(value: number): void;
  copyFrom(source: Buffer<T>): void;
  destroy(): void;
  /** WebGPU devices only: for a renderer that draws from the same memory. */
  readonly native?: { buffer: GPUBuffer; offset: number; size: number };
}

export interface Feature { name: string; supported: boolean; reason?: string; }
export interface DeviceInfo { name: string; driver: "webgpu" | "sim"; vendor: string; description: string;
  limits: Record<string, number>; features: Feature[]; /* what is refused and why */ }
export interface Counters { launches: number; uploads: number; downloads: number; uploadedBytes: number; downloadedBytes: number; copies: number; }

export interface Device {
  readonly info: DeviceInfo;
  compile(source: string, options?: CompileOptions): Promise<Module>;      // rejects with diagnostics
  upload<T extends TypedArray>(data: T, options?: { label?: string }): Buffer<T>;
  allocate<T extends TypedArray>(type: { new (n: number): T }, count: number, options?: { label?: string }): Buffer<T>;
  synchronize(options?: { signal?: AbortSignal }): Promise<void>;
  /** Text of kernel printf, at synchronization points. Default: console.log. */
  onoutput: ((text: string) => void) | null;
  readonly lost: Promise<QuernError>;
  readonly counters: Counters;
  readonly native?: GPUDevice;
  close(): void;
}
