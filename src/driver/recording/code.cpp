#include "driver/recording/code.hpp"

#include <optional>

#include "base/text.hpp"
#include "lang/ir/text.hpp"

namespace quern::recording {

namespace {

using base::Error;
using base::ErrorKind;

void write(Writer& to, const driver::ParamInfo& p) {
  to.text(p.name).text(p.spelling).number(p.type).number(p.is_pointer).number(p.is_written);
  to.number(p.bytes).number(p.align).number(p.element_bytes).number(p.element);
}

driver::ParamInfo read_param(Reader& from) {
  driver::ParamInfo p;
  p.name = from.text();
  p.spelling = from.text();
  p.type = from.number<ir::TypeKind>();
  p.is_pointer = from.flag();
  p.is_written = from.flag();
  p.bytes = from.u32();
  p.align = from.u32();
  p.element_bytes = from.u32();
  p.element = from.number<ir::TypeKind>();
  return p;
}

void write(Writer& to, const driver::KernelInfo& k) {
  to.text(k.name).text(k.entry).number(uint64_t{k.params.size()});
  for (const driver::ParamInfo& p : k.params) write(to, p);
  to.number(k.shared_bytes).number(k.max_threads).number(k.needs_cooperative);
  const auto needs = k.needs.list();
  to.number(uint64_t{needs.size()});
  for (driver::Feature f : needs) to.text(driver::name(f));
  const driver::Dim3 block = k.block.value_or(driver::Dim3{0, 0, 0});
  to.number(block.x).number(block.y).number(block.z);
  to.number(k.block_bytes).number(k.block_by_address).text(k.refused);
  to.number(uint64_t{k.variables.size()});
  for (const uint32_t v : k.variables) to.number(v);
}

std::optional<driver::Feature> find_feature(std::string_view name) {
  for (size_t i = 0; i < driver::kFeatureCount; ++i) {
    if (driver::name(static_cast<driver::Feature>(i)) == name) return static_cast<driver::Feature>(i);
  }
  return std::nullopt;
}

driver::KernelInfo read_kernel(Reader& from) {
  driver::KernelInfo k;
  k.name = from.text();
  k.entry = from.text();
  for (uint64_t n = from.count(16); n > 0; --n) k.params.push_back(read_param(from));
  k.shared_bytes = from.u64();
  k.max_threads = from.u32();
  k.needs_cooperative = from.flag();
  for (uint64_t n = from.count(8); n > 0; --n) {
    if (const auto feature = find_feature(from.text())) k.needs.add(*feature);
  }
  driver::Dim3 block{0, 0, 0};
  block.x = from.u32();
  block.y = from.u32();
  block.z = from.u32();
  if (block.count() != 0) k.block = block;
  k.block_bytes = from.u32();
  k.block_by_address = from.flag();
  k.refused = from.text();
  for (uint64_t n = from.count(4); n > 0; --n) k.variables.push_back(from.u32());
  return k;
}

void write(Writer& to, const driver::VariableInfo& v) {
  to.text(v.name).text(v.entry).number(v.bytes).number(v.align).number(v.is_constant);
  to.raw(v.initial.data(), v.initial.size());
  to.number(uint64_t{v.pointers.size()});
  for (const driver::VariablePointer& p : v.pointers)
    to.number(p.at).number(p.variable).number(static_cast<uint64_t>(p.distance));
}

driver::VariableInfo read_variable(Reader& from) {
  driver::VariableInfo v;
  v.name = from.text();
  v.entry = from.text();
  v.bytes = from.u64();
  v.align = from.u64();
  v.is_constant = from.flag();
  const std::string_view initial = from.text();
  v.initial.assign(initial.begin(), initial.end());
  constexpr uint64_t kPointerBytes = 20;
  for (uint64_t n = from.count(kPointerBytes); n > 0; --n) {
    driver::VariablePointer& p = v.pointers.emplace_back();
    p.at = from.u64();
    p.variable = from.u32();
    p.distance = static_cast<int64_t>(from.u64());
  }
  return v;
}

void write(Writer& to, const driver::ReportSite& s) {
  to.number(s.kind).text(s.kernel).text(s.text).number(uint64_t{s.arguments.size()});
  for (const driver::ReportArgument& a : s.arguments) to.number(a.type).number(a.is_text).text(a.text);
  to.text(s.file).number(s.line).number(s.column);
}

driver::ReportSite read_site(Reader& from) {
  driver::ReportSite s;
  s.kind = from.number<driver::ReportKind>();
  s.kernel = from.text();
  s.text = from.text();
  for (uint64_t n = from.count(8); n > 0; --n) {
    driver::ReportArgument& a = s.arguments.emplace_back();
    a.type = from.number<ir::TypeKind>();
    a.is_text = from.flag();
    a.text = from.text();
  }
  s.file = from.text();
  s.line = from.u32();
  s.column = from.u32();
  return s;
}

std::optional<driver::CodeKind> find_kind(std::string_view name) {
  constexpr driver::CodeKind kKinds[] = {
#define X(id, text) driver::CodeKind::k##id,
      QUERN_CODE_KINDS(X)
#undef X
  };
  for (driver::CodeKind k : kKinds) {
    if (driver::name(k) == name) return k;
  }
  return std::nullopt;
}

// Drivers trust what they are told of a kernel.
bool agrees(const driver::KernelInfo& kernel, const ir::Module& module) {
  const ir::Function* f = module.find_function(kernel.name);
  if (f == nullptr || !f->is_kernel || f->params.size() != kernel.params.size()) return false;
  for (size_t i = 0; i < f->params.size(); ++i) {
    const driver::ParamInfo& told = kernel.params[i];
    const ir::Type* type = f->params[i]->type;
    if (type->is_ptr() != told.is_pointer || type->size != told.bytes) return false;
  }
  return true;
}

base::Result<> read_module(driver::Code& code) {
  ir::ParseError why;
  std::optional<ir::Module> module = ir::parse(code.bytes, why);
  if (!module) {
    return Error(ErrorKind::kBadInput, base::format("the IR of '%s' does not read: line %u: %s",
                                                    code.name.c_str(), why.line, why.message.c_str()));
  }
  for (const driver::KernelInfo& k : code.kernels) {
    if (!agrees(k, *module))
      return Error(ErrorKind::kBadInput, "what is told of kernel '" + k.name + "' is not true of its IR");
  }
  code.module = std::make_shared<const ir::Module>(std::move(*module));
  code.bytes.clear();
  return {};
}

}  // namespace

void write(Writer& to, const driver::Code& code) {
  to.text(driver::name(code.kind));
  to.text(code.module != nullptr ? ir::print(*code.module) : code.bytes);
  to.text(code.name).number(uint64_t{code.kernels.size()});
  for (const driver::KernelInfo& k : code.kernels) write(to, k);
  to.number(uint64_t{code.variables.size()});
  for (const driver::VariableInfo& v : code.variables) write(to, v);
  to.number(uint64_t{code.sites.size()});
  for (const driver::ReportSite& s : code.sites) write(to, s);
  to.number(code.math).number(code.is_raw).number(uint64_t{code.defines.size()});
  for (const auto& [name, value] : code.defines) to.text(name).text(value);
}

base::Result<driver::Code> read_code(Reader& from) {
  driver::Code code;
  const std::string_view kind_name = from.text();
  code.bytes = from.text();
  code.name = from.text();
  for (uint64_t n = from.count(16); n > 0; --n) code.kernels.push_back(read_kernel(from));
  for (uint64_t n = from.count(16); n > 0; --n) code.variables.push_back(read_variable(from));
  for (uint64_t n = from.count(16); n > 0; --n) code.sites.push_back(read_site(from));
  code.math = from.number<driver::Math>();
  code.is_raw = from.flag();
  for (uint64_t n = from.count(16); n > 0; --n) {
    std::string name(from.text());
    code.defines.emplace_back(std::move(name), from.text());
  }
  if (!from.ok()) return Error(ErrorKind::kBadInput, "a program in it is not complete");
  const auto kind = find_kind(kind_name);
  if (!kind)
    return Error(ErrorKind::kBadInput, "it holds code of the unknown kind '" + std::string(kind_name) + "'");
  code.kind = *kind;
  if (code.kind == driver::CodeKind::kIr) QUERN_TRY(read_module(code));
  return code;
}

}  // namespace quern::recording
