// The gallery: examples from the folder examples/.

import { h } from "./dom.js";
import { checkSettings } from "./settings.js";

/** @typedef {{id: string, source: string, settings: import("./settings.js").Settings}} Example */

const kFolder = new URL("../examples/", import.meta.url);

/** @param {string} name @returns {Promise<Response>} */
async function read(name) {
  const response = await fetch(new URL(name, kFolder));
  if (!response.ok) throw new Error(`reading '${name}' failed: status ${response.status}`);
  return response;
}

/** @returns {Promise<{id: string, settings: import("./settings.js").Settings}[]>} all examples, without their sources */
export async function loadGallery() {
  const ids = await (await read("index.json")).json();
  return Promise.all(ids.map(async (/** @type {string} */ id) => ({ id, settings: checkSettings(await (await read(`${id}.json`)).json()) })));
}

/** @param {string} id @returns {Promise<string>} */
export async function loadSource(id) {
  return (await read(`${id}.cu`)).text();
}

/**
 * @param {HTMLElement} list @param {{id: string, settings: import("./settings.js").Settings}[]} examples @param {(id: string) => void} choose
 * @returns {(id: string | undefined) => void} marks the current example
 */
export function showGallery(list, examples, choose) {
  const links = examples.map(({ id, settings }) => h("a", { href: `#example=${id}`, title: settings.summary, dataset: { id }, onclick: (/** @type {Event} */ event) => {
    event.preventDefault();
    choose(id);
  } }, h("img", { src: new URL(`${id}.webp`, kFolder).href, alt: "", width: 240, height: 110 }), h("span", {}, settings.title)));
  list.replaceChildren(...links.map((link) => h("li", {}, link)));
  return (id) => {
    for (const link of links) {
      if (link.dataset.id === id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    const current = links.find((link) => link.dataset.id === id);
    if (current) list.scrollTo({ left: current.offsetLeft - list.clientWidth / 2 + current.offsetWidth / 2, behavior: "smooth" });
  };
}
