#include "driver/sim/spirv_code.hpp"

#include <cstring>

#include "base/text.hpp"
#include "driver/sim/messages.hpp"
#include "lang/ir/float_bits.hpp"
#include "target/describe.hpp"

namespace quern::sim {

using base::Error;
using base::ErrorKind;

namespace {

std::optional<uint64_t> parse_bits(const std::string& text, const ir::Type* type) {
  if (type->is_bool() && (text == "true" || text == "false")) return text == "true" ? 1 : 0;
  if (type->is_float()) {
    const auto real = base::parse_double(text);
    return real ? std::optional(ir::float_to_bits(type->kind, *real)) : std::nullopt;
  }
  if (const auto number = base::parse_uint(text)) return *number;
  const auto integer = base::parse_int(text);
  return integer ? std::optional(static_cast<uint64_t>(*integer)) : std::nullopt;
}

base::Result<spirv::Specialization> specialization(const std::pair<std::string, std::string>& define,
                                                   const std::vector<spirv::SpecConstant>& constants) {
  const auto& [name, value] = define;
  std::vector<std::string> names;
  for (const spirv::SpecConstant& c : constants) {
    names.push_back(c.name.empty() ? std::to_string(c.id) : c.name);
    if (c.name != name && std::to_string(c.id) != name) continue;
    const std::optional<uint64_t> bits = parse_bits(value, c.type);
    if (bits.has_value()) return spirv::Specialization{c.id, *bits};
    return Error(ErrorKind::invalid_use, message::kSpecialization(name, to_string(c.type), value));
  }
  if (names.empty()) return Error(ErrorKind::invalid_use, message::kNoSpecialization(name));
  return Error(ErrorKind::invalid_use, message::kUnknownSpecialization(name, base::join(names, ", ")));
}

driver::KernelInfo describe(const ir::Module& module, const spirv::Entry& entry) {
  driver::KernelInfo info = target::describe(module, *module.find_function(entry.name));
  info.entry = entry.name;
  info.params.resize(entry.resources.size());  // without those for sizes
  for (const spirv::Resource& r : entry.resources) {
    driver::ParamInfo& p = info.params[r.param];
    p.is_written = r.is_written;
    if (p.is_pointer && r.element == nullptr) p.element_bytes = 0;
  }
  if (entry.local_size.has_value())
    info.block = driver::Dim3{entry.local_size->x, entry.local_size->y, entry.local_size->z};
  return info;
}

}  // namespace

base::Result<void> understand(driver::Code& code, std::vector<spirv::Entry>& entries) {
  spirv::Options options;
  options.name = code.name;
  QUERN_TRY_ASSIGN(spirv::Program program, spirv::read(code.bytes, options));
  for (const auto& define : code.defines) {
    QUERN_TRY_ASSIGN(const spirv::Specialization s, specialization(define, program.spec_constants));
    options.specializations.push_back(s);
  }
  if (!options.specializations.empty()) {
    QUERN_TRY_ASSIGN(program, spirv::read(code.bytes, options));
  }
  entries = std::move(program.entries);
  const auto module = std::make_shared<const ir::Module>(std::move(program.module));
  code.kernels.clear();
  for (const spirv::Entry& e : entries) code.kernels.push_back(describe(*module, e));
  code.module = module;
  return {};
}

base::Result<void> bind_arguments(const spirv::Entry& entry, std::span<const driver::Argument> arguments,
                                  LaunchConfig& config) {
  std::vector<Binding> bindings(arguments.size());
  for (size_t k = 0; k < arguments.size() && k < entry.resources.size(); ++k) {
    const driver::Argument& a = arguments[k];
    Binding& b = bindings[k];
    if (a.value == nullptr) {
      if (a.place.buffer == nullptr) continue;
      b.address = a.place.buffer->address + a.place.offset;
      b.bytes = a.place.buffer->bytes - a.place.offset;
    } else if (entry.resources[k].kind == spirv::ResourceKind::kWorkgroupMemory) {
      std::memcpy(&b.bytes, a.value, std::min<size_t>(a.bytes, sizeof(b.bytes)));
    } else {
      const auto* bytes = static_cast<const std::byte*>(a.value);
      b.value.assign(bytes, bytes + a.bytes);
    }
  }
  return bind_resources(entry, bindings, config);
}

}  // namespace quern::sim
