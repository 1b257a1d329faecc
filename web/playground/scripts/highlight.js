// Highlighting of CUDA C++, line by line.

/** @typedef {{text: string, kind: string}} Token */

const kWords = new Set(`alignas alignof auto break case class concept const consteval constexpr continue decltype default delete do else enum
  explicit extern false for friend goto if inline mutable namespace new noexcept nullptr operator private protected public requires return
  sizeof static static_assert struct switch template this true typedef typename union using virtual volatile while`.split(/\s+/));
const kTypes = /^(?:void|bool|(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]?|unsigned|signed|size_t|u?int(?:8|16|32|64)_t|dim3|half|__half2?|__nv_bfloat16)$/;
const kCuda = /^(?:__(?:global|device|host|shared|constant|managed|restrict|forceinline|noinline|launch_bounds|cluster_dims)__|threadIdx|blockIdx|blockDim|gridDim|warpSize|__sync\w+|__shfl\w+|__ballot_sync|__any_sync|__all_sync|atomic[A-Z]\w+)$/;
const kToken = /\/\/.*|\/\*[\s\S]*?(?:\*\/|$)|^\s*#\s*\w+|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|\.?\d(?:[eEpP][-+]|[\w.'])*|[A-Za-z_]\w*|\s+|[^\w\s]/g;

/**
 * Splits a line into tokens.
 * @param {string} line @param {boolean} inComment whether a comment is open at its start
 * @returns {{tokens: Token[], inComment: boolean}}
 */
export function highlightLine(line, inComment) {
  /** @type {Token[]} */
  const tokens = [];
  let rest = line;
  if (inComment) {
    const end = line.indexOf("*/");
    if (end < 0) return { tokens: [{ text: line, kind: "comment" }], inComment: true };
    tokens.push({ text: line.slice(0, end + 2), kind: "comment" });
    rest = line.slice(end + 2);
  }
  let open = false;
  for (const [text] of rest.matchAll(kToken)) {
    const next = { text, kind: kindOf(text, rest) };
    open = text.startsWith("/*") && !(text.length > 3 && text.endsWith("*/"));
    tokens.push(next);
  }
  return { tokens: callsMarked(tokens), inComment: open };
}

/** @param {string} text @param {string} line @returns {string} */
function kindOf(text, line) {
  if (text.startsWith("//") || text.startsWith("/*")) return "comment";
  if (text.trimStart().startsWith("#") && line.trimStart().startsWith("#")) return "preprocessor";
  if (text[0] === '"' || text[0] === "'") return "string";
  if (/^\.?\d/.test(text)) return "number";
  if (kCuda.test(text)) return "cuda";
  if (kTypes.test(text)) return "type";
  if (kWords.has(text)) return "keyword";
  return "";
}

/** Marks names that are followed by a parenthesis. @param {Token[]} tokens @returns {Token[]} */
function callsMarked(tokens) {
  tokens.forEach((token, i) => {
    if (token.kind === "" && tokens[i + 1]?.text === "(" && /^[A-Za-z_]/.test(token.text)) token.kind = "call";
  });
  return tokens;
}
