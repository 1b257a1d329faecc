// The tab with the code that the compiler emits for each target.

import { h } from "./dom.js";

const kTargets = [["wgsl", "WGSL"], ["glsl", "GLSL"], ["msl", "MSL"], ["spirv", "SPIR-V"], ["ptx", "PTX"], ["hip", "HIP"], ["opencl", "OpenCL C"], ["ir", "IR"]];

export class CodePanel {
  /** @param {HTMLElement} root @param {import("./language-client.js").LanguageClient} language @param {() => string} source */
  constructor(root, language, source) {
    this.language = language;
    this.source = source;
    this.target = "wgsl";
    this.shown = "";
    this.text = h("pre", { class: "emitted", tabindex: 0, "aria-label": "Emitted code" });
    this.note = h("span", { class: "note", role: "status" });
    this.copy = h("button", { type: "button", class: "quiet small", onclick: () => this.copyText() }, "Copy");
    root.append(h("div", { class: "targets", role: "radiogroup", "aria-label": "Target" }, ...kTargets.map((entry) => this.choice(entry))),
      h("div", { class: "emitted-bar" }, this.note, this.copy), this.text);
  }

  /** @param {string[]} entry */
  choice([target, label]) {
    const input = h("input", { type: "radio", name: "target", value: target, checked: target === this.target, onchange: () => { this.target = target; this.update(); } });
    return h("label", {}, input, h("span", {}, label));
  }

  async copyText() {
    await navigator.clipboard.writeText(this.text.textContent ?? "");
    this.note.textContent = "copied";
  }

  /** Emits the code again if the source or the target changed. */
  async update() {
    const source = this.source(), target = this.target, key = `${target}\n${source}`;
    if (key === this.shown) return;
    this.shown = key;
    this.note.textContent = "compiling…";
    try {
      const begin = performance.now();
      const text = await this.language.emit(source, target);
      if (this.shown !== key) return;
      this.text.textContent = text;
      this.note.textContent = `${text.split("\n").length} lines in ${(performance.now() - begin).toFixed(0)} ms`;
    } catch (error) {
      if (this.shown !== key) return;
      this.text.textContent = [error.message, error.hint && `hint: ${error.hint}`].filter(Boolean).join("\n");
      this.note.textContent = error.kind;
    }
  }
}
