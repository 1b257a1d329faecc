// The compiler for the editor: diagnostics while typing, and emitted code. It runs in its own worker, so that a running
// animation does not wait for it.

import * as quern from "../../quern.js";

addEventListener("message", async ({ data: { id, call, source, target, options } }) => {
  try {
    const result = call === "emit" ? await quern.emit(source, target, options) : await quern.check(source, options);
    postMessage({ id, result: plain(result) });
  } catch (error) {
    postMessage({ id, error: { kind: error.kind ?? "internal error", message: String(error.message ?? error), hint: error.hint ?? "", diagnostics: plain(error.diagnostics ?? []) } });
  }
});

/** Removes functions (of struct types), which messages cannot contain. @param {any} value */
function plain(value) {
  return typeof value === "string" ? value : JSON.parse(JSON.stringify(value));
}

postMessage({ ready: true, version: quern.version });
