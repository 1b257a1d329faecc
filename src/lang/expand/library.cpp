#include "lang/expand/library.hpp"

#include "lang/compile.hpp"
#include "lang/expand/messages.hpp"
#include "lang/pass/pass.hpp"

namespace quern::expand {

namespace {

std::string_view spelling(const ir::Type* type) {
  using enum ir::TypeKind;
  switch (type->kind) {
    case kBool: return "bool";
    case kI8: return "signed char";
    case kU8: return "unsigned char";
    case kI16: return "short";
    case kU16: return "unsigned short";
    case kI32: return "int";
    case kU32: return "unsigned";
    case kI64: return "long long";
    case kU64: return "unsigned long long";
    case kF32: return "float";
    case kF64: return "double";
    default: return "void";
  }
}

}  // namespace

bool Library::has(std::string_view name) {
  const std::string wanted = " " + std::string(name) + "(";
  for (const LibraryFile& file : library_files()) {
    if (file.text.find(wanted) != std::string_view::npos) return true;
  }
  return false;
}

ir::Function* Library::use(const std::string& name, std::span<const ir::Type* const> params,
                           const ir::Type* result) {
  const auto [at, is_new] = known_.try_emplace(name, nullptr);
  if (!is_new) return at->second;
  at->second = module_.find_function(std::string(kLibraryNamespace) + name);  // another Library has added it
  if (at->second != nullptr) return at->second;
  at->second = module_.add_function(std::string(kLibraryNamespace) + name);
  at->second->result = result;
  int number = 0;
  for (const ir::Type* p : params) module_.add_param(at->second, p, "a" + std::to_string(number++));
  used_.emplace(name, at->second);
  return at->second;
}

// The texts, and a kernel that calls every requested function, so that all of them are parsed.
std::string Library::program() const {
  std::string text = "namespace quern_expand {\n";
  for (const LibraryFile& file : library_files()) text += file.text;
  text += "}\n__global__ void use_all() {\n";
  for (const auto& [name, function] : used_) {
    text += std::string(kLibraryNamespace) + name + "(";
    for (const ir::Param* p : function->params)
      text += (p->index == 0 ? "(" : ", (") + std::string(spelling(p->type)) + ")0";
    text += ");\n";
  }
  return text + "}\n";
}

std::string Library::link() {
  if (used_.empty()) return {};
  lang::CompileOptions options;
  options.prepare = false;
  lang::Compilation compiled = lang::compile("quern_expand.cuh", program(), options);
  if (!compiled.ok) return message::kLibraryNotCompiled(compiled.rendered).str();
  // Each function becomes self-contained, like a kernel.
  ir::Module& library = compiled.module;
  std::erase_if(library.functions, [](const ir::Function* f) { return f->is_kernel; });
  for (ir::Function* f : library.functions) {
    f->is_kernel =
        f->name.starts_with(kLibraryNamespace) && used_.count(f->name.substr(kLibraryNamespace.size())) != 0;
    f->pos = {};
  }
  if (std::string error = pass::prepare(library); !error.empty()) return error;
  for (const auto& [name, function] : used_) {
    const ir::Function* source = library.find_function(function->name);
    if (source == nullptr) return message::kLibraryFunctionMissing(name).str();
    module_.adopt(library, *source, *function);
  }
  used_.clear();
  return {};
}

}  // namespace quern::expand
