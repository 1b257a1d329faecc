// Tabs with the keyboard behavior of the ARIA practices: arrows move, Home and End jump.

import { h } from "./dom.js";

export class Tabs extends EventTarget {
  /** @param {HTMLElement} list @param {HTMLElement[]} panels with data-title */
  constructor(list, panels) {
    super();
    this.panels = panels;
    this.buttons = panels.map((panel) => h("button", { type: "button", role: "tab", id: `tab-${panel.id}`, "aria-controls": panel.id, onclick: () => this.select(panel.id) }, panel.dataset.title));
    list.append(...this.buttons);
    list.addEventListener("keydown", (event) => this.key(event));
    panels.forEach((panel) => {
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", `tab-${panel.id}`);
    });
    this.select(panels[0].id);
  }

  /** @param {string} id of a panel */
  select(id) {
    this.selected = id;
    this.panels.forEach((panel, i) => {
      const chosen = panel.id === id;
      panel.hidden = !chosen;
      this.buttons[i].setAttribute("aria-selected", String(chosen));
      this.buttons[i].tabIndex = chosen ? 0 : -1;
    });
    this.dispatchEvent(new CustomEvent("select", { detail: id }));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const at = this.panels.findIndex((panel) => panel.id === this.selected), last = this.panels.length - 1;
    const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.select(this.panels[to].id);
    this.buttons[to].focus();
  }
}
