// The tab with the adapter, its limits, and what it refuses.

import { h } from "./dom.js";

const kSim = "The simulator interprets kernels in WebAssembly and checks every access: bounds, races, uninitialized reads, barriers. It is slow, so the examples use smaller sizes on it.";

/** @param {HTMLElement} root @param {any} info DeviceInfo @param {boolean} drawsFromGpu */
export function showDevice(root, info, drawsFromGpu) {
  const refused = info.features.filter((/** @type {any} */ feature) => !feature.supported);
  const offered = info.features.filter((/** @type {any} */ feature) => feature.supported);
  root.replaceChildren(
    h("h3", {}, info.name),
    h("p", {}, [info.vendor, info.description].filter(Boolean).join(", ")),
    info.driver === "sim" && h("p", {}, kSim),
    h("p", {}, drawing(info, drawsFromGpu)),
    h("h3", {}, "Refused"),
    refused.length ? h("ul", { class: "features" }, ...refused.map(feature)) : h("p", {}, "Nothing: every feature of the language runs."),
    offered.length > 0 && h("h3", {}, "Supported"),
    h("ul", { class: "features" }, ...offered.map(feature)),
    h("h3", {}, "Limits"),
    h("table", { class: "limits" }, h("tbody", {}, ...Object.entries(info.limits).map(([name, value]) =>
      h("tr", {}, h("th", { scope: "row" }, words(name)), h("td", {}, quantity(name, Number(value))))))));
  root.querySelectorAll(":scope > :is(ul:empty)").forEach((list) => list.remove());
}

/** @param {any} info @param {boolean} drawsFromGpu */
function drawing(info, drawsFromGpu) {
  if (drawsFromGpu) return "Pictures are drawn from GPU memory by a render pass: no copy to JavaScript.";
  return info.driver === "sim" ? "Pictures are downloaded and then drawn." : "This browser does not show WebGPU canvases, so pictures are downloaded and then drawn.";
}

/** @param {any} entry */
function feature(entry) {
  return h("li", { class: entry.supported ? "yes" : "no" }, h("strong", {}, entry.name), entry.reason ? `: ${entry.reason}` : "");
}

/** "maxBufferSize" → "max buffer size". @param {string} name */
function words(name) {
  return name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/_/g, " ").toLowerCase();
}

/** @param {string} name @param {number} value */
function quantity(name, value) {
  const bytes = /size|bytes|memory|storage$/i.test(name) && !/workgroup_?size|block_?size|size_?[xyz]$/i.test(name);
  if (!bytes || value < 1024) return value.toLocaleString("en");
  const unit = value >= 2 ** 30 ? ["GiB", 2 ** 30] : value >= 2 ** 20 ? ["MiB", 2 ** 20] : ["KiB", 1024];
  return `${Number((value / Number(unit[1])).toFixed(1)).toLocaleString("en")} ${unit[0]}`;
}
