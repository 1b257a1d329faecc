#include "spirv/writer/builder.hpp"

#include <cstring>

#include "spirv/writer/seen_accesses.hpp"

namespace quern::spirv {

void Builder::use_cooperative_matrices() {
  for (const Capability c :
       {Capability::kCooperativeMatrix, Capability::kVulkanMemoryModel, Capability::kVulkanMemoryModelDevice})
    need(c);
  need_extension("SPV_KHR_cooperative_matrix");
  need_extension("SPV_KHR_vulkan_memory_model");
}

bool Builder::has_vulkan_memory() const {
  return capabilities_.count(static_cast<uint32_t>(Capability::kVulkanMemoryModel)) != 0;
}

Builder::Builder(const Environment& environment) : environment_(environment) {
  for (const Capability c : environment.capabilities) need(c);
}

Id Builder::made(Opcode code, const std::vector<uint32_t>& operands) {
  std::vector<uint32_t> key{static_cast<uint32_t>(code)};
  key.insert(key.end(), operands.begin(), operands.end());
  const auto [at, is_new] = known_.try_emplace(std::move(key), 0);
  if (is_new) {
    at->second = fresh();
    std::vector<uint32_t> all{at->second};
    all.insert(all.end(), operands.begin(), operands.end());
    globals_.add(code, all);
  }
  return at->second;
}

Id Builder::typed(Opcode code, Id type, const std::vector<uint32_t>& operands) {
  std::vector<uint32_t> key{static_cast<uint32_t>(code), type};
  key.insert(key.end(), operands.begin(), operands.end());
  const auto [at, is_new] = known_.try_emplace(std::move(key), 0);
  if (is_new) {
    at->second = fresh();
    std::vector<uint32_t> all{type, at->second};
    all.insert(all.end(), operands.begin(), operands.end());
    globals_.add(code, all);
  }
  return at->second;
}

Id Builder::int_type(uint32_t bits) {
  if (bits == 64) need(Capability::kInt64);
  return made(Opcode::kTypeInt, {bits, 0});
}

Id Builder::float_type(uint32_t bits) {
  if (bits == 64) need(Capability::kFloat64);
  return made(Opcode::kTypeFloat, {bits});
}

// Numbers that are used only as matrix elements.
Id Builder::bfloat_type() {
  constexpr uint32_t kBFloat16Encoding = 0;
  need(Capability::kBFloat16);
  need(Capability::kBFloat16Matrix);
  need_extension("SPV_KHR_bfloat16");
  return made(Opcode::kTypeFloat, {16, kBFloat16Encoding});
}

Id Builder::function_type(Id result, const std::vector<Id>& params) {
  std::vector<uint32_t> operands{result};
  operands.insert(operands.end(), params.begin(), params.end());
  return made(Opcode::kTypeFunction, operands);
}

Id Builder::struct_type(const std::vector<Id>& members) {
  std::vector<uint32_t> operands{fresh()};
  const Id id = operands[0];
  operands.insert(operands.end(), members.begin(), members.end());
  globals_.add(Opcode::kTypeStruct, operands);
  return id;
}

Id Builder::u64(uint64_t n) { return number(int_type(64), 64, n); }

Id Builder::number(Id type, uint32_t bits, uint64_t value) {
  if (bits == 64)
    return typed(Opcode::kConstant, type, {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)});
  return typed(Opcode::kConstant, type, {static_cast<uint32_t>(value)});
}

Id Builder::spec_u32(uint32_t spec_id, uint32_t value, std::string_view text) {
  const Id type = int_type(32), id = fresh();
  globals_.add(Opcode::kSpecConstant, {type, id, value});
  decorate(id, Decoration::kSpecId, {spec_id});
  name(id, text);
  return id;
}

Id Builder::spec_op(Id type, Opcode op, const std::vector<Id>& operands) {
  std::vector<uint32_t> all{static_cast<uint32_t>(op)};
  all.insert(all.end(), operands.begin(), operands.end());
  return typed(Opcode::kSpecConstantOp, type, all);
}

Id Builder::block_size() {
  if (block_size_[3] == 0) {
    constexpr std::string_view kNames[] = {"blockDim.x", "blockDim.y", "blockDim.z"};
    for (uint32_t d = 0; d < 3; ++d) block_size_[d] = spec_u32(d, 1, kNames[d]);
    const Id type = vector_type(int_type(32), 3), id = fresh();
    globals_.add(Opcode::kSpecConstantComposite, {type, id, block_size_[0], block_size_[1], block_size_[2]});
    decorate(id, Decoration::kBuiltIn, {static_cast<uint32_t>(BuiltIn::kWorkgroupSize)});
    block_size_[3] = id;
  }
  return block_size_[3];
}

Id Builder::block_size(uint32_t dimension) {
  block_size();
  return block_size_[dimension];
}

Id Builder::global_variable(StorageClass storage, Id type, std::string_view text, Id initial) {
  const Id pointer = pointer_type(storage, type), id = fresh();
  std::vector<uint32_t> operands{pointer, id, static_cast<uint32_t>(storage)};
  if (initial != 0) operands.push_back(initial);
  globals_.add(Opcode::kVariable, operands);
  if (!text.empty()) name(id, text);
  return id;
}

Id Builder::builtin(BuiltIn which, std::string_view text, uint32_t bits) {
  const auto [at, is_new] = builtins_.try_emplace(which, 0);
  if (is_new) {
    at->second = global_variable(StorageClass::kInput, vector_type(int_type(bits), 3), text);
    decorate(at->second, Decoration::kBuiltIn, {static_cast<uint32_t>(which)});
  }
  return at->second;
}

std::vector<Id> Builder::builtins() const {
  std::vector<Id> out;
  for (const auto& [which, id] : builtins_) out.push_back(id);
  return out;
}

Id Builder::functions() {
  if (set_ == 0) {
    set_ = fresh();
    imports_.add(Opcode::kExtInstImport, {set_}, environment_.functions);
  }
  return set_;
}

Id Builder::file(const std::string& path) {
  const auto [at, is_new] = files_.try_emplace(path, 0);
  if (is_new) {
    at->second = fresh();
    strings_.add(Opcode::kString, {at->second}, path);
  }
  return at->second;
}

void Builder::decorate(Id id, Decoration what, std::initializer_list<uint32_t> operands) {
  std::vector<uint32_t> all{id, static_cast<uint32_t>(what)};
  all.insert(all.end(), operands);
  decorations_.add(Opcode::kDecorate, all);
}

void Builder::decorate_member(Id id, uint32_t member, Decoration what,
                              std::initializer_list<uint32_t> operands) {
  std::vector<uint32_t> all{id, member, static_cast<uint32_t>(what)};
  all.insert(all.end(), operands);
  decorations_.add(Opcode::kMemberDecorate, all);
}

void Builder::add_entry(Id function, const std::string& text, const std::vector<Id>& interface) {
  entries_.add(Opcode::kEntryPoint, {to_word(environment_.execution_model), function}, text, interface);
}

void Builder::add_mode(Id function, std::initializer_list<uint32_t> mode) {
  std::vector<uint32_t> all{function};
  all.insert(all.end(), mode);
  modes_.add(Opcode::kExecutionMode, all);
}

std::string Builder::bytes() const {
  Words all;
  for (const uint32_t c : capabilities_) all.add(Opcode::kCapability, {c});
  for (const std::string& e : extensions_) all.add(Opcode::kExtension, {}, e);
  all.append(imports_);
  const bool has_addresses = capabilities_.count(static_cast<uint32_t>(Capability::kPhysicalAddresses)) != 0;
  all.add(Opcode::kMemoryModel,
          {to_word(has_addresses ? AddressingModel::kPhysicalStorageBuffer64 : environment_.addressing),
           to_word(has_vulkan_memory() ? MemoryModel::kVulkan : environment_.memory_model)});
  for (const Words* section : {&entries_, &modes_, &strings_, &names_, &decorations_, &globals_})
    all.append(*section);
  all.append(has_vulkan_memory() ? with_seen_accesses(globals_, functions_) : functions_);
  const uint32_t header[] = {kMagic, environment_.version, 0, next_, 0};
  std::string out(sizeof header + all.all().size() * 4, '\0');
  std::memcpy(out.data(), header, sizeof header);
  std::memcpy(out.data() + sizeof header, all.all().data(), all.all().size() * 4);
  return out;
}

}  // namespace quern::spirv
