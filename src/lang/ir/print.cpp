// The IR as text. Values are named or numbered in program order, so equal modules print equally.
#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include "lang/ir/literal.hpp"
#include "lang/ir/op_form.hpp"
#include "lang/ir/pointer_map.hpp"
#include "lang/ir/text.hpp"
#include "lang/ir/text_name.hpp"

namespace quern::ir {
namespace {

bool is_text(const std::vector<uint8_t>& bytes) {
  const size_t length = !bytes.empty() && bytes.back() == 0 ? bytes.size() - 1 : bytes.size();
  return length != 0 &&
         std::all_of(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(length), [](uint8_t byte) {
           return (byte >= 0x20 && byte < 0x7f) || byte == '\n' || byte == '\t';
         });
}

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}

  std::string take() { return std::move(out_); }

  void module(const Module& module) {
    declarations(module);
    for (const Function* function : module.functions) {
      if (!out_.empty()) out_ += '\n';
      this->function(*function);
    }
  }

  void declarations(const Module& module) {
    for (size_t i = 0; i < module.files.size(); ++i) {
      out_.append("file ").append(std::to_string(i)).append(" ");
      append_quoted(out_, module.files[i].name);
      out_ += '\n';
    }
    for (const Type* type : module.types().structs()) structure(type);
    for (const Global* global : module.globals) this->global(*global);
  }

  void function(const Function& function) {
    values_.clear();
    names_.clear();
    next_number_ = next_label_ = 0;
    result_ = function.result;
    out_.append(function.is_kernel ? "kernel @" : "func @");
    append_name(out_, function.name);
    out_ += '(';
    for (const Param* param : function.params) {
      if (param != function.params.front()) out_ += ", ";
      this->param(*param);
    }
    out_ += ')';
    if (function.result != nullptr && !function.result->is_void())
      out_.append(" -> ").append(to_string(function.result));
    if (function.max_threads != 0 || function.min_blocks != 0) {
      out_.append(" bounds(").append(std::to_string(function.max_threads)).append(", ");
      out_.append(std::to_string(function.min_blocks)).append(")");
    }
    if (const auto& c = function.cluster; c[0] != 0) {
      out_.append(" cluster(").append(std::to_string(c[0])).append(", ").append(std::to_string(c[1]));
      out_.append(", ").append(std::to_string(c[2])).append(")");
    }
    if (function.no_inline) out_ += " noinline";
    position(function.pos);
    out_ += " {\n";
    if (function.body != nullptr) block(*function.body, 1);
    out_ += "}\n";
  }

 private:
  // Structs that others contain by value come first; otherwise in order of declaration.
  void structure(const Type* type) {
    while (type != nullptr && type->is_array()) type = type->elem;
    if (type == nullptr || !type->is_struct() || !structs_.insert(type).second) return;
    for (const Field& field : type->fields) structure(field.type);
    out_.append("struct ").append(to_string(type)).append(" {");
    for (const Field& field : type->fields) {
      out_ += &field == &type->fields.front() ? " " : ", ";
      append_name(out_, field.name);
      out_.append(": ").append(to_string(field.type)).append(" @").append(std::to_string(field.offset));
    }
    out_.append(type->fields.empty() ? "} size " : " } size ")
        .append(std::to_string(type->size))
        .append(" align ");
    out_.append(std::to_string(type->align)).append("\n");
  }

  void global(const Global& global) {
    out_.append(name(global.space)).append(" @");
    append_name(out_, global.name);
    out_.append(": ").append(to_string(global.object)).append(" align ").append(std::to_string(global.align));
    if (global.is_literal) out_ += " literal";
    if (!global.init.empty()) initial_bytes(global.init);
    for (const Relocation& pointer : global.pointers) relocation(pointer);
    position(global.pos);
    out_ += '\n';
  }

  void relocation(const Relocation& pointer) {
    out_.append(" pointer ").append(std::to_string(pointer.at)).append(" @");
    append_name(out_, pointer.target->name);
    out_.append(" + ").append(std::to_string(pointer.distance));
  }

  void initial_bytes(const std::vector<uint8_t>& bytes) {
    if (is_text(bytes)) {
      out_ += " = ";
      append_quoted(out_, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
      return;
    }
    out_ += " = hex \"";
    for (const uint8_t byte : bytes) {
      out_ += "0123456789abcdef"[byte >> 4];
      out_ += "0123456789abcdef"[byte & 15];
    }
    out_ += '"';
  }

  void param(const Param& param) {
    define(param, param.name);
    reference(param);
    out_.append(": ").append(to_string(param.type));
    if (param.elem != nullptr) out_.append(" of ").append(to_string(param.elem));
    if (param.is_const_elem) out_ += " const";
    if (param.is_restrict) out_ += " restrict";
    if (!param.spelling.empty()) {
      out_ += ' ';
      append_quoted(out_, param.spelling);
    }
    position(param.pos);
  }

  void position(const Pos& pos) {
    if (!options_.positions || pos.line == 0) return;
    out_ += " @";
    if (pos.file != 0) number(pos.file), out_ += ':';
    number(pos.line);
    out_ += ':';
    number(pos.column);
    if (pos.length != 1) out_ += '+', number(pos.length);
  }

  void number(uint64_t value) {
    std::array<char, 20> digits;
    out_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
  }

  void indent(int depth) { out_.append(static_cast<size_t>(depth) * 2, ' '); }

  void block(const Block& block, int depth) {
    for (const Inst* inst : block) {
      indent(depth);
      if (has(inst->op, kControl)) {
        control(*inst, depth);
      } else {
        instruction(*inst);
      }
      out_ += '\n';
    }
  }

  void braced(const Block& block, int depth) {
    out_ += "{\n";
    this->block(block, depth + 1);
    indent(depth);
    out_ += '}';
  }

  void instruction(const Inst& inst) {
    const Yields form = yields(inst.op);
    const bool may_be_void = form == Yields::kCalled || inst.is(Op::kPtx);
    const bool valued = may_be_void ? !inst.type->is_void() : form != Yields::kNothing;
    if (valued) {
      define(inst, inst.name);
      reference(inst);
      out_ += " = ";
    }
    out_ += info(inst.op).name;
    modifiers(inst);
    if (inst.is(Op::kPtrToInt) && inst.type->kind == TypeKind::kU32) out_ += " u32";
    const Type* context = nullptr;
    if (form == Yields::kTyped) context = inst.type;
    if (inst.is(Op::kReturn)) context = result_;
    if (form == Yields::kCompared && !inst.operands.empty() && inst.operand(0) != nullptr)
      context = inst.operand(0)->type;
    if (context != nullptr && form != Yields::kNothing) out_.append(" ").append(to_string(context));
    if (form == Yields::kVariable) out_.append(" ").append(to_string(inst.attr().type));
    if (form == Yields::kCalled) {
      call(inst);
    } else if (inst.is(Op::kConstruct)) {
      parenthesized(inst);
    } else {
      operands(inst, context);
    }
    trailing(inst);
    position(inst.pos);
  }

  void modifiers(const Inst& inst) {
    const uint32_t counts = attributes(inst.op);
    const Attr& attr = inst.attr();
    const auto add = [&](std::string_view word) { out_.append(".").append(word); };
    if ((counts & kAttrRmw) != 0) add(name(attr.rmw));
    if ((counts & kAttrShuffle) != 0) add(name(attr.shuffle));
    if ((counts & kAttrRound) != 0) add(name(attr.round));
    if ((counts & kAttrSpace) != 0) add(name(attr.space));
    if ((counts & kAttrScope) != 0) add(name(attr.scope));
    if ((counts & kAttrDimension) != 0)
      add(attr.index == 0 ? "x" : attr.index == 1 ? "y" : attr.index == 2 ? "z" : "?");
    if ((counts & kAttrVolatile) != 0 && attr.is_volatile) add("volatile");
    if ((counts & kAttrStray) != 0 && attr.stray) add("stray");
    if ((counts & kAttrFast) != 0 && attr.fast) add("fast");
  }

  void operands(const Inst& inst, const Type* context) {
    const uint32_t counts = attributes(inst.op);
    bool first = true;
    const auto separate = [&] {
      out_ += first ? " " : ", ";
      first = false;
    };
    if ((counts & kAttrText) != 0) separate(), append_quoted(out_, inst.attr().text);
    if ((counts & kAttrTarget) != 0) separate(), label(inst.attr().target);
    for (const Value* operand : inst.operands) separate(), value(operand, context);
  }

  void call(const Inst& inst) {
    out_ += ' ';
    if (!inst.type->is_void()) out_.append(to_string(inst.type)).append(" ");
    out_ += '@';
    append_name(out_, inst.attr().callee != nullptr ? inst.attr().callee->name : std::string());
    parenthesized(inst);
  }

  void parenthesized(const Inst& inst) {
    out_ += '(';
    for (size_t i = 0; i < inst.operands.size(); ++i) {
      if (i != 0) out_ += ", ";
      value(inst.operand(i), nullptr);
    }
    out_ += ')';
  }

  void trailing(const Inst& inst) {
    const uint32_t counts = attributes(inst.op);
    const Attr& attr = inst.attr();
    if ((counts & kAttrScale) != 0) out_ += " scale ", number(attr.scale);
    if (inst.is(Op::kFieldPtr)) out_.append(" of ").append(to_string(attr.type));
    if ((counts & kAttrIndex) != 0) out_ += " index ", number(attr.index);
    if ((counts & kAttrAlign) != 0 && attr.align != 0) out_ += " align ", number(attr.align);
  }

  void control(const Inst& inst, int depth) {
    out_ += info(inst.op).name;
    if (!inst.is(Op::kIf)) {
      values_.set(&inst, next_label_++);
      out_ += ' ';
      label(&inst);
    }
    for (const Value* operand : inst.operands) out_ += ' ', value(operand, nullptr);
    if (inst.is(Op::kLoop) && inst.attr().unroll != 0) {
      out_.append(" unroll(").append(std::to_string(inst.attr().unroll)).append(")");
    }
    position(inst.pos);
    out_ += ' ';
    if (inst.is(Op::kSwitch)) {
      cases(inst, depth);
    } else {
      regions(inst, depth);
    }
  }

  void regions(const Inst& inst, int depth) {
    for (size_t i = 0; i < inst.blocks.size(); ++i) {
      const bool optional = inst.is(Op::kIf) ? i == 1 : i == 2;
      if (optional && inst.blocks[i]->first == nullptr) continue;
      if (i != 0) out_ += inst.is(Op::kIf) ? " else " : i == 1 ? " body " : " step ";
      braced(*inst.blocks[i], depth);
    }
  }

  void cases(const Inst& inst, int depth) {
    out_ += "{\n";
    const std::vector<SwitchCase>& all = inst.attr().cases;
    for (size_t i = 0; i < all.size() && i < inst.blocks.size(); ++i) {
      indent(depth + 1);
      out_ += all[i].values.empty() ? "default" : "case";
      for (size_t k = 0; k < all[i].values.size(); ++k) {
        out_.append(k == 0 ? " " : ", ").append(std::to_string(all[i].values[k]));
      }
      out_ += ' ';
      braced(*inst.blocks[i], depth + 1);
      out_ += '\n';
    }
    indent(depth);
    out_ += '}';
  }

  void label(const Inst* target) {
    const uint32_t* known = target == nullptr ? nullptr : values_.find(target);
    out_ += 'L';
    if (known != nullptr) {
      number(*known);
    } else {
      out_ += '?';  // not well formed
    }
  }

  // Named values are counted per name, from 1; the others together, from 0.
  void define(const Value& value, std::string_view name) {
    values_.set(&value, name.empty() ? next_number_++ : ++names_[name]);
  }

  void value(const Value* value, const Type* context) {
    if (value == nullptr) {
      out_ += "<no value>";
      return;
    }
    switch (value->kind) {
      case ValueKind::kConst:
        append_literal(out_, value->type, static_cast<const Const*>(value)->bits);
        break;
      case ValueKind::kUndef: out_ += "undef"; break;
      case ValueKind::kGlobal:
        out_ += '@';
        append_name(out_, static_cast<const Global*>(value)->name);
        return;
      default: reference(*value); return;
    }
    const bool clear = value->type == context || (value->type->is_bool() && value->kind == ValueKind::kConst);
    if (!clear) out_.append(":").append(to_string(value->type));
  }

  void reference(const Value& value) {
    const uint32_t* known = values_.find(&value);
    out_ += '%';
    if (known == nullptr) {
      out_ += '?';  // invalid: used before its definition
      return;
    }
    const std::string_view name = value.kind == ValueKind::kParam ? static_cast<const Param&>(value).name
                                                                  : static_cast<const Inst&>(value).name;
    if (name.empty()) {
      number(*known);
      return;
    }
    append_name(out_, name);
    if (*known != 1) out_ += '.', number(*known);
  }

  const PrintOptions& options_;
  std::string out_;
  // Of the current function.
  const Type* result_ = nullptr;
  PointerMap<Value, uint32_t> values_;
  std::unordered_map<std::string_view, uint32_t> names_;
  uint32_t next_number_ = 0;
  uint32_t next_label_ = 0;
  std::unordered_set<const Type*> structs_;  // printed already
};

}  // namespace

std::string print(const Module& module, const PrintOptions& options) {
  Printer printer(options);
  printer.module(module);
  return printer.take();
}

std::string print_declarations(const Module& module) {
  const PrintOptions options;
  Printer printer(options);
  printer.declarations(module);
  return printer.take();
}

std::string print(const Function& function, const PrintOptions& options) {
  Printer printer(options);
  printer.function(function);
  return printer.take();
}

}  // namespace quern::ir
