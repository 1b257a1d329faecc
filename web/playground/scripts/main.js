// The page: connects editor, panels, compiler and engine.

import { byId, debounce, h } from "./dom.js";
import { CodePanel } from "./code-panel.js";
import { showDevice } from "./device-panel.js";
import { Editor } from "./editor.js";
import { EngineClient } from "./engine-client.js";
import { loadGallery, loadSource, showGallery } from "./gallery.js";
import { InputsPanel, showSliders } from "./inputs-panel.js";
import { LanguageClient } from "./language-client.js";
import { LaunchPanel } from "./launch-panel.js";
import { Notices } from "./notices.js";
import { watchPointer } from "./pointer.js";
import { hideReport, ProblemList, problemsOf, showReport } from "./problems.js";
import { checkSettings, completeSettings, findSliders } from "./settings.js";
import { decodeShared, encodeShared, parseFragment } from "./share.js";
import { Tabs } from "./tabs.js";
import { startTheme } from "./theme.js";
import { showFigures, showTiming } from "./timing-panel.js";
import { examineWebgpu } from "./webgpu.js";

/** @typedef {import("./settings.js").Settings} Settings */

const kCheckDelayMs = 300;
const kMaxOutput = 200_000;
const kNoWebgl = "WebGL 2 cannot replace it: it has no compute shaders and no storage buffers, so a kernel could neither share memory in a block nor write to arbitrary places.";

class Playground {
  constructor() {
    this.language = new LanguageClient();
    this.engine = new EngineClient(byId("canvas-place"));
    this.editor = new Editor(byId("editor"));
    this.notices = new Notices(byId("notices"));
    this.tabs = new Tabs(byId("tablist"), [...document.querySelectorAll(".tabs > [data-title]")].map((each) => /** @type {HTMLElement} */ (each)));
    this.problems = new ProblemList(byId("problems"), byId("problem-count"), byId("problem-live"), (problem) => problem.line > 0 && this.editor.goTo(problem.line, problem.column));
    this.code = new CodePanel(byId("panel-code"), this.language, () => this.editor.text);
    this.launch = new LaunchPanel(byId("panel-launch"));
    this.inputs = new InputsPanel(byId("panel-inputs"), (bitmap) => this.sendPicture(bitmap));
    /** @type {Settings} */
    this.settings = checkSettings({});
    /** @type {Record<string, number>} */
    this.values = {};
    /** @type {any[]} */
    this.kernels = [];
    /** @type {"webgpu" | "sim"} */
    this.device = "webgpu";
    this.opened = "";
    this.trusted = true;
    this.drawsFromGpu = false;
    this.showsCanvas = false;
    /** @type {number | undefined} */
    this.frames = undefined;
    this.markExample = (/** @type {string | undefined} */ _id) => {};
  }

  async start() {
    startTheme(byId("theme"));
    watchPointer(byId("stage"), (inputs) => this.engine.send({ type: "inputs", inputs }));
    this.listenControls();
    this.listenEngine();
    this.language.ready.then((version) => { byId("version").textContent = `Quern ${version}.`; });
    const [examples, { problem, showsCanvas }] = await Promise.all([loadGallery(), examineWebgpu()]);
    this.showsCanvas = showsCanvas;
    this.examples = examples;
    this.markExample = showGallery(byId("gallery"), examples, (id) => this.choose(id));
    if (problem) this.withoutWebgpu(problem);
    await this.followFragment();
    addEventListener("hashchange", () => {
      const { example, code } = parseFragment(location.hash);
      if (example || code) this.followFragment();
    });
  }

  /** @param {{reason: string, help: string}} problem */
  withoutWebgpu(problem) {
    this.noWebgpu = true;
    byId("device").querySelector("option[value=webgpu]").disabled = true;
    this.notices.show("webgpu", { title: "No WebGPU here.", text: `${problem.reason} ${problem.help} ${kNoWebgl} The examples run on the checking simulator instead, in smaller sizes.` });
  }

  listenControls() {
    document.querySelector(".skip")?.addEventListener("click", (event) => {
      event.preventDefault();  // the fragment of the address names the program
      this.editor.input.focus();
    });
    byId("run").addEventListener("click", () => this.run());
    byId("pause").addEventListener("click", () => this.engine.send({ type: this.engine.state === "paused" ? "resume" : "pause" }));
    byId("step").addEventListener("click", () => this.engine.send({ type: "step" }));
    byId("save").addEventListener("click", () => this.save());
    byId("share").addEventListener("click", () => this.share());
    byId("device").addEventListener("change", (/** @type {any} */ event) => this.changeDevice(event.target.value));
    this.editor.addEventListener("change", debounce(() => this.check(), kCheckDelayMs));
    this.editor.addEventListener("change", () => this.edited());
    this.tabs.addEventListener("select", () => this.refreshCode());
    this.launch.addEventListener("change", () => { if (this.trusted) this.run(); });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        this.run();
      } else if (event.key === "F8") {
        event.preventDefault();
        this.editor.nextProblem();
      }
    });
  }

  listenEngine() {
    const on = (/** @type {string} */ type, /** @type {(data: any) => void} */ action) => this.engine.addEventListener(type, (event) => action(/** @type {CustomEvent} */ (event).detail));
    on("state", ({ state }) => this.showState(state));
    on("statistics", (report) => {
      showFigures(byId("figures"), report, this.drawsFromGpu);
      showTiming(byId("panel-timing"), report);
    });
    on("output", ({ text, cut }) => this.print(cut ? `${text}\n(more output was dropped)\n` : text));
    on("failed", ({ error, phase }) => this.failed(error, phase));
    on("lost", ({ error }) => this.notices.show("lost", { title: "The GPU device was lost.", text: `${error.message.replace(/\.*$/, ".")} A kernel that runs too long is a frequent reason.`, severity: "error", button: "Restart", action: () => this.restart() }));
    on("waiting", () => this.notices.show("waiting", { title: "Still computing.", text: "The kernel has not finished for some seconds. It may be large, or endless.", button: "Stop it", action: () => this.restart() }));
    on("progress", () => this.notices.hide("waiting"));
    on("pictureUsed", () => this.inputs.used());
  }

  /** @param {string} state */
  showState(state) {
    byId("state").textContent = { opening: "opening the device", compiling: "compiling", ready: "ready", running: "running", paused: "paused", finished: "finished", stopped: "stopped", lost: "device lost", closed: "no device" }[state] ?? state;
    byId("state").dataset.state = state;
    byId("busy").hidden = state !== "compiling" && state !== "opening";
    const live = state === "running" || state === "paused";
    byId("pause").disabled = !live;
    byId("step").disabled = state !== "paused";
    byId("save").hidden = !(live || state === "finished") || this.settings.display === undefined;
    byId("pause").textContent = state === "paused" ? "Continue" : "Pause";
  }

  /** Opens what the address names: a shared program or an example. */
  async followFragment() {
    const { example, code, device, frames } = parseFragment(location.hash);
    this.frames = frames;
    let problem = "";
    if (code) {
      try {
        const shared = await decodeShared(code);
        await this.load(shared.source, shared.settings, this.noWebgpu ? "sim" : shared.device, false, shared.values);
        return;
      } catch (error) {
        problem = error.message;
      }
    }
    const found = this.examples?.find(({ id }) => id === example) ?? this.examples?.[0];
    if (found) await this.open(found.id, device);
    if (problem) this.notices.show("link", { title: "The link could not be opened.", text: problem, severity: "error" });
  }

  /** @param {string} id */
  choose(id) {
    if (location.hash === `#example=${id}`) this.open(id);
    else location.hash = `example=${id}`;
  }

  /** @param {string} id @param {"webgpu" | "sim"} [device] */
  async open(id, device) {
    const example = this.examples?.find((each) => each.id === id);
    if (!example) return;
    const source = await loadSource(id);
    await this.load(source, structuredClone(example.settings), device ?? (this.noWebgpu ? "sim" : example.settings.device ?? "webgpu"), true);
    this.markExample(id);
  }

  /** @param {string} source @param {Settings} settings @param {"webgpu" | "sim"} device @param {boolean} trusted @param {Record<string, number>} [values] */
  async load(source, settings, device, trusted, values) {
    this.markExample(undefined);
    this.settings = settings;
    this.device = this.noWebgpu ? "sim" : device;
    this.trusted = trusted;
    this.kernels = [];
    byId("guard").hidden = trusted;
    byId("device").value = this.device;
    byId("title").textContent = settings.title;
    byId("summary").textContent = settings.summary;
    this.editor.text = source;
    this.values = { ...this.defaults(), ...(values ?? {}) };
    this.clear();
    await Promise.all([this.prepareDevice(), this.check()]);
    if (trusted && (this.frames !== undefined || !matchMedia("(prefers-reduced-motion: reduce)").matches)) this.run();
  }

  /** Values for the current device: the simulator is slow and has its own. */
  defaults() {
    const sliders = Object.fromEntries(findSliders(this.editor.text).map(({ name, value }) => [name, value]));
    return { ...sliders, ...this.settings.values, ...(this.device === "sim" ? this.settings.simulator : {}) };
  }

  clear() {
    byId("output").textContent = "";
    byId("figures").replaceChildren();
    byId("panel-timing").replaceChildren("Run a program to measure it.");
    this.showPlace();
    for (const topic of ["lost", "waiting", "link", "run"]) this.notices.hide(topic);
    hideReport(byId("stage"), byId("report"));
    this.tabs.select(this.settings.display ? this.tabs.selected ?? "panel-output" : "panel-output");
  }

  /** Opens a fresh session: stops what runs, and gives the canvas another context. */
  async prepareDevice() {
    this.opened = "";
    try {
      const { info, drawsFromGpu } = await this.engine.open(this.device, this.showsCanvas);
      this.opened = this.device;
      this.drawsFromGpu = drawsFromGpu;
      showDevice(byId("panel-device"), info, drawsFromGpu);
    } catch (error) {
      this.failed(error, "open");
    }
  }

  /** @param {"webgpu" | "sim"} device */
  async changeDevice(device) {
    this.device = device;
    this.values = this.defaults();
    this.clear();
    this.showLaunch();
    await this.prepareDevice();
    if (this.trusted) this.run();
  }

  /** Ends the worker with everything in it, and opens the device again. The reader starts the next run. */
  async restart() {
    this.clear();
    await this.prepareDevice();
  }

  edited() {
    this.problems.show([]);
  }

  /** Checks the source in the compiler's worker. @returns {Promise<boolean>} whether it compiles */
  async check() {
    const source = this.editor.text;
    try {
      const { diagnostics, kernels } = await this.language.check(source);
      if (source !== this.editor.text) return false;
      const errors = diagnostics.filter((each) => each.severity === "error");
      this.showProblems(diagnostics);
      if (errors.length === 0) this.useKernels(kernels);
      this.refreshCode();
      return errors.length === 0;
    } catch (error) {
      this.showProblems(problemsOf(error));
      return false;
    }
  }

  /** @param {any[]} kernels */
  useKernels(kernels) {
    this.kernels = kernels;
    this.settings = completeSettings(this.settings, kernels, this.editor.text);
    this.values = { ...this.defaults(), ...this.values };
    this.showPlace();
    this.showLaunch();
  }

  showPlace() {
    byId("no-picture").hidden = this.settings.display !== undefined;
    byId("canvas-place").hidden = this.settings.display === undefined;
  }

  showLaunch() {
    const sliders = findSliders(this.editor.text);
    this.launch.show(this.settings, this.values, this.kernels, sliders.map(({ name }) => name));
    showSliders(byId("sliders"), sliders, this.values, (name, value) => {
      this.values[name] = value;
      this.engine.send({ type: "values", values: { [name]: value } });
    });
  }

  refreshCode() {
    if (this.tabs.selected === "panel-code") this.code.update();
  }

  /** @param {any[]} problems */
  showProblems(problems) {
    this.editor.show(problems.filter((problem) => problem.line > 0));
    this.problems.show(problems);
  }

  async run() {
    this.trusted = true;
    byId("guard").hidden = true;
    this.notices.hide("run");
    byId("output").textContent = "";
    hideReport(byId("stage"), byId("report"));
    if (!(await this.check())) return;
    if (this.opened !== this.device || this.engine.state === "lost") await this.prepareDevice();
    if (this.opened !== this.device) return;
    this.engine.run({ source: this.editor.text, settings: this.settings, values: this.values, frames: this.frames });
  }

  /** @param {any} error @param {string} phase */
  failed(error, phase) {
    this.showProblems(problemsOf(error));
    if (phase === "open" && this.device === "webgpu") {
      this.notices.show("run", { title: "The device did not open.", text: error.message, severity: "error", button: "Use the simulator", action: () => {
        byId("device").value = "sim";
        this.changeDevice("sim");
      } });
    } else if (phase === "run") {
      this.print(`${error.kind}: ${error.message}\n${error.hint ? `hint: ${error.hint}\n` : ""}`);
      showReport(byId("stage"), byId("report"), error, (line, column) => this.editor.goTo(line, column));
    }
  }

  /** @param {string} text */
  print(text) {
    const output = byId("output");
    const all = (output.textContent ?? "") + text;
    output.textContent = all.length > kMaxOutput ? all.slice(-kMaxOutput) : all;
    output.scrollTop = output.scrollHeight;
  }

  /** @param {ImageBitmap} bitmap */
  sendPicture(bitmap) {
    this.engine.send({ type: "picture", bitmap }, [bitmap]);
  }

  async save() {
    const image = await this.engine.snapshot();
    if (!image) return;
    const canvas = h("canvas", { width: image.width, height: image.height });
    canvas.getContext("2d").putImageData(image, 0, 0);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    const link = h("a", { href: URL.createObjectURL(blob), download: "picture.png" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  async share() {
    const fragment = await encodeShared({ source: this.editor.text, settings: this.settings, values: this.values, device: this.device });
    const link = `${location.origin}${location.pathname}#${fragment}`;
    history.replaceState(null, "", `#${fragment}`);
    try {
      await navigator.clipboard.writeText(link);
      this.notices.show("share", { title: "Link copied.", text: `It contains the source and all settings, ${link.length.toLocaleString("en")} characters.` });
    } catch {
      this.notices.show("share", { title: "The link is in the address bar.", text: "The browser did not allow copying it." });
    }
  }
}

const playground = new Playground();
Object.assign(window, { playground });  // for the console and for tests
await playground.start();
document.documentElement.dataset.ready = "true";
