// The list of problems: errors of the compiler and findings of the simulator.

import { h } from "./dom.js";

/** @typedef {import("./editor.js").Problem} Problem */

export class ProblemList {
  /** @param {HTMLElement} list @param {HTMLElement} count @param {HTMLElement} live @param {(problem: Problem) => void} choose */
  constructor(list, count, live, choose) {
    this.list = list;
    this.count = count;
    this.live = live;
    this.choose = choose;
    this.announced = "";
  }

  /** @param {Problem[]} problems */
  show(problems) {
    this.count.textContent = String(problems.length);
    this.count.classList.toggle("some", problems.length > 0);
    this.list.replaceChildren(...problems.map((problem) => this.item(problem)));
    const first = problems[0];
    const text = first ? `${problems.length} ${problems.length === 1 ? "problem" : "problems"}. Line ${first.line}: ${first.message}` : "";
    if (text !== this.announced) this.live.textContent = text;
    this.announced = text;
  }

  /** @param {Problem} problem */
  item(problem) {
    const place = problem.line > 0 ? `${problem.line}:${problem.column}` : "";
    return h("li", { class: problem.severity },
      h("button", { type: "button", onclick: () => this.choose(problem) },
        h("span", { class: "place" }, place), h("span", { class: "message" }, problem.message)),
      problem.hint && h("p", { class: "hint" }, problem.hint),
      ...(problem.notes ?? []).map((note) => h("p", { class: "note" }, `${note.line}:${note.column} ${note.message}`)));
  }
}

/**
 * The diagnostics of an error, or the error itself as a problem without a place.
 * @param {any} error @returns {Problem[]}
 */
export function problemsOf(error) {
  if (error.diagnostics?.length) {
    return error.diagnostics.map((/** @type {Problem} */ each, /** @type {number} */ i) => ({ ...each, hint: each.hint || (i === 0 ? error.hint : "") }));
  }
  return [{ line: 0, column: 0, severity: "error", message: error.message, hint: error.hint }];
}

/**
 * Explains why a run stopped, over the picture.
 * @param {HTMLElement} stage @param {HTMLElement} report @param {any} error @param {(line: number, column: number) => void} goTo
 */
export function showReport(stage, report, error, goTo) {
  const [first, ...others] = problemsOf(error);
  const where = first.line > 0 ? ` in line ${first.line}` : "";
  report.replaceChildren(h("h2", {}, `The program stopped: ${first.kind ?? error.kind}${where}`), h("p", {}, first.message),
    ...threadsOf(first).map((line) => h("p", { class: "more" }, line)),
    ...(first.notes ?? []).map((/** @type {Problem} */ note) => h("p", { class: "more" }, note.line > 0 ? `line ${note.line}: ${note.message}` : note.message)),
    first.hint ? h("p", { class: "fix" }, first.hint) : "",
    others.length > 0 ? h("p", { class: "more" }, `and ${others.length} more, in the list of problems`) : "",
    first.line > 0 ? h("button", { type: "button", onclick: () => goTo(first.line, first.column) }, `Show line ${first.line}`) : "");
  report.hidden = false;
  stage.classList.add("reported");
}

/** Lines of the simulator's report that name the threads. @param {Problem} problem @returns {string[]} */
function threadsOf(problem) {
  return (problem.text ?? "").split("\n").map((line) => line.trim()).filter((line) => line.startsWith("thread ("));
}

/** @param {HTMLElement} stage @param {HTMLElement} report */
export function hideReport(stage, report) {
  report.hidden = true;
  report.replaceChildren();
  stage.classList.remove("reported");
}
