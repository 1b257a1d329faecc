// Times and counters: figures below the picture, and bars in a tab.

import { h } from "./dom.js";

/** @param {HTMLElement} root @param {any} report statistics of the engine @param {boolean} drawsFromGpu */
export function showFigures(root, report, drawsFromGpu) {
  const { perFrame } = report, figures = [];
  if (report.frameMs > 0) figures.push(["frames/s", (1000 / report.frameMs).toFixed(report.frameMs > 200 ? 1 : 0)]);
  if (report.gpuMs !== undefined) figures.push([clockName(report), milliseconds(report.gpuMs)]);
  for (const metric of report.metrics) if (metric.value !== undefined) figures.push([metric.label, short(metric.value)]);
  if (report.frames > 0) {
    figures.push(["launches/frame", perFrame.launches ?? 0]);
    figures.push(["copies/frame", (perFrame.uploads ?? 0) + (perFrame.downloads ?? 0) + (perFrame.copies ?? 0), drawsFromGpu ? "uploads, downloads and copies of buffers" : "uploads, downloads and copies of buffers; the picture is downloaded"]);
  }
  root.replaceChildren(...figures.map(([label, value, title]) => h("div", { title }, h("dt", {}, label), h("dd", {}, value))));
}

/** @param {HTMLElement} root @param {any} report */
export function showTiming(root, report) {
  const bars = [["compile", report.compileMs, "source to kernels, once per run"], ["launch", report.launchMs, "JavaScript time to queue a frame"],
    [clockName(report), report.gpuMs, "all kernels of a frame, by timestamps of the device"], ["frame", report.frameMs || undefined, "time from frame to frame"]];
  const largest = Math.max(1, ...bars.map((bar) => Number(bar[1] ?? 0)));
  const { perFrame } = report;
  root.replaceChildren(
    h("table", { class: "bars" }, h("tbody", {}, ...bars.map(([name, value, meaning]) => row(String(name), value, String(meaning), largest)))),
    report.kernels.length > 0 && h("h3", {}, "Kernels"),
    kernelTable(report.kernels),
    h("h3", {}, "Traffic per frame"),
    h("table", { class: "limits" }, h("tbody", {}, ...[["launches", perFrame.launches], ["uploads", perFrame.uploads, perFrame.uploadedBytes],
      ["downloads", perFrame.downloads, perFrame.downloadedBytes], ["copies on the device", perFrame.copies]].map(([name, count, bytes]) =>
      h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, `${count ?? 0}${bytes ? ` (${Number(bytes).toLocaleString("en")} bytes)` : ""}`))))));
}

/** @param {any} report */
function clockName(report) {
  return report.driver === "sim" ? "kernels" : "GPU time";
}

/** @param {string} name @param {any} value @param {string} meaning @param {number} largest */
function row(name, value, meaning, largest) {
  const bar = h("span", { class: "fill" });
  bar.style.width = `${(100 * Number(value ?? 0)) / largest}%`;
  return h("tr", { title: meaning }, h("th", { scope: "row" }, name), h("td", {}, h("span", { class: "track" }, bar)),
    h("td", { class: "figure" }, value === undefined ? "not measured" : milliseconds(value)));
}

/** @param {{kernel: string, seconds: number, clock: string}[]} kernels */
function kernelTable(kernels) {
  return h("table", { class: "limits" }, h("tbody", {}, ...kernels.map(({ kernel, seconds, clock }) =>
    h("tr", {}, h("th", { scope: "row" }, h("code", {}, kernel)), h("td", {}, `${milliseconds(1000 * seconds)}${clock === "wall" ? " (wall clock)" : ""}`)))));
}

/** @param {number} value */
function milliseconds(value) {
  return value >= 1000 ? `${(value / 1000).toFixed(2)} s` : value >= 10 ? `${value.toFixed(0)} ms` : value >= 0.1 ? `${value.toFixed(2)} ms` : `${(1000 * value).toFixed(0)} µs`;
}

/** @param {number} value */
function short(value) {
  const [scale, suffix] = value >= 1e9 ? [1e9, " G"] : value >= 1e6 ? [1e6, " M"] : [1, ""];
  return `${Number((value / scale).toPrecision(3)).toLocaleString("en")}${suffix}`;
}
