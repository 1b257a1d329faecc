// The editor: a textarea with a highlighted copy behind it. Selection, undo, spelling of screen readers and the keyboards of
// phones are the browser's own.

import { h } from "./dom.js";
import { highlightLine } from "./highlight.js";

/** @typedef {{line: number, column: number, length?: number, severity: string, message: string, hint?: string, notes?: any[], kind?: string, text?: string}} Problem */

const kIndent = "  ";

export class Editor extends EventTarget {
  /** @param {HTMLElement} root contains the textarea */
  constructor(root) {
    super();
    this.input = /** @type {HTMLTextAreaElement} */ (root.querySelector("textarea"));
    this.gutter = h("div", { class: "gutter", "aria-hidden": true });
    this.layer = h("pre", { class: "layer", "aria-hidden": true });
    this.tip = h("div", { class: "tip", role: "tooltip", hidden: true });
    root.prepend(this.gutter, this.layer);
    root.append(this.tip);
    /** @type {Problem[]} */
    this.problems = [];
    /** @type {string[]} */
    this.keys = [];
    this.leaveWithTab = false;
    this.listen(root);
    this.render();
  }

  get text() {
    return this.input.value;
  }

  /** Replaces the text, for example by another example. @param {string} text */
  set text(text) {
    this.input.value = text;
    this.input.scrollTop = this.input.scrollLeft = 0;
    this.input.setSelectionRange(0, 0);
    this.problems = [];
    this.render();
  }

  /** @param {Problem[]} problems */
  show(problems) {
    this.problems = problems;
    this.render();
  }

  /** Moves the caret. @param {number} line from 1 @param {number} [column] from 1 */
  goTo(line, column = 1) {
    const lines = this.text.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    const position = Math.min(start + column - 1, this.text.length);
    this.input.focus();
    this.input.setSelectionRange(position, position);
    const height = this.lineHeight();
    const top = (line - 1) * height;
    if (top < this.input.scrollTop || top > this.input.scrollTop + this.input.clientHeight - 2 * height) {
      this.input.scrollTop = top - this.input.clientHeight / 3;
    }
  }

  /** Goes to the next problem after the caret. @returns {Problem | undefined} */
  nextProblem() {
    const caret = this.text.slice(0, this.input.selectionStart).split("\n");
    const after = (/** @type {Problem} */ p) => p.line > caret.length || (p.line === caret.length && p.column > caret[caret.length - 1].length + 1);
    const next = this.problems.find(after) ?? this.problems[0];
    if (next) this.goTo(next.line, next.column);
    return next;
  }

  lineHeight() {
    return parseFloat(getComputedStyle(this.input).lineHeight);
  }

  /** @param {HTMLElement} root */
  listen(root) {
    this.input.addEventListener("input", () => {
      this.problems = [];
      this.render();
      this.dispatchEvent(new Event("change"));
    });
    this.input.addEventListener("scroll", () => this.scroll());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("blur", () => { this.leaveWithTab = false; });
    this.input.addEventListener("pointermove", (event) => this.hover(event, root));
    this.input.addEventListener("pointerleave", () => { this.tip.hidden = true; });
  }

  scroll() {
    this.layer.style.transform = `translate(${-this.input.scrollLeft}px, ${-this.input.scrollTop}px)`;
    this.gutter.style.transform = `translateY(${-this.input.scrollTop}px)`;
    this.tip.hidden = true;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "Escape") {
      this.leaveWithTab = true;
      return;
    }
    const leave = this.leaveWithTab;
    if (event.key !== "Shift") this.leaveWithTab = false;
    if (event.key === "Tab" && !leave && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      this.indent(event.shiftKey);
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && !event.isComposing) {
      event.preventDefault();
      this.newLine();
    }
  }

  /** @param {boolean} less */
  indent(less) {
    const { selectionStart: start, selectionEnd: end } = this.input;
    if (start === end && !less) {
      this.insert(kIndent);
      return;
    }
    const first = this.text.lastIndexOf("\n", start - 1) + 1;
    const block = this.text.slice(first, end);
    const changed = block.split("\n").map((line) => (less ? line.replace(/^ {1,2}/, "") : kIndent + line)).join("\n");
    this.input.setSelectionRange(first, end);
    this.insert(changed);
    this.input.setSelectionRange(start === end ? Math.max(first, start - (block.length - changed.length)) : first, first + changed.length);
    if (start === end) this.input.selectionEnd = this.input.selectionStart;
  }

  newLine() {
    const before = this.text.slice(0, this.input.selectionStart);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    const indent = /^\s*/.exec(line)?.[0] ?? "";
    this.insert("\n" + indent + (/[{(]\s*$/.test(line) ? kIndent : ""));
  }

  /** Inserts at the selection as if it were typed: undo works. @param {string} text */
  insert(text) {
    if (text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, text)) return;
    this.input.setRangeText(text, this.input.selectionStart, this.input.selectionEnd, "end");
    this.input.dispatchEvent(new Event("input"));
  }

  /** Draws changed lines only. */
  render() {
    const lines = this.text.split("\n");
    let inComment = false;
    lines.forEach((line, i) => {
      const problems = this.problems.filter((problem) => problem.line === i + 1);
      const key = JSON.stringify([line, inComment, problems.map((p) => [p.column, p.length, p.severity])]);
      const result = highlightLine(line, inComment);
      if (this.keys[i] !== key) this.drawLine(i, result.tokens, problems);
      this.keys[i] = key;
      inComment = result.inComment;
    });
    while (this.layer.childElementCount > lines.length) {
      this.layer.lastElementChild.remove();
      this.gutter.lastElementChild.remove();
      this.keys.pop();
    }
    this.scroll();
  }

  /** @param {number} i @param {import("./highlight.js").Token[]} tokens @param {Problem[]} problems */
  drawLine(i, tokens, problems) {
    const row = h("div", { class: "line" }, ...pieces(tokens, problems));
    if (row.childNodes.length === 0) row.append("\n");
    const number = h("div", { class: problems.length ? `number ${problems[0].severity}` : "number" }, i + 1);
    if (this.layer.children[i]) {
      this.layer.children[i].replaceWith(row);
      this.gutter.children[i].replaceWith(number);
    } else {
      this.layer.append(row);
      this.gutter.append(number);
    }
  }

  /** Shows the message under the pointer. @param {PointerEvent} event @param {HTMLElement} root */
  hover(event, root) {
    const box = this.input.getBoundingClientRect();
    const style = getComputedStyle(this.input);
    const y = event.clientY - box.top + this.input.scrollTop - parseFloat(style.paddingTop);
    const line = Math.floor(y / this.lineHeight()) + 1;
    const found = this.problems.filter((problem) => problem.line === line);
    this.tip.hidden = found.length === 0;
    if (found.length === 0) return;
    this.tip.replaceChildren(...found.map((p) => h("p", { class: p.severity }, p.message, p.hint && h("span", { class: "hint" }, p.hint))));
    const outer = root.getBoundingClientRect();
    this.tip.style.left = `${Math.max(8, Math.min(event.clientX - outer.left, outer.width - 340))}px`;
    this.tip.style.top = `${box.top - outer.top + parseFloat(style.paddingTop) + line * this.lineHeight() - this.input.scrollTop + 4}px`;
  }
}

/**
 * Elements of a line; ranges with problems have an underline.
 * @param {import("./highlight.js").Token[]} tokens @param {Problem[]} problems
 */
function pieces(tokens, problems) {
  const result = [];
  let column = 1;
  for (const token of tokens) {
    for (const piece of cut(token.text, column, problems)) {
      const problem = problems.find((p) => piece.column >= p.column && piece.column < p.column + extent(p, tokens));
      const names = [token.kind && `token-${token.kind}`, problem && `squiggle ${problem.severity}`].filter(Boolean).join(" ");
      result.push(names ? h("span", { class: names }, piece.text) : piece.text);
    }
    column += token.text.length;
  }
  if (problems.some((problem) => problem.column >= column)) result.push(h("span", { class: "squiggle error" }, " "));
  return result;
}

/** @param {Problem} problem @param {import("./highlight.js").Token[]} tokens @returns {number} */
function extent(problem, tokens) {
  if (problem.length) return problem.length;
  let column = 1;
  for (const token of tokens) {
    if (problem.column < column + token.text.length) return column + token.text.length - problem.column;
    column += token.text.length;
  }
  return 1;
}

/** Cuts a token where problems start or end. @param {string} text @param {number} column @param {Problem[]} problems */
function cut(text, column, problems) {
  const edges = problems.flatMap((p) => [p.column, p.column + (p.length ?? 0)]).filter((edge) => edge > column && edge < column + text.length);
  const starts = [...new Set([column, ...edges])].sort((a, b) => a - b);
  return starts.map((start, i) => ({ column: start, text: text.slice(start - column, (starts[i + 1] ?? column + text.length) - column) }));
}
