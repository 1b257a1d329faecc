// The tab with values, buffers and launches of the program. A change takes effect at the next run, which it starts.

import { h } from "./dom.js";
import { evaluate } from "./expression.js";
import { kLiveInputs, parseBuffer } from "./settings.js";

export class LaunchPanel extends EventTarget {
  /** @param {HTMLElement} root */
  constructor(root) {
    super();
    this.root = root;
  }

  /**
   * @param {import("./settings.js").Settings} settings edited in place @param {Record<string, number>} values of this device, edited in place
   * @param {any[]} kernels KernelInfo of the compiler @param {string[]} sliders names that have a slider
   */
  show(settings, values, kernels, sliders) {
    this.settings = settings;
    this.values = values;
    this.kernels = kernels;
    const names = Object.keys(settings.values).filter((name) => !sliders.includes(name));
    const live = [...new Set(kernels.flatMap((kernel) => kernel.parameters.map((/** @type {any} */ p) => p.name)))].filter((name) => Object.hasOwn(kLiveInputs, name));
    this.root.replaceChildren(
      names.length > 0 && h("h3", {}, "Values"),
      h("div", { class: "fields" }, ...names.map((name) => this.valueField(name))),
      live.length > 0 && h("p", { class: "live" }, "Live inputs: ", ...live.flatMap((name, i) => [i ? ", " : "", h("code", { title: kLiveInputs[/** @type {keyof kLiveInputs} */ (name)] }, name)])),
      h("h3", {}, "Buffers"),
      h("p", { class: "explain" }, "As for ", h("code", {}, "quern run"), ": type, size, start value (a number, ", h("code", {}, "iota"), ", ", h("code", {}, "rand:7"), ", ", h("code", {}, "image"), ")."),
      h("div", { class: "fields wide" }, ...Object.keys(settings.buffers).map((name) => this.bufferField(name))),
      settings.setup.length > 0 && h("h3", {}, "Launches at the start"),
      this.steps(settings.setup),
      settings.frame.length > 0 && h("h3", {}, "Launches in every frame"),
      this.steps(settings.frame));
    this.root.querySelectorAll(":scope > .fields:empty").forEach((each) => each.remove());
  }

  changed() {
    this.dispatchEvent(new Event("change"));
  }

  /** @param {string} name */
  valueField(name) {
    const input = h("input", { type: "number", step: "any", value: this.values[name], onchange: () => {
      if (!input.checkValidity() || input.value === "") return;
      this.values[name] = input.valueAsNumber;
      this.changed();
    } });
    return h("label", {}, h("code", {}, name), input);
  }

  /** @param {string} name */
  bufferField(name) {
    return this.checkedField(name, this.settings.buffers[name], (text) => {
      parseBuffer(text, this.values);
      this.settings.buffers[name] = text;
    });
  }

  /** A text field that explains a wrong entry. @param {string} label @param {string} value @param {(text: string) => void} accept throws */
  checkedField(label, value, accept) {
    const problem = h("span", { class: "field-problem", role: "alert" });
    const input = h("input", { type: "text", value, spellcheck: "false", autocapitalize: "off", onchange: () => {
      try {
        accept(input.value);
        problem.textContent = "";
        input.removeAttribute("aria-invalid");
        this.changed();
      } catch (error) {
        problem.textContent = error.message;
        input.setAttribute("aria-invalid", "true");
      }
    } });
    return h("label", {}, h("code", {}, label), input, problem);
  }

  /** @param {import("./settings.js").Step[]} steps @returns {HTMLElement} */
  steps(steps) {
    return h("ol", { class: "steps" }, ...steps.map((step) => {
      if ("swap" in step) return h("li", { class: "swap" }, "swap ", h("code", {}, step.swap[0]), " and ", h("code", {}, step.swap[1]));
      if ("steps" in step) {
        const count = this.checkedField("repeat", String(step.repeat), (text) => {
          if (!(evaluate(text, this.values) >= 0)) throw new Error("use 0 or more");
          step.repeat = text;
        });
        return h("li", {}, count, this.steps(step.steps));
      }
      return h("li", {}, this.launch(step));
    }));
  }

  /** @param {import("./settings.js").Launch} step */
  launch(step) {
    const names = this.kernels.map((kernel) => kernel.name);
    const options = names.includes(step.kernel) ? names : [step.kernel, ...names];
    const select = h("select", { "aria-label": "Kernel", onchange: () => { step.kernel = select.value; this.changed(); } },
      ...options.map((name) => h("option", { value: name, selected: name === step.kernel }, name)));
    const size = (/** @type {"threads" | "block"} */ key) => this.checkedField(key, step[key].join(", "), (text) => {
      const parts = text.split(",").map((part) => part.trim());
      if (parts.length > 3) throw new Error("at most three dimensions");
      for (const part of parts) if (!(evaluate(part, this.values) >= 1)) throw new Error("sizes start at 1");
      step[key] = parts;
    });
    const renamed = Object.entries(step.arguments ?? {}).map(([name, value]) => `${name} = ${value}`).join(", ");
    return h("div", { class: "launch" }, select, size("threads"), size("block"), renamed && h("span", { class: "renamed" }, renamed));
  }
}
