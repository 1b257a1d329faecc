#include "target/ptx/writer.hpp"

#include <algorithm>

#include "base/round_up.hpp"
#include "lang/pass/walk.hpp"
#include "target/messages.hpp"

namespace quern::target::ptx {

using ir::Inst;
using ir::Op;
using ir::Type;

namespace {

constexpr std::string_view kPrefixes[] = {"%p", "%h", "%r", "%d"};
constexpr std::string_view kClasses[] = {".pred", ".b16", ".b32", ".b64"};

std::string_view parameter_type(const Type* t) {
  switch (t->size) {
    case 1: return ".b8";
    case 2: return ".b16";
    case 4: return ".b32";
    default: return ".b64";
  }
}

}  // namespace

std::string parameter_name(size_t index) { return "param_" + std::to_string(index); }

Writer::Writer(Unit& unit, ir::Function& function, driver::KernelInfo info)
    : unit_(unit), function_(function), info_(std::move(info)) {}

Reg Writer::fresh(Class c) {
  const auto at = static_cast<size_t>(c);
  return std::string(kPrefixes[at]) + std::to_string(counts_[at]++);
}

void Writer::put(std::string_view code, std::initializer_list<Reg> operands) {
  body_ += "\t";
  body_ += code;
  const char* before = " ";
  for (const Reg& r : operands) {
    body_ += before + r;
    before = ", ";
  }
  body_ += ";\n";
}

Reg Writer::make(Class c, std::string_view code, std::initializer_list<Reg> operands) {
  Reg d = fresh(c);
  body_ += "\t";
  body_ += code;
  body_ += " " + d;
  for (const Reg& r : operands) body_ += ", " + r;
  body_ += ";\n";
  return d;
}

void Writer::move(Class c, const Reg& to, const Reg& from) {
  put("mov" + std::string(kClasses[static_cast<size_t>(c)]), {to, from});
}

void Writer::mark(const ir::Pos& pos) {
  if (!unit_.options.line_marks || pos.line == 0 || pos.file >= unit_.module.files.size()) return;
  if (pos.line == marked_.line && pos.file == marked_.file) return;
  marked_ = pos;
  body_ += "\t.loc " + std::to_string(unit_.file(unit_.module.files[pos.file].name)) + " " +
           std::to_string(pos.line) + " " + std::to_string(pos.column) + "\n";
}

std::string Writer::signature() const {
  std::string text = ".visible .entry " + info_.entry + "(";
  size_t k = 0;
  for (const ir::Param* p : function_.params) {
    const Type* t = p->type;
    text += k == 0 ? "\n\t" : ",\n\t";
    if (t->is_aggregate()) {
      text += ".param .align " + std::to_string(t->align) + " .b8 " + parameter_name(k) + "[" +
              std::to_string(std::max<uint64_t>(t->size, 1)) + "]";
    } else {
      text += ".param " + std::string(parameter_type(t)) + " " + parameter_name(k);
    }
    ++k;
  }
  text += k == 0 ? ")\n" : "\n)\n";
  if (function_.max_threads != 0) text += ".maxntid " + std::to_string(function_.max_threads) + ", 1, 1\n";
  if (function_.max_threads != 0 && function_.min_blocks != 0)
    text += ".minnctapersm " + std::to_string(function_.min_blocks) + "\n";
  return text;
}

// Numbers are passed in their register representation.
std::string Writer::function_signature() const {
  const auto spelled = [](const Type* t) {
    return class_of(t) == Class::kB64 ? ".param .b64 " : ".param .b32 ";
  };
  std::string text = ".func ";
  if (function_.result != nullptr && !function_.result->is_void())
    text += "(" + std::string(spelled(function_.result)) + "result) ";
  text += unit_.functions.at(&function_) + "(";
  for (size_t k = 0; k < function_.params.size(); ++k)
    text += (k == 0 ? "" : ", ") + std::string(spelled(function_.params[k]->type)) + parameter_name(k);
  return text + ")\n";
}

Reg Writer::parameter(const Type* t, const std::string& at) {
  if (!function_.is_kernel) {
    if (t->is_bool()) return test("setp.ne.b32", {word("ld.param.b32", {at}), "0"});
    return make(class_of(t), class_of(t) == Class::kB64 ? "ld.param.b64" : "ld.param.b32", {at});
  }
  if (t->is_bool()) return test("setp.ne.b32", {word("ld.param.u8", {at}), "0"});
  if (is_narrow(t))
    return word("ld.param." + std::string(t->is_signed() ? "s" : "u") + std::to_string(t->bits()), {at});
  if (!t->is_ptr()) return make(class_of(t), "ld.param" + std::string(parameter_type(t)), {at});
  const Reg given = wide("ld.param.b64", {at});
  if (t->space == ir::Space::kShared) return cast(given, Form::kGeneric, Form::kShared, true);
  return t->space == ir::Space::kLocal ? cast(given, Form::kGeneric, Form::kLocal, true) : given;
}

// All scalars of the parameters are loaded at the beginning: the assembler reads those that are used directly
// from parameter memory. Tensor maps stay there.
void Writer::parameters() {
  std::unordered_set<const ir::Value*> used;
  pass::traverse(function_.body, [&](const Inst* i) {
    if (!i->is(Op::kParamAddress)) used.insert(i->operands.begin(), i->operands.end());
  });
  size_t k = 0;
  for (const ir::Param* p : function_.params) {
    const std::string name = parameter_name(k++);
    if (used.count(p) == 0) continue;
    const std::vector<Leaf>& leaves = unit_.leaves.of(p->type);
    if (unit_.leaves.are_too_many(p->type)) unit_.refuse(p->pos, message::kParameterTooLarge());
    Regs regs;
    for (const Leaf& leaf : leaves) {
      regs.push_back(parameter(
          leaf.type, "[" + name + (leaf.offset != 0 ? "+" + std::to_string(leaf.offset) : "") + "]"));
    }
    values_[p] = std::move(regs);
  }
}

uint64_t Writer::reserve_local(uint64_t bytes, uint64_t align) {
  local_align_ = std::max(local_align_, align);
  const uint64_t at = base::round_up(local_bytes_, align);
  local_bytes_ = at + bytes;
  return at;
}

// Whether it is only loaded and stored with its own type.
bool Writer::is_plain(const Inst* var, const std::vector<const Inst*>& uses) const {
  const Type* t = var->attr().type;
  if (!t->is_scalar()) return false;
  return std::all_of(uses.begin(), uses.end(), [&](const Inst* use) {
    if (pass::is_volatile(use)) return false;
    if (use->is(Op::kLoad)) return use->type == t;
    return use->is(Op::kStore) && use->operand(0) == var && use->operand(1) != var &&
           use->operand(1)->type == t;
  });
}

void Writer::place_variables() {
  std::unordered_map<const ir::Value*, std::vector<const Inst*>> uses;
  pass::traverse(function_.body, [&](const Inst* i) {
    for (const ir::Value* v : i->operands) {
      const Inst* used = ir::as_inst(v);
      if (used != nullptr && used->is(Op::kVar)) uses[v].push_back(i);
    }
  });
  // Variables of one construct reuse the memory of those of the previous one.
  std::vector<uint64_t> starts;
  uint64_t most = 0;
  pass::traverse(
      function_.body,
      [&](const Inst* i) {
        if (!i->blocks.empty()) starts.push_back(local_bytes_);
        if (!i->is(Op::kVar) || uses.count(i) == 0) return;
        const Type* t = i->attr().type;
        if (is_plain(i, uses[i])) {
          variables_[i] = {fresh(class_of(t))};
        } else {
          places_[i] = reserve_local(t->size, std::max<uint64_t>(i->attr().align, t->align));
          most = std::max(most, local_bytes_);
        }
      },
      [&](const Inst*) {
        local_bytes_ = starts.back();
        starts.pop_back();
      });
  local_bytes_ = most;
}

std::string Writer::write() {
  place_variables();
  parameters();
  block(function_.body);
  if (is_open_) put("ret");
  std::string text = (function_.is_kernel ? signature() : function_signature()) + "{\n";
  for (size_t c = 0; c < std::size(counts_); ++c) {
    if (counts_[c] > 1)
      text += "\t.reg " + std::string(kClasses[c]) + " " + std::string(kPrefixes[c]) + "<" +
              std::to_string(counts_[c]) + ">;\n";
  }
  if (local_bytes_ != 0) {
    text += "\t.local .align " + std::to_string(std::max<uint64_t>(local_align_, 8)) + " .b8 local[" +
            std::to_string(local_bytes_) + "];\n";
  }
  return text + body_ + "}\n";
}

}  // namespace quern::target::ptx
