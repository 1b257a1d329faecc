// Errors with the kinds of the C++ API.

/** Thrown by every call that fails. */
export class QuernError extends Error {
  /** @param {{kind: string, message: string, hint?: string, diagnostics?: object[], kernel?: string}} error */
  constructor(error, device = "") {
    super(error.message, error.cause === undefined ? undefined : {cause: error.cause});
    this.name = "QuernError";
    this.kind = error.kind;
    this.hint = error.hint ?? "";
    this.diagnostics = error.diagnostics ?? [];
    this.device = device;
    this.kernel = error.kernel ?? "";
  }

  toString() {
    return `${this.kind}: ${this.message}${this.hint ? `\nhint: ${this.hint}` : ""}`;
  }
}

/** The form in which a worker sends an error. */
export const plain = (error) => ({
  kind: error.kind ?? "internal error",
  message: error.message ?? String(error),
  hint: error.hint,
  diagnostics: error.diagnostics,
  kernel: error.kernel,
});

/** Settles as the promise does, or rejects with the signal's reason when it is aborted. */
export function abortable(promise, signal, onabort) {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => {
      onabort?.();
      reject(signal.reason);
    };
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, {once: true});
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
