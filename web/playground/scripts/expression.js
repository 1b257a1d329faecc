// Arithmetic in sizes: "2 * width * height". A parser instead of eval, since sizes can come from a link.

/**
 * Computes an expression of numbers, names, + - * / and parentheses.
 * @param {string | number} text
 * @param {Record<string, number>} scope values of names
 * @returns {number}
 * @throws {Error} with the reason
 */
export function evaluate(text, scope) {
  if (typeof text === "number") return text;
  const parser = new Parser(String(text), scope);
  const value = parser.sum();
  if (parser.token !== "") throw new Error(`'${text}': unexpected '${parser.token}'`);
  if (!Number.isFinite(value)) throw new Error(`'${text}' has no finite value`);
  return value;
}

const kToken = /\s*(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|[A-Za-z_]\w*|[-+*/()])/y;

class Parser {
  /** @param {string} text @param {Record<string, number>} scope */
  constructor(text, scope) {
    if (text.length > 200) throw new Error("the expression is longer than 200 characters");
    this.text = text;
    this.scope = scope;
    this.position = 0;
    this.depth = 0;
    this.token = "";
    this.next();
  }

  next() {
    kToken.lastIndex = this.position;
    const match = kToken.exec(this.text);
    if (!match && this.text.slice(this.position).trim()) {
      throw new Error(`'${this.text}': unexpected '${this.text.slice(this.position).trim()[0]}'`);
    }
    this.token = match ? match[1] : "";
    this.position = match ? kToken.lastIndex : this.text.length;
  }

  /** @returns {number} */
  sum() {
    let value = this.product();
    while (this.token === "+" || this.token === "-") {
      const sign = this.token === "+" ? 1 : -1;
      this.next();
      value += sign * this.product();
    }
    return value;
  }

  /** @returns {number} */
  product() {
    let value = this.factor();
    while (this.token === "*" || this.token === "/") {
      const divide = this.token === "/";
      this.next();
      const factor = this.factor();
      value = divide ? value / factor : value * factor;
    }
    return value;
  }

  /** @returns {number} */
  factor() {
    const token = this.token;
    if (++this.depth > 100) throw new Error(`'${this.text}' is nested too deeply`);
    this.next();
    let value;
    if (token === "-") value = -this.factor();
    else if (token === "(") {
      value = this.sum();
      if (this.token !== ")") throw new Error(`'${this.text}': ')' is missing`);
      this.next();
    } else if (/^[\d.]/.test(token)) value = Number(token);
    else if (Object.hasOwn(this.scope, token)) value = this.scope[token];
    else throw new Error(`'${this.text}': no value named '${token}'`);
    --this.depth;
    return value;
  }
}
