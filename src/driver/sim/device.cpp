#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "driver/sim/machine.hpp"
#include "driver/sim/memory.hpp"
#include "driver/sim/messages.hpp"
#include "driver/sim/sim.hpp"
#include "driver/sim/translate.hpp"
#include "driver/support/messages.hpp"

namespace quern::sim {

using base::Error;
using base::ErrorKind;
using base::format;

namespace {

constexpr uint64_t kMaxDynamicShared = uint64_t{1} << 24;
// The checks that change the bytecode; the others are evaluated at run time.
constexpr uint32_t kCodeChecks = kCheckUninitialized | kCheckOverflow | kCheckShifts;

Error wrong(base::MessageText message) { return Error(ErrorKind::invalid_use, std::move(message)); }

Result<> check_geometry(const ir::Function& kernel, const LaunchConfig& c) {
  const auto text = [](const Dim3& d) { return format("(%u,%u,%u)", d.x, d.y, d.z); };
  const char* name = kernel.name.c_str();
  if (c.grid.x == 0 || c.grid.y == 0 || c.grid.z == 0) {
    return wrong(message::kEmptyGrid(name, text(c.grid)));
  }
  if (c.block.x == 0 || c.block.y == 0 || c.block.z == 0) {
    return wrong(message::kEmptyBlock(name, text(c.block)));
  }
  if (c.grid.x > 0x7FFF'FFFF || c.grid.y > 65535 || c.grid.z > 65535) {
    return wrong(message::kLargeGrid(name, text(c.grid)));
  }
  const uint64_t threads = uint64_t{c.block.x} * c.block.y * c.block.z;
  if (c.block.x > kMaxBlockThreads || c.block.y > kMaxBlockThreads || c.block.z > 64 ||
      threads > kMaxBlockThreads) {
    return wrong(message::kLargeBlock(name, text(c.block), std::to_string(kMaxBlockThreads)));
  }
  if (kernel.max_threads != 0 && threads > kernel.max_threads) {
    return wrong(message::kLaunchBounds(name, std::to_string(threads), std::to_string(kernel.max_threads)));
  }
  const uint64_t blocks = uint64_t{c.grid.x} * c.grid.y * c.grid.z;  // below 2^63 because of the limits above
  const uint64_t rounded = std::max<uint64_t>(32, std::bit_ceil(threads));
  if (blocks > (uint64_t{1} << 32) / rounded) {
    return Error(ErrorKind::unsupported,
                 message::kTooManyThreads(name, std::to_string(blocks), std::to_string(threads)));
  }
  if (c.dynamic_shared_bytes > kMaxDynamicShared) {
    return wrong(message::kDynamicShared(name, base::format_bytes(c.dynamic_shared_bytes),
                                         base::format_bytes(kMaxDynamicShared)));
  }
  return {};
}

Result<> check_arguments(const ir::Function& kernel, const LaunchConfig& c) {
  if (c.args.size() != kernel.params.size()) {
    return wrong(message::kArgumentCount(kernel.name, base::format_plural(kernel.params.size(), "argument"),
                                         std::to_string(c.args.size())));
  }
  for (size_t i = 0; i < c.args.size(); ++i) {
    const ir::Param* p = kernel.params[i];
    if (c.args[i].bytes().size() == p->type->size) continue;
    const std::string type = p->spelling.empty() ? ir::to_string(p->type) : p->spelling;
    return wrong(message::kArgumentSize(std::to_string(i + 1), p->name, kernel.name, type,
                                        std::to_string(p->type->size),
                                        std::to_string(c.args[i].bytes().size())));
  }
  return {};
}

Error no_such_kernel(const ir::Module& module, std::string_view name) {
  std::vector<std::string> names;
  for (const ir::Function* f : module.functions) {
    if (f->is_kernel) names.push_back(f->name);
  }
  Error error(ErrorKind::not_found, driver::message::kUnknownKernel(name));
  if (const auto near = base::nearest(name, std::span<const std::string>(names))) {
    error.add_hint(driver::message::kDidYouMean(*near).text);
  }
  return error;
}

}  // namespace

struct Module::Entry {
  const ir::Function* kernel;
  uint32_t checks;
  std::unique_ptr<Code> code;
};

Device::Device(const DeviceOptions& options) : memory_(std::make_shared<Memory>(options.memory_limit)) {}
Device::~Device() = default;
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&&) noexcept = default;

Result<Address> Device::allocate(uint64_t bytes, BufferInfo info) {
  return memory_->allocate(bytes, std::move(info), false);
}
Result<> Device::free(Address address) { return memory_->free(address); }
Result<> Device::upload(Address to, std::span<const std::byte> from) { return memory_->upload(to, from); }
Result<> Device::download(Address from, std::span<std::byte> to) const { return memory_->download(from, to); }
Result<> Device::fill(Address to, uint8_t value, uint64_t bytes) { return memory_->fill(to, value, bytes); }
Result<> Device::copy(Address to, Address from, uint64_t bytes) { return memory_->copy(to, from, bytes); }
uint64_t Device::bytes_in_use() const { return memory_->in_use(); }

std::optional<BufferView> Device::find(Address address) const {
  const Place p = place_of(address);
  if (p.tag != Tag::kGlobal || p.object >= memory_->regions().size() || !memory_->allocation(p.object).live)
    return {};
  const Region& r = memory_->regions()[p.object];
  if (p.offset < 0 || static_cast<uint64_t>(p.offset) > r.size) return {};
  return BufferView{global_address(p.object, 0), r.size, memory_->allocation(p.object).label};
}

Result<std::shared_ptr<Module>> Device::load(std::shared_ptr<const ir::Module> module) {
  if (module == nullptr) return wrong(message::kNoModule());
  std::shared_ptr<Module> program(new Module(memory_, std::move(module)));
  QUERN_TRY(program->create_variables());
  return program;
}

Result<LaunchResult> Device::launch(Module& program, std::string_view kernel, const LaunchConfig& config) {
  if (program.memory_ != memory_) return wrong(message::kOtherDevice());
  const ir::Function* function = program.module().find_function(kernel);
  if (function == nullptr || !function->is_kernel) return no_such_kernel(program.module(), kernel);
  QUERN_TRY(check_geometry(*function, config));
  QUERN_TRY(check_arguments(*function, config));
  QUERN_TRY_ASSIGN(const Code* code, program.code_for(*function, config.options.checks));
  LaunchResult result;
  Machine machine(*code, *memory_, program.module(), config, result);
  QUERN_TRY(machine.run());
  return result;
}

Module::Module(std::shared_ptr<Memory> memory, std::shared_ptr<const ir::Module> module)
    : memory_(std::move(memory)), module_(std::move(module)) {}

Module::~Module() {
  for (Address a : variables_) {
    if (a != 0) memory_->release_variable(a);
  }
}

Result<> Module::create_variables() {
  for (const ir::Global* g : module_->globals) {
    variables_.push_back(0);
    if (g->space == ir::Space::kShared) continue;
    if (g->init.size() > g->object->size) return wrong(message::kSmallVariable(g->name));
    QUERN_TRY_ASSIGN(const Address address, memory_->allocate(g->object->size, {g->name, 0}, true));
    variables_.back() = address;
    memory_->set_variable(address, g->space == ir::Space::kConstant, g->align);
    QUERN_TRY(memory_->upload(address, std::as_bytes(std::span<const uint8_t>(g->init))));
  }
  for (size_t i = 0; i < variables_.size(); ++i) {
    for (const ir::Relocation& pointer : module_->globals[i]->pointers) {
      QUERN_TRY(store_pointer(variables_[i] + pointer.at, pointer));
    }
  }
  return {};
}

Result<> Module::store_pointer(Address at, const ir::Relocation& pointer) {
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (module_->globals[i] != pointer.target) continue;
    const Address target = variables_[i] + static_cast<uint64_t>(pointer.distance);
    return memory_->upload(at, std::as_bytes(std::span(&target, 1)));
  }
  return wrong(message::kForeignVariable());
}

std::vector<Variable> Module::variables() const {
  std::vector<Variable> all;
  for (size_t i = 0; i < variables_.size(); ++i) {
    const ir::Global* g = module_->globals[i];
    if (variables_[i] == 0 || g->is_literal) continue;
    all.push_back({g->name, variables_[i], g->object->size, g->object, g->space == ir::Space::kConstant});
  }
  return all;
}

std::optional<Variable> Module::variable(std::string_view name) const {
  for (const Variable& v : variables()) {
    if (v.name == name) return v;
  }
  return std::nullopt;
}

namespace {

Result<Address> place_in(const std::optional<Variable>& v, std::string_view name, uint64_t bytes,
                         uint64_t offset) {
  const std::string text(name);
  if (!v.has_value()) return Error(ErrorKind::not_found, driver::message::kUnknownVariable(text));
  if (offset > v->bytes || bytes > v->bytes - offset) {
    return wrong(message::kVariableRange(text, std::to_string(v->bytes), std::to_string(bytes),
                                         std::to_string(offset)));
  }
  return v->address + offset;
}

}  // namespace

Result<> Module::write(std::string_view name, std::span<const std::byte> from, uint64_t offset) {
  QUERN_TRY_ASSIGN(const Address at, place_in(variable(name), name, from.size(), offset));
  return memory_->upload(at, from);
}

Result<> Module::read(std::string_view name, std::span<std::byte> to, uint64_t offset) const {
  QUERN_TRY_ASSIGN(const Address at, place_in(variable(name), name, to.size(), offset));
  return memory_->download(at, to);
}

Result<const Code*> Module::code_for(const ir::Function& kernel, uint32_t checks) {
  checks &= kCodeChecks;
  for (const auto& e : codes_) {
    if (e->kernel == &kernel && e->checks == checks) return static_cast<const Code*>(e->code.get());
  }
  QUERN_TRY_ASSIGN(std::unique_ptr<Code> code, translate(*module_, kernel, variables_, checks));
  codes_.push_back(std::make_unique<Entry>(Entry{&kernel, checks, std::move(code)}));
  return static_cast<const Code*>(codes_.back()->code.get());
}

}  // namespace quern::sim
