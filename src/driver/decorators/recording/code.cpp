#include "driver/decorators/recording/code.hpp"

#include <optional>
#include <utility>

#include "base/text.hpp"
#include "driver/decorators/messages.hpp"
#include "lang/ir/text.hpp"

namespace quern::recording {

namespace {

using base::Error;
using base::ErrorKind;
using target::PortableProgram;

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

// The program in the form that is stored: IR loaded without a portable program becomes one.
std::shared_ptr<const PortableProgram> portable_of(const driver::Code& code) {
  if (auto made_from = target::portable_form(code); made_from != nullptr || code.module == nullptr)
    return made_from;
  auto program = std::make_shared<PortableProgram>();
  program->name = code.name;
  program->module = code.module;
  program->math = code.math;
  program->max_registers = code.max_registers;
  program->debug = code.debug;
  return program;
}

void write_portable(Writer& to, const PortableProgram& program) {
  to.text(ir::print(*program.module)).number(uint64_t{program.checked.size()});
  for (const pass::CheckedKernel& kernel : program.checked) {
    to.text(kernel.name).number(uint64_t{kernel.extents.size()});
    for (const uint32_t of : kernel.extents) to.number(of);
  }
}

void write_raw(Writer& to, const driver::Code& code) {
  to.text(driver::name(code.kind)).text(code.bytes).number(uint64_t{code.defines.size()});
  for (const auto& [name, value] : code.defines) to.text(name).text(value);
}

base::Result<std::shared_ptr<const ir::Module>> read_module(std::string_view text, const std::string& name) {
  ir::ParseError why;
  std::optional<ir::Module> module = ir::parse(text, why);
  if (!module) {
    return Error(ErrorKind::bad_input,
                 decorators::message::kRecordedIr(name, std::to_string(why.line), why.message));
  }
  return std::make_shared<const ir::Module>(std::move(*module));
}

// Whether the kernel ends with the parameters of check mode: the extents, then the report buffer.
bool agrees(const pass::CheckedKernel& kernel, const ir::Module& module) {
  const ir::Function* f = module.find_function(kernel.name);
  const size_t added = kernel.extents.size() + 1;
  if (f == nullptr || !f->is_kernel || f->params.size() < added) return false;
  const size_t own = f->params.size() - added;
  for (size_t i = 0; i < kernel.extents.size(); ++i) {
    const uint32_t of = kernel.extents[i];
    if (of >= own || !f->params[of]->type->is_ptr() || f->params[own + i]->type->size != 8) return false;
  }
  return f->params.back()->type->is_ptr();
}

base::Result<> read_portable(Reader& from, PortableProgram& program) {
  const std::string_view text = from.text();
  for (uint64_t n = from.count(16); n > 0; --n) {
    pass::CheckedKernel& kernel = program.checked.emplace_back();
    kernel.name = from.text();
    for (uint64_t m = from.count(4); m > 0; --m) kernel.extents.push_back(from.u32());
  }
  if (!from.ok()) return {};
  QUERN_TRY_ASSIGN(program.module, read_module(text, program.name));
  for (const pass::CheckedKernel& kernel : program.checked) {
    if (!agrees(kernel, *program.module))
      return Error(ErrorKind::bad_input, decorators::message::kCheckParameters(kernel.name));
  }
  return {};
}

base::Result<> read_raw(Reader& from, driver::Code& code) {
  const std::string_view kind_name = from.text();
  code.bytes = from.text();
  code.is_raw = true;
  for (uint64_t n = from.count(16); n > 0; --n) {
    std::string name(from.text());
    code.defines.emplace_back(std::move(name), from.text());
  }
  if (!from.ok()) return {};
  const auto kind = find_kind(kind_name);
  if (!kind || *kind == driver::CodeKind::kIr || *kind == driver::CodeKind::kHostFunction)
    return Error(ErrorKind::bad_input, decorators::message::kUnknownCodeKind(kind_name));
  code.kind = *kind;
  return {};
}

}  // namespace

base::Result<> write(Writer& to, const driver::Code& code) {
  const auto portable = portable_of(code);
  if (portable == nullptr && !code.is_raw)
    return Error(ErrorKind::unsupported,
                 decorators::message::kRecordedCodeWithoutIr(code.name, driver::name(code.kind)));
  to.text(code.name).number(code.math).number(code.max_registers).number(code.debug);
  to.number(portable != nullptr);
  if (portable != nullptr) {
    write_portable(to, *portable);
  } else {
    write_raw(to, code);
  }
  return {};
}

base::Result<RecordedModule> read_program(Reader& from) {
  RecordedModule out;
  const std::string name(from.text());
  const auto math = from.number<driver::Math>();
  const uint32_t max_registers = from.u32();
  const bool debug = from.flag();
  if (math > driver::Math::fast) return Error(ErrorKind::bad_input, decorators::message::kUnknownMath());
  if (from.flag()) {
    auto program = std::make_shared<PortableProgram>();
    *program = {name, nullptr, math, max_registers, debug};
    QUERN_TRY(read_portable(from, *program));
    out.portable = std::move(program);
  } else {
    out.raw.name = name;
    out.raw.math = math;
    out.raw.max_registers = max_registers;
    out.raw.debug = debug;
    QUERN_TRY(read_raw(from, out.raw));
  }
  if (!from.ok()) return Error(ErrorKind::bad_input, decorators::message::kIncompleteModule());
  return out;
}

}  // namespace quern::recording
