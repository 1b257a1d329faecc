// Sliders, the uploaded image and the webcam.

import { h } from "./dom.js";
import { kLiveInputs } from "./settings.js";

/**
 * Draws the sliders that the source declares.
 * @param {HTMLElement} root @param {import("./settings.js").Slider[]} sliders @param {Record<string, number>} values current values
 * @param {(name: string, value: number) => void} changed
 */
export function showSliders(root, sliders, values, changed) {
  root.replaceChildren(...sliders.map(({ name, min, max, step }) => {
    const output = h("output", {}, format(values[name]));
    const input = h("input", { type: "range", min, max, step, oninput: () => {
      output.textContent = format(input.valueAsNumber);
      changed(name, input.valueAsNumber);
    } });
    input.value = String(values[name]);
    return h("label", {}, h("code", {}, name), input, output);
  }));
}

/** @param {number} value */
function format(value) {
  return String(Number(value.toPrecision(4)));
}

export class InputsPanel extends EventTarget {
  /** @param {HTMLElement} root @param {(bitmap: ImageBitmap) => void} send */
  constructor(root, send) {
    super();
    this.send = send;
    /** @type {MediaStream | undefined} */
    this.stream = undefined;
    this.waiting = false;
    this.note = h("p", { role: "status" });
    this.webcam = h("button", { type: "button", onclick: () => this.toggleWebcam() }, "Start webcam");
    const file = h("input", { type: "file", accept: "image/*", onchange: () => this.load(file.files?.[0]) });
    root.append(
      h("h3", {}, "Pictures"),
      h("p", { class: "explain" }, "A buffer with the start value ", h("code", {}, "image"), " receives them. They stay on this page."),
      h("div", { class: "pictures" }, h("label", { class: "file" }, "Image file", file), this.webcam), this.note,
      h("h3", {}, "Live inputs"),
      h("p", { class: "explain" }, "A kernel receives them by the name of a parameter."),
      h("table", { class: "limits" }, h("tbody", {}, ...Object.entries(kLiveInputs).map(([name, meaning]) => h("tr", {}, h("th", { scope: "row" }, h("code", {}, name)), h("td", {}, meaning))))),
      h("h3", {}, "Sliders"),
      h("p", { class: "explain" }, "A comment declares a slider for a parameter of this name: ", h("code", {}, "// slider: speed = 1 from 0 to 4 step 0.1")));
  }

  /** @param {File | undefined} file */
  async load(file) {
    if (!file) return;
    this.stopWebcam();
    try {
      this.send(await createImageBitmap(file));
      this.note.textContent = `${file.name} is loaded`;
    } catch {
      this.note.textContent = `reading '${file.name}' failed: it is not an image that this browser can decode`;
    }
  }

  async toggleWebcam() {
    if (this.stream) return this.stopWebcam();
    try {
      this.stream = await navigator.mediaDevices.getUserMedia({ video: { width: 640, height: 480 } });
    } catch (error) {
      this.note.textContent = `the webcam did not start: ${error.message}`;
      return;
    }
    this.video = h("video", { playsinline: true });
    this.video.muted = true;
    this.video.srcObject = this.stream;
    await this.video.play();
    this.webcam.textContent = "Stop webcam";
    this.note.textContent = "the webcam is on";
    this.grab();
  }

  stopWebcam() {
    this.stream?.getTracks().forEach((track) => track.stop());
    this.stream = undefined;
    this.webcam.textContent = "Start webcam";
    this.note.textContent = "";
  }

  /** Sends the newest webcam frame, once the previous one was used. */
  async grab() {
    if (!this.stream) return;
    if (!this.waiting && this.video.readyState >= 2) {
      this.waiting = true;
      this.send(await createImageBitmap(this.video));
    }
    requestAnimationFrame(() => this.grab());
  }

  /** The engine has used the picture. */
  used() {
    this.waiting = false;
  }
}
