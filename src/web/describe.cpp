#include "web/describe.hpp"

#include "target/descriptor.hpp"
#include "web/messages.hpp"

namespace quern::web {

namespace {

std::string_view kind_of(const ir::Type& type) {
  if (type.is_ptr()) return "pointer";
  if (type.is_bool()) return "boolean";
  if (type.is_float()) return "real";
  if (type.is_int()) return type.is_signed() ? "integer" : "unsigned";
  return "struct";
}

const ir::Type& without_arrays(const ir::Type& type) {
  return type.is_array() ? without_arrays(*type.elem) : type;
}

uint64_t elements_of(const ir::Type& type) {
  return type.is_array() ? type.count * elements_of(*type.elem) : 1;
}

std::string name_of(const ir::Type& type) { return type.is_struct() ? type.name : ir::to_string(&type); }

void write_struct(Json& json, const ir::Type& type) {
  json.begin_object();
  json.member("name", type.name).member("size", type.size).member("align", type.align);
  json.key("fields").begin_array();
  for (const ir::Field& field : type.fields) {
    const ir::Type& element = without_arrays(*field.type);
    json.begin_object();
    json.member("name", field.name).member("type", name_of(element));
    json.member("offset", field.offset).member("count", elements_of(*field.type));
    if (element.is_struct()) write_struct(json.key("struct"), element);
    json.end_object();
  }
  json.end_array().end_object();
}

void write_parameter(Json& json, const ir::Param& param) {
  const ir::Type* const element = param.type->is_ptr() ? param.elem : param.type;
  json.begin_object();
  json.member("name", param.name);
  json.member("type", param.spelling.empty() ? ir::to_string(param.type) : param.spelling);
  json.member("kind", kind_of(*param.type));
  json.member("bytes", element != nullptr ? element->size : 0);
  json.member("isConst", param.is_const_elem);
  if (param.type->is_ptr() && element != nullptr) json.member("element", name_of(*element));
  if (element != nullptr && element->is_struct()) write_struct(json.key("struct"), *element);
  json.end_object();
}

std::string_view name(lang::Severity severity) {
  constexpr std::string_view kNames[] = {"error", "warning", "note"};
  return kNames[static_cast<size_t>(severity)];
}

void write(Json& json, const lang::Diagnostic& diagnostic, const lang::SourceMap& sources) {
  const lang::FilePos at = sources.resolve(diagnostic.loc);
  json.begin_object();
  json.member("file", at.file).member("line", at.line).member("column", at.column);
  json.member("length", diagnostic.length).member("severity", name(diagnostic.severity));
  json.member("message", diagnostic.message.text);
  if (!diagnostic.message.hint.empty()) json.member("hint", diagnostic.message.hint);
  if (!diagnostic.notes.empty()) {
    json.key("notes").begin_array();
    for (const lang::Diagnostic& note : diagnostic.notes) write(json, note, sources);
    json.end_array();
  }
  json.end_object();
}

void write(Json& json, const driver::Finding& finding) {
  json.begin_object();
  json.member("file", finding.file).member("line", finding.line).member("column", finding.column);
  json.member("severity", "error").member("kind", finding.kind).member("message", finding.message);
  if (!finding.hint.empty()) json.member("hint", finding.hint);
  json.member("kernel", finding.kernel).member("count", finding.count).member("text", finding.rendered);
  json.end_object();
}

void write_size(Json& json, std::string_view key, const driver::Dim3& size) {
  json.key(key).begin_array().value(size.x).value(size.y).value(size.z).end_array();
}

}  // namespace

void write_diagnostics(Json& json, const lang::Compilation& compilation) {
  for (const lang::Diagnostic& d : compilation.diagnostics) write(json, d, *compilation.sources);
}

void write(Json& json, const Failure& failure) {
  json.begin_object();
  json.member("kind", to_string(failure.error.kind()));
  json.member("message", failure.error.message()).member("hint", failure.error.hint());
  json.member("kernel", failure.kernel);
  json.key("diagnostics").begin_array();
  if (failure.compilation != nullptr) write_diagnostics(json, *failure.compilation);
  for (const driver::Finding& f : failure.findings) write(json, f);
  json.end_array().end_object();
}

void write(Json& json, const ir::Function& kernel, uint32_t line) {
  json.begin_object();
  json.member("name", kernel.name).member("line", line);
  if (kernel.max_threads != 0) write_size(json, "block", {kernel.max_threads, 1, 1});
  json.key("parameters").begin_array();
  for (const ir::Param* p : kernel.params) write_parameter(json, *p);
  json.end_array().end_object();
}

void write(Json& json, const driver::DeviceInfo& info) {
  const driver::FeatureSet software = target::software_features(info);
  json.begin_object();
  json.member("name", info.name).member("driver", info.driver).member("vendor", info.vendor);
  std::string description = info.api_version;
  for (const auto& [key, value] : info.details)
    description += (description.empty() ? "" : "; ") + key + ": " + value;
  json.member("description", description);
  json.key("limits").begin_object();
  json.member("blockThreads", info.limits.block_threads);
  json.member("blockX", info.limits.block.x)
      .member("blockY", info.limits.block.y)
      .member("blockZ", info.limits.block.z);
  json.member("gridX", info.limits.grid.x)
      .member("gridY", info.limits.grid.y)
      .member("gridZ", info.limits.grid.z);
  json.member("sharedBytes", info.limits.shared_bytes).member("bufferBytes", info.limits.buffer_bytes);
  json.member("argumentBytes", info.limits.argument_bytes).member("warpSize", info.limits.warp_size);
  json.end_object();
  json.key("features").begin_array();
  for (size_t i = 0; i < driver::kFeatureCount; ++i) {
    const auto feature = static_cast<driver::Feature>(i);
    const bool has = info.features.has(feature);
    json.begin_object().member("name", driver::name(feature)).member("supported", has);
    if (!has) json.member("reason", message::kFeatureMissing(driver::meaning(feature)).text);
    if (has && software.has(feature)) json.member("reason", message::kComputedInSoftware().text);
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace quern::web
