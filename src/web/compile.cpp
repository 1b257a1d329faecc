#include "web/compile.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "lang/ir/text.hpp"
#include "target/descriptor.hpp"
#include "target/target.hpp"
#include "web/listing.hpp"
#include "web/messages.hpp"

namespace quern::web {

using base::Error;
using base::ErrorKind;
using base::JsonValue;

namespace {

// In messages. Nothing can be included but the headers of the language.
constexpr std::string_view kName = "kernel.cu";

std::string names_of_targets() {
  std::string names = "ir";
  for (const target::Descriptor* d : target::descriptors()) {
    if (d->emit != nullptr) names += ", " + std::string(driver::name(d->kind));
  }
  return names;
}

// Code of a device that usually runs the language.
target::Options usual_options(driver::CodeKind kind, driver::Math math) {
  target::Options options;
  options.kind = kind;
  options.features = target::every_feature();
  options.native = target::usual_native(kind);
  options.matrices = target::usual_matrices(kind, "");
  options.line_marks = false;
  options.math = math;
  return options;
}

// Each kernel separately: one that the target cannot express does not affect the others.
Result<std::string> emit_all(const lang::Compilation& compiled, const target::Options& options) {
  std::string text;
  std::optional<Error> first;
  bool has_some = false;
  for (const ir::Function* f : compiled.module.functions) {
    if (!f->is_kernel) continue;
    auto code = target::emit(std::make_shared<const ir::Module>(compiled.module.clone(*f)),
                             std::string(kName), options);
    text += "// kernel " + f->name + "\n";
    if (code.ok()) {
      const bool is_binary =
          options.kind == driver::CodeKind::kSpirv || options.kind == driver::CodeKind::kSpirvKernel;
      text += (is_binary ? spirv_listing(code->bytes) : code->bytes) + "\n";
      has_some = true;
    } else {
      text += "// " + base::replace_all(code.error().message(), "\n", "\n// ") + "\n\n";
      if (!first) first = std::move(code).error();
    }
  }
  if (!has_some && first) return *first;
  return text;
}

// The error of a text without a valid kernel; `failure` gets its diagnostics.
Error rejected(std::shared_ptr<const lang::Compilation> compilation, Failure& failure) {
  for (const lang::Diagnostic& d : compilation->diagnostics) {
    if (d.severity != lang::Severity::kError) continue;
    const lang::FilePos at = compilation->sources->resolve(d.loc);
    Error error(
        ErrorKind::compile,
        message::kDoesNotCompile(
            base::format("%s:%u:%u: ", std::string(at.file).c_str(), at.line, at.column) + d.message.text));
    if (!d.message.hint.empty()) error.add_hint(d.message.hint);
    failure.compilation = std::move(compilation);
    return error;
  }
  failure.compilation = std::move(compilation);
  return {ErrorKind::compile, message::kNoKernel()};
}

}  // namespace

void write_members(Json& json, const lang::Compilation& compiled) {
  json.key("diagnostics").begin_array();
  write_diagnostics(json, compiled);
  json.end_array().key("kernels").begin_array();
  for (const lang::KernelInfo& k : compiled.kernels) {
    const ir::Function* const function = k.ok ? compiled.module.find_function(k.name) : nullptr;
    if (function != nullptr) write(json, *function, k.line);
  }
  json.end_array();
}

Result<Source> read_source(const JsonValue& request) {
  Source source;
  source.text = request.text_of("source");
  if (source.text.size() > kLargestSource)
    return Error(ErrorKind::bad_input, message::kSourceTooLong(base::format_bytes(source.text.size()),
                                                               base::format_bytes(kLargestSource)));
  if (const JsonValue* const defines = request.find("defines")) {
    for (const base::JsonMember& m : defines->members)
      source.options.defines.emplace_back(m.name, m.value.text);
  }
  if (const JsonValue* const kernels = request.find("kernels")) {
    for (const JsonValue& k : kernels->items) source.options.kernels.push_back(k.text);
  }
  if (request.text_of("math") == "fast") source.math = driver::Math::fast;
  return source;
}

lang::Compilation compile(const Source& source) {
  return lang::compile(std::string(kName), source.text, source.options);
}

Result<> check(const JsonValue& request, Json& json) {
  QUERN_TRY_ASSIGN(Source source, read_source(request));
  source.options.check_uninstantiated = source.options.kernels.empty();
  const lang::Compilation compiled = compile(source);
  json.begin_object().member("ok", compiled.ok);
  write_members(json, compiled);
  json.end_object();
  return {};
}

Result<lang::Compilation> compile_valid(const Source& source, Failure& failure) {
  lang::Compilation compiled = compile(source);
  const bool has_kernel = std::any_of(compiled.kernels.begin(), compiled.kernels.end(),
                                      [](const lang::KernelInfo& k) { return k.ok; });
  if (compiled.ok && has_kernel) return compiled;
  return rejected(std::make_shared<const lang::Compilation>(std::move(compiled)), failure);
}

Result<> translate(const JsonValue& request, Json& json, Failure& failure) {
  QUERN_TRY_ASSIGN(const Source source, read_source(request));
  QUERN_TRY_ASSIGN(const lang::Compilation compiled, compile_valid(source, failure));
  json.begin_object();
  write_members(json, compiled);
  json.member("ir", ir::print(compiled.module)).end_object();
  return {};
}

Result<lang::Compilation> read_translated(std::string_view text) {
  ir::ParseError why;
  std::optional<ir::Module> module = ir::parse(text, why);
  if (!module)
    return Error(ErrorKind::bad_input, message::kTranslatedText(std::to_string(why.line), why.message));
  lang::Compilation compiled;
  compiled.module = std::move(*module);
  compiled.ok = true;
  return compiled;
}

Result<> emit(const JsonValue& request, Json& json, Failure& failure) {
  QUERN_TRY_ASSIGN(const Source source, read_source(request));
  const std::string name = request.text_of("target");
  const target::Descriptor* const target = target::find_descriptor_by_name(name);
  if (name != "ir" && (target == nullptr || target->emit == nullptr))
    return Error(ErrorKind::invalid_use, message::kUnknownTarget(name, names_of_targets()));
  auto compiled = std::make_shared<const lang::Compilation>(compile(source));
  if (!compiled->ok || compiled->module.functions.empty()) return rejected(std::move(compiled), failure);
  std::string text;
  if (name == "ir") {
    text = ir::print(compiled->module);
  } else {
    QUERN_TRY_ASSIGN(text, emit_all(*compiled, usual_options(target->kind, source.math)));
  }
  json.begin_object().member("text", text).end_object();
  return {};
}

}  // namespace quern::web
