// Small helpers for the DOM. Text always becomes a text node, so that nothing from outside is parsed as HTML.

/**
 * Creates an element.
 * @param {string} tag
 * @param {Record<string, any>} [properties] attributes; `on…` names are event listeners, `class` and `dataset` work as expected
 * @param {...(Node | string | number | null | undefined | false)} children
 * @returns {any}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false).map(nodeOf));
  return element;
}

/** @param {any} child */
function nodeOf(child) {
  return child instanceof Node ? child : String(child);
}

/** @param {string} id @returns {any} */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element '${id}'`);
  return element;
}

/**
 * Calls `action` once, `delay` milliseconds after the last call.
 * @template {any[]} A
 * @param {(...args: A) => void} action @param {number} delay
 */
export function debounce(action, delay) {
  /** @type {number | undefined} */
  let timer;
  return (/** @type {A} */ ...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...args), delay);
  };
}
