// Code that occurs in many places (a loop over lanes that reads memory, a division of vectors) becomes a
// function of the module: LLVM's compile time grows with the code size, and such code runs much longer than a
// call. Vectors are passed and returned through memory, at addresses that all calls share.
#include "target/llvm/emitter.hpp"

namespace quern::llvm {

namespace {
// Kernels with more IR instructions are large: there a call also replaces code that would run faster inline.
constexpr size_t kLarge = 300;
constexpr uint32_t kFewLanes = 4;  // one register: code for those is short inline

bool is_literal(const std::string& text) { return text[0] != '%'; }
}  // namespace

bool Emitter::is_large() const {
  return width_ > kFewLanes && (options_.is_quick || plan_.size_of(kernel_.body) > kLarge);
}

Emitter::Text Emitter::passing_cell(size_t index) {
  while (passing_cells_.size() <= index)
    passing_cells_.push_back(stack_cell("[" + std::to_string(8 * width_) + " x i8]", 64));
  return passing_cells_[index];
}

Emitter::Passed Emitter::pass_operands(std::span<const Val> operands) {
  Passed passed;
  for (const Val& v : operands) {
    const Text name = "%p" + std::to_string(passed.inside.size());
    Val inside = v;
    if (v.rep == Rep::kVector) {
      const Text memory = vec(Text(memory_spelling(v.type))), cell = passing_cell(passed.inside.size());
      line("store " + memory + " " + to_memory(v.type, v.text, true) + ", ptr " + cell);
      passed.arguments.push_back("ptr " + cell);
      passed.parameters.push_back("ptr " + name);
      inside.text = name;
    } else if (!is_literal(v.text)) {
      passed.arguments.push_back(Text(spelling(v.type)) + " " + v.text);
      passed.parameters.push_back(Text(spelling(v.type)) + " " + name);
      inside.text = name;
    }
    passed.inside.push_back(inside);
  }
  return passed;
}

// Calls a function with this body; identical bodies are generated once. Names of the surrounding code would
// be undefined in it, which LLVM rejects.
void Emitter::call_outlined(const Passed& passed, const std::function<void()>& body) {
  Text own, allocas;
  Text* const out = std::exchange(out_, &own);
  allocas.swap(allocas_);
  const uint32_t next = std::exchange(next_, 0);
  const bool was_terminated = std::exchange(is_terminated_, false);
  const Text prefix = std::exchange(prefix_, "%h");
  body();
  line("ret void");
  Text text = "(";
  for (const Text& p : passed.parameters) text += (text.size() > 1 ? ", " : "") + p;
  text += ") nounwind noinline {\n" + allocas_ + "  br label %start\nstart:\n" + own + "}\n";
  out_ = out;
  allocas_.swap(allocas);
  next_ = next;
  is_terminated_ = was_terminated;
  prefix_ = prefix;
  const auto [at, is_new] = outlined_.try_emplace(text, "@lanes" + std::to_string(outlined_.size()));
  if (is_new) functions_ += "\ndefine internal void " + at->second + text;
  Text arguments;
  for (const Text& a : passed.arguments) arguments += (arguments.empty() ? "" : ", ") + a;
  line("call void " + at->second + "(" + arguments + ")");
}

// fn for each active lane, with the operands' values there; returns the lane's result. Without a result type
// it returns nothing.
Val Emitter::call_for_lanes(const ir::Type* result, std::span<const Val> operands,
                            const std::function<Text(const Texts&)>& fn) {
  Passed passed = pass_operands(operands);
  const Mask mask = mask_;
  Mask inside;
  if (!mask.is_all()) {
    const Text cell = passing_cell(operands.size());
    store_mask(cell, mask.text);
    passed.arguments.push_back("ptr " + cell);
    passed.parameters.emplace_back("ptr %running");
  }
  const Text memory = result != nullptr ? Text(memory_spelling(result)) : Text();
  if (result != nullptr) {
    passed.arguments.push_back("ptr " + passing_cell(operands.size() + 1));
    passed.parameters.emplace_back("ptr %out");
  }
  call_outlined(passed, [&] {
    mask_ = mask.is_all() ? Mask{} : Mask{load_mask("%running"), true};
    std::map<Text, Text> places;
    for (const Val& v : passed.inside) {
      if (v.rep == Rep::kVector) places[v.text] = v.text;
    }
    each_lane([&](const Text& lane) {
      Texts texts;
      for (const Val& v : passed.inside) texts.push_back(lane_of(v, lane, places));
      const Text r = fn(texts);
      if (result == nullptr) return;
      line("store " + memory + " " + to_memory(result, r, false) + ", ptr " +
           def("getelementptr inbounds " + memory + ", ptr %out, i32 " + lane));
    });
  });
  mask_ = mask;
  if (result == nullptr) return {};
  return from_memory(result, def("load " + vec(memory) + ", ptr " + passing_cell(operands.size() + 1)), true);
}

// fn with the operands as vectors.
Val Emitter::call_for_vectors(const ir::Type* result, std::span<const Val> operands,
                              const std::function<Text(const Texts&)>& fn) {
  Passed passed = pass_operands(operands);
  const Text cell = passing_cell(operands.size()), memory = vec(Text(memory_spelling(result)));
  passed.arguments.push_back("ptr " + cell);
  passed.parameters.emplace_back("ptr %out");
  call_outlined(passed, [&] {
    Texts texts;
    for (const Val& v : passed.inside) {
      if (v.rep != Rep::kVector) {
        texts.push_back(as_vector(v));
        continue;
      }
      const Text x = def("load " + vec(Text(memory_spelling(v.type))) + ", ptr " + v.text);
      texts.push_back(from_memory(v.type, x, true).text);
    }
    const Text r = to_memory(result, fn(texts), true);
    line("store " + memory + " " + r + ", ptr %out");
  });
  return from_memory(result, def("load " + memory + ", ptr " + cell), true);
}

}  // namespace quern::llvm
