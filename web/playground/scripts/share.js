// Links that contain a program: the fragment is "#code=" and deflated JSON in base64url. Fragments are not sent to servers.

import { checkSettings, kLimits } from "./settings.js";

const kMaxBytes = 1 << 20;

/** @typedef {{source: string, settings: import("./settings.js").Settings, values: Record<string, number>, device: "webgpu" | "sim"}} Shared */

/** @param {Shared} shared @returns {Promise<string>} the fragment, without "#" */
export async function encodeShared(shared) {
  const bytes = new TextEncoder().encode(JSON.stringify({ version: 1, ...shared }));
  const packed = await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer();
  let text = "";
  for (const byte of new Uint8Array(packed)) text += String.fromCharCode(byte);
  return "code=" + btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** @param {string} code the text after "code=" @returns {Promise<Shared>} @throws {Error} if the link is damaged */
export async function decodeShared(code) {
  let raw;
  try {
    const packed = Uint8Array.from(atob(code.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
    raw = JSON.parse(await inflate(packed));
  } catch (error) {
    throw new Error(`the link is damaged: ${error.message}`);
  }
  if (raw?.version !== 1) throw new Error("the link was made by another version of this page");
  if (typeof raw.source !== "string" || raw.source.length > kLimits.source) throw new Error(`the link has no source, or more than ${kLimits.source} characters`);
  const settings = checkSettings(raw.settings);
  const values = checkSettings({ values: raw.values ?? {} }).values;
  return { source: raw.source, settings, values, device: raw.device === "sim" ? "sim" : "webgpu" };
}

/** Decompresses at most 1 MiB, however large the data claims to be. @param {Uint8Array} packed @returns {Promise<string>} */
async function inflate(packed) {
  const reader = new Blob([/** @type {any} */ (packed)]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder();
  let text = "", total = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    total += value.length;
    if (total > kMaxBytes) {
      await reader.cancel();
      throw new Error("it expands to more than 1 MiB");
    }
    text += decoder.decode(value, { stream: true });
  }
}

/**
 * Parses the fragment of the address.
 * @param {string} hash @returns {{example?: string, code?: string, device?: "webgpu" | "sim", frames?: number}}
 */
export function parseFragment(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const device = fields.get("device"), frames = Number(fields.get("frames") ?? NaN);
  return { example: fields.get("example") ?? undefined, code: fields.get("code") ?? undefined,
    device: device === "sim" || device === "webgpu" ? device : undefined,
    frames: Number.isInteger(frames) && frames > 0 && frames <= 100_000 ? frames : undefined };
}
