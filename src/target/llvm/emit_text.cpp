// Writing lines, names and types.
#include <algorithm>

#include "target/llvm/emitter.hpp"
#include "target/messages.hpp"

namespace quern::llvm {

void Emitter::line(const Text& text) {
  out_->append("  ").append(text);
  if (options_.has_lines) out_->append(line_mark());
  out_->append("\n");
}

Emitter::Text Emitter::def(const Text& text) {
  Text name = prefix_ + std::to_string(next_++);
  line(name + " = " + text);
  return name;
}

Emitter::Text Emitter::fresh_label(const char* what) { return what + std::to_string(next_++); }

void Emitter::label(const Text& name) {
  if (!is_terminated_) line("br label %" + name);
  out_->append(name).append(":\n");
  is_terminated_ = false;
}

void Emitter::br(const Text& to) {
  if (is_terminated_) return;
  line("br label %" + to);
  is_terminated_ = true;
}

void Emitter::br_if(const Text& condition, const Text& yes, const Text& no) {
  if (is_terminated_) return;
  line("br i1 " + condition + ", label %" + yes + ", label %" + no);
  is_terminated_ = true;
}

Emitter::Text Emitter::stack_cell(const Text& type, uint32_t align) {
  Text name = "%a" + std::to_string(next_++);
  allocas_ += "  " + name + " = alloca " + type + ", align " + std::to_string(align) + "\n";
  return name;
}

Emitter::Text Emitter::call(const char* helper, const Text& arguments) {
  static const std::map<Text, Text> kTypes = {
#define X(name, type) {#name, type},
      QUERN_LLVM_HELPERS(X)
#undef X
  };
  const Text& type = kTypes.at(helper);
  const size_t space = type.find(' ');
  const Text result = type.substr(0, space);
  declarations_.insert("declare " + result + " @" + helper + type.substr(space + 1) + " nounwind");
  const Text text = "call " + result + " @" + helper + "(" + arguments + ")";
  if (result != "void") return def(text);
  line(text);
  return {};
}

Emitter::Text Emitter::intrinsic(const Text& name, const Text& result, const Texts& types,
                                 const Texts& arguments) {
  Text declared, given;
  for (size_t i = 0; i < types.size(); ++i) {
    declared += (i != 0 ? ", " : "") + types[i];
    given += (i != 0 ? ", " : "") + types[i] + " " + arguments[i];
  }
  declarations_.insert("declare " + result + " @llvm." + name + "(" + declared + ")");
  const Text text = "call " + result + " @llvm." + name + "(" + given + ")";
  if (result != "void") return def(text);
  line(text);
  return {};
}

Emitter::Text Emitter::vec(const Text& type) const {
  return width_ == 1 ? type : "<" + std::to_string(width_) + " x " + type + ">";
}
Emitter::Text Emitter::vec(const ir::Type* type) const { return vec(Text(spelling(type))); }

Emitter::Text Emitter::typed(const ir::Type* type, bool is_vector) const {
  return is_vector ? vec(type) : Text(spelling(type));
}

Emitter::Text Emitter::vec_suffix(const ir::Type* type, bool is_vector) const {
  return (is_vector && width_ > 1 ? "v" + std::to_string(width_) : "") + suffix(type);
}

Emitter::Text Emitter::constants(const Text& type, const std::function<Text(uint32_t)>& element) const {
  if (width_ == 1) return element(0);
  Text text = "<";
  for (uint32_t l = 0; l < width_; ++l) text += (l != 0 ? ", " : "") + type + " " + element(l);
  return text + ">";
}

Emitter::Text Emitter::splat(const Text& type, const Text& scalar) {
  if (width_ == 1) return scalar;
  if (scalar[0] != '%' && scalar[0] != '@') {
    if (scalar == "0" || scalar == "null" || scalar == "false") return "zeroinitializer";
    // Folded when it is parsed, and much shorter than a list of all lanes.
    const Text lanes = vec(type);
    return "shufflevector (" + lanes + " insertelement (" + lanes + " poison, " + type + " " + scalar +
           ", i32 0), " + lanes + " poison, <" + std::to_string(width_) + " x i32> zeroinitializer)";
  }
  const Text one = def("insertelement " + vec(type) + " poison, " + type + " " + scalar + ", i32 0");
  return def("shufflevector " + vec(type) + " " + one + ", " + vec(type) + " poison, <" +
             std::to_string(width_) + " x i32> zeroinitializer");
}

Emitter::Text Emitter::entry_def(const Text& text) {
  Text& name = entry_values_[text];
  if (name.empty()) {
    name = "%e" + std::to_string(next_++);
    entry_ += "  " + name + " = " + text + "\n";
  }
  return name;
}

Emitter::Text Emitter::context_field(uint32_t offset, const char* type) {
  const Text at = offset == 0
                      ? "%context"
                      : entry_def("getelementptr inbounds i8, ptr %context, i64 " + std::to_string(offset));
  return entry_def("load " + Text(type) + ", ptr " + at + ", !invariant.load !0");
}

void Emitter::fail(const ir::Inst* inst, const base::MessageText& what) {
  if (error_) return;
  error_ = base::Error(
      base::ErrorKind::internal,
      target::message::kKernelFailedAtLine(kernel_.name, std::to_string(inst->pos.line), what.text));
}

}  // namespace quern::llvm
