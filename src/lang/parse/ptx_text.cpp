#include "lang/parse/ptx_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "lang/ir/simulated_ptx.hpp"
#include "lang/parse/messages.hpp"
#include "lang/parse/ptx_table.hpp"

namespace quern::lang {

namespace {

using Words = std::vector<std::string>;

std::string_view trim(std::string_view s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front())) != 0) s.remove_prefix(1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back())) != 0) s.remove_suffix(1);
  return s;
}

// Splits at the character, but not inside of brackets.
Words split(std::string_view s, char at) {
  Words out;
  std::string part;
  int depth = 0;
  for (const char c : s) {
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c == at && depth == 0) {
      out.emplace_back(trim(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trim(part).empty()) out.emplace_back(trim(part));
  return out;
}

std::string without_comments(std::string_view ptx) {
  std::string out;
  for (size_t i = 0; i < ptx.size(); ++i) {
    if (ptx.substr(i, 2) == "//") {
      while (i < ptx.size() && ptx[i] != '\n') ++i;
    } else if (ptx.substr(i, 2) == "/*") {
      const size_t end = ptx.find("*/", i + 2);
      i = end == std::string_view::npos ? ptx.size() : end + 1;
      continue;
    }
    if (i < ptx.size()) out += ptx[i];
  }
  return out;
}

std::string_view type_of(std::string_view suffix) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 26> kTypes{{
      {"b8", "unsigned char"},
      {"u8", "unsigned char"},
      {"s8", "signed char"},
      {"b16", "unsigned short"},
      {"u16", "unsigned short"},
      {"s16", "short"},
      {"b32", "unsigned"},
      {"u32", "unsigned"},
      {"s32", "int"},
      {"b64", "unsigned long"},
      {"u64", "unsigned long"},
      {"s64", "long"},
      {"f16", "__half"},
      {"f16x2", "__half2"},
      {"bf16", "__nv_bfloat16"},
      {"bf16x2", "__nv_bfloat162"},
      {"f32", "float"},
      {"f64", "double"},
      {"pred", "bool"},
      {"tf32", "__ptx_tf32"},
      {"e4m3", "__ptx_e4m3"},
      {"e5m2", "__ptx_e5m2"},
      {"s4", "__ptx_s4"},
      {"u4", "__ptx_u4"},
      {"b1", "__ptx_b1"},
      {"", ""},
  }};
  // NOLINTNEXTLINE(readability-qualified-auto): a pointer in some libraries only
  const auto found =
      std::find_if(kTypes.begin(), kTypes.end(), [suffix](const auto& t) { return t.first == suffix; });
  return found != kTypes.end() ? found->second : std::string_view();
}

std::string_view register_of(std::string_view type) {
  if (type == "b16" || type == "u16" || type == "s16" || type == "f16" || type == "bf16") return "__ptx_r16";
  if (type == "b32" || type == "u32" || type == "s32" || type == "f32" || type == "f16x2") return "__ptx_r32";
  if (type == "b64" || type == "u64" || type == "s64" || type == "f64") return "__ptx_r64";
  return type == "pred" ? "bool" : std::string_view();
}

std::string_view register_of_constraint(char kind) {
  if (kind == 'r' || kind == 'f') return "__ptx_r32";
  if (kind == 'h') return "__ptx_r16";
  return kind == 'l' || kind == 'd' ? "__ptx_r64" : std::string_view();
}

// %tid.x and similar registers.
std::string_view special_register(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 35> kSpecial{{
      {"tid.x", "threadIdx.x"},
      {"tid.y", "threadIdx.y"},
      {"tid.z", "threadIdx.z"},
      {"ctaid.x", "blockIdx.x"},
      {"ctaid.y", "blockIdx.y"},
      {"ctaid.z", "blockIdx.z"},
      {"ntid.x", "blockDim.x"},
      {"ntid.y", "blockDim.y"},
      {"ntid.z", "blockDim.z"},
      {"nctaid.x", "gridDim.x"},
      {"nctaid.y", "gridDim.y"},
      {"nctaid.z", "gridDim.z"},
      {"cluster_ctaid.x", "(__quern_block_id(0) % __quern_cluster_dim(0))"},
      {"cluster_ctaid.y", "(__quern_block_id(1) % __quern_cluster_dim(1))"},
      {"cluster_ctaid.z", "(__quern_block_id(2) % __quern_cluster_dim(2))"},
      {"cluster_nctaid.x", "__quern_cluster_dim(0)"},
      {"cluster_nctaid.y", "__quern_cluster_dim(1)"},
      {"cluster_nctaid.z", "__quern_cluster_dim(2)"},
      {"clusterid.x", "(__quern_block_id(0) / __quern_cluster_dim(0))"},
      {"clusterid.y", "(__quern_block_id(1) / __quern_cluster_dim(1))"},
      {"clusterid.z", "(__quern_block_id(2) / __quern_cluster_dim(2))"},
      {"nclusterid.x", "(gridDim.x / __quern_cluster_dim(0))"},
      {"nclusterid.y", "(gridDim.y / __quern_cluster_dim(1))"},
      {"nclusterid.z", "(gridDim.z / __quern_cluster_dim(2))"},
      {"cluster_ctarank", "__ptx_cluster_rank()"},
      {"cluster_nctarank", "__ptx_cluster_blocks()"},
      {"laneid", "__quern_lane_id()"},
      {"lanemask_eq", "(1u << __quern_lane_id())"},
      {"lanemask_lt", "((1u << __quern_lane_id()) - 1)"},
      {"lanemask_le", "(0xffffffffu >> (31 - __quern_lane_id()))"},
      {"lanemask_gt", "~(0xffffffffu >> (31 - __quern_lane_id()))"},
      {"lanemask_ge", "~((1u << __quern_lane_id()) - 1)"},
      {"clock", "(unsigned)clock()"},
      {"clock64", "clock64()"},
      {"globaltimer", "__globaltimer()"},
  }};
  // NOLINTNEXTLINE(readability-qualified-auto): a pointer in some libraries only
  const auto found =
      std::find_if(kSpecial.begin(), kSpecial.end(), [name](const auto& s) { return s.first == name; });
  return found != kSpecial.end() ? found->second : std::string_view();
}

bool is_name(std::string_view s) {
  return !s.empty() && std::isdigit(static_cast<unsigned char>(s.front())) == 0 &&
         std::all_of(s.begin(), s.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '$'; });
}

bool is_number(std::string_view s) {
  if (!s.empty() && s.front() == '-') s.remove_prefix(1);
  return !s.empty() && std::isdigit(static_cast<unsigned char>(s.front())) != 0 &&
         std::all_of(s.begin(), s.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '.'; });
}

// A literal of the kernel language.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += ' ';
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + "\"";
}

std::string_view native_type_of(char kind) {
  switch (kind) {
    case 'f': return "float";
    case 'd': return "double";
    case 'h': return "unsigned short";
    case 'l': return "unsigned long";
    default: return "unsigned";
  }
}

class Translation {
 public:
  Translation(std::string_view ptx, const std::vector<PtxOperand>& operands, size_t id)
      : ptx_(without_comments(ptx)), operands_(operands), id_(id) {}

  PtxText run() {
    for (const std::string& one : split_instructions()) {
      if (!out_.error) instruction(one);
    }
    begin();
    end();
    if (out_.is_native) out_.native = native();
    return std::move(out_);
  }

 private:
  // Braces of a block are alone or before an instruction; those of vectors are not.
  Words split_instructions() const {
    Words out;
    std::string part;
    for (const char c : ptx_) {
      const bool is_block = (c == '{' || c == '}') && trim(part).empty();
      if (c == ';' || is_block) {
        if (!trim(part).empty()) out.emplace_back(trim(part));
        part.clear();
        if (is_block) out.emplace_back(1, c);
      } else {
        part += c;
      }
    }
    if (!trim(part).empty()) out.emplace_back(trim(part));
    return out;
  }

  void add(std::string instruction, std::string function, std::string text) {
    out_.statements.push_back({std::move(instruction), std::move(function), std::move(text)});
  }

  // Whether the instruction gets the variable's address instead of its value.
  bool is_by_address(size_t operand) const {
    return std::find(by_address_.begin(), by_address_.end(), operand) != by_address_.end();
  }

  void begin() {
    std::string text = "bool __p_cc = false; __ptx_sink __p__;";
    for (size_t i = 0; i < operands_.size(); ++i) {
      const std::string_view type = register_of_constraint(operands_[i].kind);
      if (type.empty() || is_by_address(i)) continue;
      const std::string n = std::to_string(i);
      text += std::string(type) + " __p_" + n + "{};";
      if (operands_[i].is_read) text += "__ptx_in(__p_" + n + ", __asm_" + n + ");";
    }
    out_.statements.insert(out_.statements.begin(), {"", "", text});
  }

  void end() {
    std::string text;
    for (size_t i = 0; i < operands_.size(); ++i) {
      const std::string n = std::to_string(i);
      if (operands_[i].is_written && !is_by_address(i)) text += "__ptx_out(__asm_" + n + ", __p_" + n + ");";
    }
    if (!text.empty()) add("", "", text);
  }

  // The statement as it is, with the operands in variables of the registers' types.
  std::string native() const {
    std::string constraints, before, written, read, after;
    for (size_t i = 0; i < operands_.size(); ++i) {
      const PtxOperand& o = operands_[i];
      const std::string n = std::to_string(i), type(native_type_of(o.kind));
      constraints += (i > 0 ? "," : "") + std::string(!o.is_written ? "" : o.is_read ? "+" : "=") + o.kind;
      if (o.kind == kPtxClobber) continue;
      const std::string now = "__ptx_native_in<" + type + ">(__asm_" + n + ")";
      if (o.is_written) {
        before += type + " __n_" + n + (o.is_read ? " = " + now : "") + ";";
        written += ", __n_" + n;
        after += "__ptx_native_out(__asm_" + n + ", __n_" + n + ");";
      } else if (o.constant) {
        read += ", " + std::to_string(*o.constant);
      } else {
        read += o.kind == 'l' ? ", __ptx_native_wide(__asm_" + n + ")" : ", " + now;
      }
    }
    return "{" + before + "__quern_ptx(" + quoted(constraints + "\n" + ptx_) + written + read + ");" + after +
           "}";
  }

  void refuse(base::MessageText problem) {
    if (!out_.error) out_.error = std::move(problem);
  }

  // %3 -> 3
  std::optional<size_t> operand_number(std::string_view s) const {
    if (s.size() < 2 || s.front() != '%' || !is_number(s.substr(1)) || s.size() > 4) return {};
    const size_t n = static_cast<size_t>(std::stoul(std::string(s.substr(1))));
    return n < operands_.size() ? std::optional<size_t>(n) : std::nullopt;
  }

  // The translation of a name, a number or an operand; empty: not understood.
  std::string value(std::string_view s) const {
    if (const auto n = operand_number(s)) {
      if (operands_[*n].constant) return std::to_string(*operands_[*n].constant);
      return (operands_[*n].kind == 'n' ? "__asm_" : "__p_") + std::to_string(*n);
    }
    while (!s.empty() && s.front() == '%') s.remove_prefix(1);
    if (const std::string_view special = special_register(s); !special.empty()) return std::string(special);
    if (s.size() == 10 && (s.substr(0, 2) == "0f" || s.substr(0, 2) == "0F"))
      return "__ptx_r32{0x" + std::string(s.substr(2)) + "u}";
    if (s.size() == 18 && (s.substr(0, 2) == "0d" || s.substr(0, 2) == "0D"))
      return "__ptx_r64{0x" + std::string(s.substr(2)) + "ul}";
    if (is_number(s)) return std::string(s);
    return is_name(s) ? "__p_" + std::string(s) : std::string();
  }

  // [%1 + 16]
  std::string address(std::string_view s, bool is_shared = false) const {
    if (s.size() < 3 || s.front() != '[' || s.back() != ']') return {};
    const Words parts = split(s.substr(1, s.size() - 2), '+');
    if (parts.empty() || parts.size() > 2) return {};
    const auto n = operand_number(parts[0]);
    const std::string base = n ? "__asm_" + std::to_string(*n) : value(parts[0]);
    const std::string offset = parts.size() == 2 ? value(parts[1]) : "0";
    if (base.empty() || offset.empty()) return {};
    return (is_shared ? "__ptx_shared_at(" : "__ptx_at(") + base + ", " + offset + ")";
  }

  // {a, b} -> its elements; anything else is a single element.
  static Words elements(std::string_view s) {
    if (s.size() < 2 || s.front() != '{') return {std::string(s)};
    return split(s.substr(1, s.size() - 2), ',');
  }

  void instruction(const std::string& one) {
    if (one == "{" || one == "}") return;  // names in blocks are unique in practice
    if (const size_t colon = one.find(':'); colon != std::string::npos && is_name(one.substr(0, colon))) {
      add(one, "", label(one.substr(0, colon)) + ":;");
      const std::string rest = std::string(trim(std::string_view(one).substr(colon + 1)));
      if (!rest.empty()) instruction(rest);
      return;
    }
    std::string_view rest = one;
    std::string guard;
    if (rest.front() == '@') {
      const size_t end = std::min(rest.find_first_of(" \t\n"), rest.size());
      std::string_view p = rest.substr(1, end - 1);
      const bool is_not = !p.empty() && p.front() == '!';
      if (is_not) p.remove_prefix(1);
      guard = "if (" + std::string(is_not ? "!" : "") + value(p) + ") ";
      rest = trim(rest.substr(end));
    }
    const size_t gap = std::min(rest.find_first_of(" \t\n{["), rest.size());
    const std::string_view mnemonic = rest.substr(0, gap);
    const Words arguments = split(rest.substr(gap), ',');
    if (mnemonic == ".reg") return registers(one, trim(rest.substr(gap)));
    translate(std::string(mnemonic), arguments, guard);
  }

  // .reg .b32 a, b
  void registers(const std::string& one, std::string_view rest) {
    const size_t gap = std::min(rest.find_first_of(" \t\n"), rest.size());
    const std::string_view type =
        register_of(rest.substr(std::min<size_t>(1, gap), gap - std::min<size_t>(1, gap)));
    std::string text;
    for (const std::string& name : split(rest.substr(gap), ',')) {
      std::string_view plain = name;
      while (!plain.empty() && plain.front() == '%') plain.remove_prefix(1);
      if (type.empty() || !is_name(plain)) return refuse(message::kPtxUnsupported(one));
      text += std::string(type) + " __p_" + std::string(plain) + "{};";
    }
    add(one, "", text);
  }

  std::string label(std::string_view name) const {
    return "__ptx_" + std::to_string(id_) + "_" + std::string(name);
  }

  // Products of 8-bit floats, and atomic operations on vectors, are newer than the instructions.
  static uint32_t architecture_of(const std::string& mnemonic) {
    const Words words = split(mnemonic, '.');
    const auto has = [&](std::string_view word) {
      return std::find(words.begin(), words.end(), word) != words.end();
    };
    if (has("mma") && (has("e4m3") || has("e5m2"))) return 89;
    return (has("atom") || has("red")) && (has("v2") || has("v4") || has("v8")) ? 90 : 0;
  }

  void translate(const std::string& mnemonic, const Words& arguments, const std::string& guard) {
    const PtxRow& row = ptx_row(mnemonic);
    out_.is_native |= row.use != PtxUse::kTranslated;
    out_.architecture = std::max({out_.architecture, row.architecture, architecture_of(mnemonic)});
    if (row.use == PtxUse::kNvidiaOnly) {
      out_.is_simulated = false;
      if (out_.without_meaning.empty()) out_.without_meaning = mnemonic;
      return;
    }
    Words words = split(mnemonic, '.');
    const std::string op = words.empty() ? std::string() : words.front();
    const bool is_barrier = is_block_barrier(words);
    if (row.use == PtxUse::kSimulated || (is_barrier && arguments.size() > 1)) {
      out_.is_native = true;
      if (out_.without_meaning.empty()) out_.without_meaning = mnemonic;
      const std::string text = simulated(mnemonic, arguments, gives_result(row, words, arguments));
      if (text.empty()) return refuse(message::kPtxUnsupported(mnemonic));
      return add(mnemonic, "", guard + text);
    }
    if (op == "bra" && arguments.size() == 1)
      return add(mnemonic, "", guard + "goto " + label(arguments[0]) + ";");
    if (op == "ld" || op == "ldu" || op == "st") return access(mnemonic, words, arguments, guard);
    if (op == "mov" && arguments.size() == 2 && (arguments[0].front() == '{' || arguments[1].front() == '{'))
      return pack(mnemonic, arguments, guard);
    bool is_shared = false, is_acquire = false, is_release = false;
    for (const std::string& w : words) {
      is_shared |= w.starts_with("shared");
      is_acquire |= w == "acquire" || w == "acq_rel";
      is_release |= w == "release" || w == "acq_rel";
    }
    const bool has_orders = op == "atom" || op == "red" || op == "mbarrier" || op == "cp" ||
                            op == "ldmatrix" || op == "stmatrix" || op == "createpolicy";
    if (has_orders)
      std::erase_if(words, [](const std::string& w) { return is_ptx_order(w) || is_ptx_hint(w); });
    Words types;
    while (words.size() > 1 && !type_of(words.back()).empty()) {
      types.insert(types.begin(), std::string(type_of(words.back())));
      words.pop_back();
    }
    const bool takes_carry = op == "addc" || op == "subc" || op == "madc";
    if (takes_carry && !has_carry_) return refuse(message::kPtxCarry(mnemonic));
    const bool gives_carry = std::find(words.begin(), words.end(), "cc") != words.end();
    has_carry_ |= gives_carry;
    std::string function = "__ptx";
    for (const std::string& w : words) function += "_" + w;
    if (op == "ldmatrix" || op == "stmatrix")
      function =
          "__ptx_" + op + (std::find(words.begin(), words.end(), "trans") != words.end() ? "_trans" : "");
    for (size_t at = function.find("::"); at != std::string::npos; at = function.find("::"))
      function.replace(at, 2, "_");
    Call call{mnemonic, row.instead.empty() ? function : std::string(row.instead), types};
    if (!row.instead.empty()) call.types.clear();
    call.space = row.space == PtxSpace::kGeneric && is_shared ? PtxSpace::kShared : row.space;
    call.gives = row.has_result && !arguments.empty() && arguments[0].front() != '[';
    call.has_carry = takes_carry || gives_carry;
    // The simulator knows barriers by their number; elsewhere this is the barrier of the whole block.
    const bool is_numbered = is_barrier && arguments.size() == 1 && value(arguments[0]) != "0";
    if (row.in_simulator || is_numbered) call.simulated = simulated(mnemonic, arguments, call.gives);
    const bool is_ordered = op == "atom" || op == "red";
    call.before = is_ordered && is_release ? "__threadfence();" : "";
    call.after = is_ordered && is_acquire ? "__threadfence();" : "";
    write(call, arguments, guard);
  }

  struct Call {
    std::string mnemonic, function;
    Words types;
    PtxSpace space = PtxSpace::kGeneric;
    bool gives = false, has_carry = false;
    std::string before = {}, after = {};
    std::string simulated = {};  // instead of the call, in the simulator
  };

  // bar.sync 1, 64 and so on; not the barriers of warps and clusters.
  static bool is_block_barrier(const Words& words) {
    return (words.front() == "bar" || words.front() == "barrier") && words.size() > 1 && words[1] != "warp" &&
           words[1] != "cluster";
  }

  // The first operand is a result: not an address, and not the accumulators of wgmma.
  static bool gives_result(const PtxRow& row, const Words& words, const Words& arguments) {
    if (arguments.empty() || arguments[0].front() == '[' || arguments[0].front() == '{') return false;
    if (is_block_barrier(words)) return std::find(words.begin(), words.end(), "red") != words.end();
    return row.has_result;
  }

  // One operand of an instruction that the simulator executes, as an argument of __quern_ptx. Empty: not
  // understood.
  std::string simulated_operand(std::string_view argument, bool is_accumulator) {
    if (argument.front() == '[') {
      const Words parts = split(argument.substr(1, argument.size() - 2), '+');
      if (parts.empty() || parts.size() > 2 || argument.back() != ']') return {};
      const auto n = operand_number(parts[0]);
      const std::string base = n ? "__asm_" + std::to_string(*n) : value(parts[0]);
      const std::string offset = parts.size() == 2 ? value(parts[1]) : "0";
      if (base.empty() || offset.empty()) return {};
      return "__ptx_simulated_at(" + base + ", " + offset + ")";
    }
    if (is_accumulator) {
      const auto n = operand_number(argument);
      if (n) by_address_.push_back(*n);
      const std::string name = n ? "__asm_" + std::to_string(*n) : value(argument);
      return name.empty() ? name : "&" + name;
    }
    const bool is_not = argument.front() == '!';
    const std::string one = value(is_not ? trim(argument.substr(1)) : argument);
    return one.empty()
               ? one
               : std::string(is_not ? "(unsigned long)!" : "__ptx_simulated(") + one + (is_not ? "" : ")");
  }

  // The instruction as one statement that the simulator executes (lang/ir/simulated_ptx.hpp). Empty: an
  // operand is not understood.
  std::string simulated(const std::string& mnemonic, const Words& arguments, bool gives) {
    std::string constraints = gives ? "=l" : "", text = mnemonic, passed;
    size_t count = gives ? 1 : 0;
    const bool has_accumulators = mnemonic.starts_with("wgmma.mma_async");
    for (size_t i = 0; i < arguments.size(); ++i) {
      text += i == 0 ? " " : ", ";
      if (i == 0 && gives) {
        text += "%0";
        continue;
      }
      const bool is_vector = arguments[i].front() == '{', is_address = arguments[i].front() == '[';
      text += is_vector ? "{" : is_address ? "[" : "";
      bool is_first = true;
      for (const std::string& e : elements(arguments[i])) {
        const std::string one = simulated_operand(e, has_accumulators && i == 0);
        if (one.empty()) return {};
        text += (is_first ? "%" : ", %") + std::to_string(count);
        constraints += count++ > 0 ? ",l" : "l";
        passed += ", " + one;
        is_first = false;
      }
      text += is_vector ? "}" : is_address ? "]" : "";
    }
    const std::string call =
        "__quern_ptx(" + quoted(constraints + "\n" + std::string(ir::kSimulatedPtx) + text);
    if (!gives) return "{" + call + passed + ");}";
    const std::string to = arguments[0] == "_" ? "__p__" : value(arguments[0]);
    if (to.empty()) return {};
    return "{unsigned long __r = 0;" + call + ", __r" + passed + ");__ptx_put(" + to + ", __r);}";
  }

  // An operand of a call; several, separated by commas, if it is a vector. Empty: not understood.
  std::string operand(const std::string& argument, const Call& call, size_t addresses) const {
    if (argument.front() == '[') {
      const bool is_shared =
          call.space == PtxSpace::kShared || (call.space == PtxSpace::kSharedThenGlobal && addresses == 0);
      return address(argument, is_shared);
    }
    if (const auto n = operand_number(argument); n && call.function.starts_with("__ptx_cvta"))
      return "__asm_" + std::to_string(*n);
    std::string out;
    for (const std::string& e : elements(argument)) {
      const std::string one = e == "_" ? "__p__" : value(e);
      if (one.empty()) return {};
      out += (out.empty() ? "" : ", ") + one;
    }
    return out;
  }

  // d = f(a, b), or f(d0, d1, a, b) if the result is a vector; "d|p": p is passed last.
  void write(const Call& call, const Words& arguments, const std::string& guard) {
    Words passed;
    std::string to, second;
    size_t addresses = 0;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (i == 0 && call.gives && arguments[0].front() != '{') {
        const Words results = split(arguments[0], '|');
        to = results.front() == "_" ? "__p__" : value(results.front());
        if (results.size() == 2) second = value(results[1]);
        if (to.empty() || (results.size() == 2 && second.empty()))
          return refuse(message::kPtxUnsupported(call.mnemonic));
        continue;
      }
      passed.push_back(operand(arguments[i], call, addresses));
      if (passed.back().empty()) return refuse(message::kPtxOperand(arguments[i], call.mnemonic));
      addresses += arguments[i].front() == '[' ? 1 : 0;
    }
    if (!second.empty()) passed.push_back(second);
    if (call.has_carry) passed.emplace_back("__p_cc");
    std::string text = call.function;
    for (size_t i = 0; i < call.types.size(); ++i) text += (i == 0 ? "<" : ", ") + call.types[i];
    text += call.types.empty() ? "(" : ">(";
    for (size_t i = 0; i < passed.size(); ++i) text += (i > 0 ? ", " : "") + passed[i];
    text += ")";
    if (!to.empty()) text = "__ptx_put(" + to + ", " + text + ")";
    text = "{" + call.before + text + ";" + call.after + "}";
    if (!call.simulated.empty()) text = "if (__quern_ptx_form() == 2u) " + call.simulated + " else " + text;
    add(call.mnemonic, call.function, guard + text);
  }

  // ld.global.v2.f32 {a, b}, [p]: one load for each element.
  void access(const std::string& mnemonic, const Words& words, const Words& arguments,
              const std::string& guard) {
    const std::string_view type = type_of(words.back());
    bool is_volatile = false, is_shared = false, is_strong = false, is_ordered = false, has_policy = false;
    for (size_t i = 1; i + 1 < words.size(); ++i) {
      const std::string& w = words[i];
      is_volatile |= w == "volatile";
      is_shared |= w.starts_with("shared");
      is_strong |= w == "relaxed" || w == "acquire" || w == "release";
      is_ordered |= w == "acquire" || w == "release";
      has_policy |= w == "L2::cache_hint";
      out_.is_native |= is_ptx_hint(w) && w != "ca";
      if (!is_ptx_hint(w) && !is_ptx_order(w) && w != "v2" && w != "v4")
        return refuse(message::kPtxUnsupported(mnemonic));
    }
    out_.is_native |= is_shared || is_strong;
    const bool is_store = words.front() == "st";
    if (type.empty() || arguments.size() != (has_policy ? 3U : 2U))
      return refuse(message::kPtxUnsupported(mnemonic));
    const std::string at = address(arguments[is_store ? 0 : 1], is_shared);
    const Words parts = elements(arguments[is_store ? 1 : 0]);
    std::string text;
    for (size_t i = 0; i < parts.size(); ++i) {
      const std::string part = value(parts[i]);
      if (at.empty() || part.empty()) return refuse(message::kPtxUnsupported(mnemonic));
      const std::string_view how = is_strong ? "_strong<" : is_volatile ? "<volatile " : "<";
      const std::string place = std::string(how) + std::string(type) + ">(" + at + ", " + std::to_string(i);
      text += is_store ? "__ptx_store" + place + ", __ptx_get<" + std::string(type) + ">(" + part + "));"
                       : "__ptx_put(" + part + ", __ptx_load" + place + "));";
    }
    if (is_ordered) text = is_store ? "__threadfence();" + text : text + "__threadfence();";
    add(mnemonic, "", guard + "{" + text + "}");
  }

  // mov.b64 {low, high}, x and mov.b64 x, {low, high}
  void pack(const std::string& mnemonic, const Words& arguments, const std::string& guard) {
    const bool is_pack = arguments[1].front() == '{';
    const Words parts = elements(arguments[is_pack ? 1 : 0]);
    const std::string whole = value(arguments[is_pack ? 0 : 1]);
    const std::string low = value(parts.empty() ? "" : parts[0]),
                      high = value(parts.size() == 2 ? parts[1] : "");
    if (whole.empty() || low.empty() || high.empty()) return refuse(message::kPtxUnsupported(mnemonic));
    add(mnemonic, "",
        guard + (is_pack ? "__ptx_pack(" + whole + ", " + low + ", " + high + ");"
                         : "__ptx_unpack(" + low + ", " + high + ", " + whole + ");"));
  }

  std::string ptx_;
  const std::vector<PtxOperand>& operands_;
  const size_t id_;
  PtxText out_;
  bool has_carry_ = false;          // an instruction has set it
  std::vector<size_t> by_address_;  // operands
};

}  // namespace

PtxText translate_ptx(std::string_view ptx, const std::vector<PtxOperand>& operands, size_t id) {
  return Translation(ptx, operands, id).run();
}

}  // namespace quern::lang
