#include "driver/sim/spirv_emitted.hpp"

#include <algorithm>
#include <cstring>

#include "driver/interface/arguments.hpp"
#include "driver/sim/messages.hpp"

namespace quern::sim {

using base::Error;
using base::ErrorKind;
using driver::Feature;

namespace {

constexpr uint32_t kReportWords = 1 << 16;
constexpr std::array<uint64_t, 4> kAnyShape = {1, 1, 1, 4};

template <typename T>
std::vector<std::byte> bytes_of(const T& value) {
  const auto* at = reinterpret_cast<const std::byte*>(&value);
  return {at, at + sizeof value};
}

// Frees the memory of one launch.
class Freed {
 public:
  Freed(sim::Device& device, Address address) : device_(device), address_(address) {}
  ~Freed() {
    if (address_ != 0) (void)device_.free(address_);
  }
  Freed(const Freed&) = delete;
  Freed& operator=(const Freed&) = delete;

 private:
  sim::Device& device_;
  Address address_;
};

}  // namespace

base::Result<std::unique_ptr<Emitted>> Emitted::load(sim::Device& device, const driver::Code& code) {
  std::unique_ptr<Emitted> made(new Emitted(device, code));
  QUERN_TRY(made->create_variables());
  QUERN_TRY(made->special(kAnyShape));  // so that an unsupported module fails here
  return made;
}

Emitted::~Emitted() {
  for (const uint64_t address : variables_) (void)device_.free(address);
}

base::Result<Address> Emitted::make_buffer(std::span<const std::byte> bytes) {
  QUERN_TRY_ASSIGN(const Address address, device_.allocate(bytes.size()));
  QUERN_TRY(device_.upload(address, bytes));
  return address;
}

base::Result<void> Emitted::create_variables() {
  for (const driver::VariableInfo& v : code_.variables) {
    QUERN_TRY_ASSIGN(variables_.emplace_back(), device_.allocate(v.bytes));
  }
  for (size_t i = 0; i < variables_.size(); ++i) {
    const std::vector<uint8_t> bytes =
        driver::initial_value(code_.variables[i], [&](uint32_t other) { return variables_[other]; });
    QUERN_TRY(device_.upload(variables_[i], std::as_bytes(std::span(bytes))));
  }
  return {};
}

std::optional<sim::Variable> Emitted::variable(std::string_view name) const {
  for (size_t i = 0; i < variables_.size(); ++i) {
    const driver::VariableInfo& v = code_.variables[i];
    if (v.name == name) return sim::Variable{v.name, variables_[i], v.bytes, nullptr, v.is_constant};
  }
  return std::nullopt;
}

base::Result<Emitted::Special*> Emitted::special(const Shape& shape) {
  const auto known = specials_.find(shape);
  if (known != specials_.end()) return &known->second;
  spirv::Options options;
  options.name = code_.name;
  for (uint32_t id = 0; id < 4; ++id) options.specializations.push_back({id, shape[id]});
  QUERN_TRY_ASSIGN(spirv::Program program, spirv::read(code_.bytes, options));
  Special made;
  made.entries = std::move(program.entries);
  made.module = std::make_shared<const ir::Module>(std::move(program.module));
  QUERN_TRY_ASSIGN(made.program, device_.load(made.module));
  return &(specials_[shape] = std::move(made));
}

// In the order of target/target.hpp.
std::vector<Binding> Emitted::parameters(const driver::KernelInfo& kernel,
                                         std::span<const driver::Argument> arguments, uint64_t dynamic_bytes,
                                         Address report) const {
  std::vector<Binding> out;
  const auto add_address = [&](Address address) { out.emplace_back().address = address; };
  for (size_t k = 0; k < arguments.size(); ++k) {
    const driver::Argument& a = arguments[k];
    if (kernel.params[k].is_pointer) {
      add_address(a.place.buffer != nullptr ? a.place.buffer->address + a.place.offset : 0);
    } else {
      const auto* bytes = static_cast<const std::byte*>(a.value);
      out.emplace_back().value.assign(bytes, bytes + a.bytes);
    }
  }
  for (const uint64_t address : variables_) add_address(address);
  if (kernel.needs.has(Feature::dynamic_shared)) {
    out.emplace_back().bytes = std::max<uint64_t>(dynamic_bytes, 16);
    out.emplace_back().value = bytes_of(static_cast<uint32_t>(dynamic_bytes));
  }
  if (report != 0) add_address(report);
  return out;
}

base::Result<Address> Emitted::make_report() {
  QUERN_TRY_ASSIGN(const Address address, device_.allocate(uint64_t{4} * kReportWords));
  uint32_t header[driver::kReportHeader];
  driver::start_report(header, kReportWords);
  QUERN_TRY(device_.upload(address, std::as_bytes(std::span<const uint32_t>(header))));
  return address;
}

base::Result<Emitted::Outcome> Emitted::launch(const driver::KernelInfo& kernel,
                                               std::span<const driver::Argument> arguments,
                                               LaunchConfig config) {
  const bool is_kernel_model = code_.kind == driver::CodeKind::kSpirvKernel;
  const Shape shape = {config.block.x, config.block.y, config.block.z, config.dynamic_shared_bytes};
  QUERN_TRY_ASSIGN(Special* const s, special(is_kernel_model ? kAnyShape : shape));
  const auto entry = std::find_if(s->entries.begin(), s->entries.end(),
                                  [&](const spirv::Entry& e) { return e.name == kernel.entry; });
  if (entry == s->entries.end()) return Error(ErrorKind::not_found, message::kUnknownEntry(kernel.entry));

  Address report = 0;
  const bool reports = kernel.needs.has(Feature::print) || kernel.needs.has(Feature::assert);
  if (reports) {
    QUERN_TRY_ASSIGN(report, make_report());
  }
  const Freed free_report(device_, report);
  std::vector<std::byte> block;
  if (!is_kernel_model) {
    std::vector<uint64_t> hidden = variables_;
    if (reports) hidden.push_back(report);
    block.resize(kernel.block_bytes);
    driver::pack_addresses(
        kernel, arguments,
        [](driver::Place p) { return p.buffer != nullptr ? p.buffer->address + p.offset : 0; }, hidden,
        block);
  }
  Address outside = 0;
  if (kernel.block_by_address) {
    QUERN_TRY_ASSIGN(outside, make_buffer(block));
    block.resize(sizeof outside);
    std::memcpy(block.data(), &outside, sizeof outside);
  }
  const Freed free_block(device_, outside);

  std::vector<Binding> bindings(entry->resources.size());
  if (is_kernel_model) bindings = parameters(kernel, arguments, config.dynamic_shared_bytes, report);
  for (size_t k = 0; k < bindings.size() && !is_kernel_model; ++k) {
    block.resize(entry->resources[k].block->size);
    bindings[k].value = block;
  }
  QUERN_TRY(bind_resources(*entry, bindings, config));
  if (!is_kernel_model) config.dynamic_shared_bytes = 0;  // it is part of the module now
  Outcome out;
  QUERN_TRY_ASSIGN(out.result, device_.launch(*s->program, kernel.entry, config));
  out.module = s->module;
  if (reports) {
    uint32_t header[driver::kReportHeader];
    QUERN_TRY(device_.download(report, std::as_writable_bytes(std::span<uint32_t>(header))));
    std::vector<uint32_t> words(std::min(header[1], kReportWords));
    QUERN_TRY(device_.download(report, std::as_writable_bytes(std::span<uint32_t>(words))));
    out.reported = driver::read_report(words, code_.sites);
  }
  return out;
}

}  // namespace quern::sim
