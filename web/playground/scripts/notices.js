// Notices above the editor: one per topic, each with at most one button.

import { h } from "./dom.js";

export class Notices {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
  }

  /**
   * Shows a notice; it replaces one with the same topic.
   * @param {string} topic @param {{title: string, text: string, severity?: "info" | "error", button?: string, action?: () => void}} notice
   */
  show(topic, { title, text, severity = "info", button, action }) {
    this.hide(topic);
    this.root.append(h("div", { class: `notice ${severity}`, dataset: { topic } }, h("p", {}, h("strong", {}, title), " ", text),
      button && h("button", { type: "button", onclick: () => { this.hide(topic); action?.(); } }, button),
      h("button", { type: "button", class: "quiet close", "aria-label": "Dismiss", onclick: () => this.hide(topic) }, "×")));
  }

  /** @param {string} topic */
  hide(topic) {
    for (const each of this.root.querySelectorAll(".notice")) if (/** @type {HTMLElement} */ (each).dataset.topic === topic) each.remove();
  }
}
