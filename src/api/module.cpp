#include "quern/module.hpp"

#include "api/messages.hpp"
#include "api/state.hpp"
#include "base/text.hpp"

namespace quern {

namespace {

[[noreturn]] void raise_empty(const char* what) {
  detail::raise(base::Error(base::ErrorKind::invalid_use, detail::message::kEmptyObject(what)));
}

}  // namespace

const std::string& Kernel::name() const {
  if (state_ == nullptr) raise_empty("kernel");
  return state_->info().name;
}

std::vector<Parameter> Kernel::parameters() const {
  if (state_ == nullptr) raise_empty("kernel");
  std::vector<Parameter> out;
  for (const driver::ParamInfo& p : state_->info().params)
    out.push_back({p.name, p.spelling, p.is_pointer, p.is_pointer ? p.element_bytes : p.bytes});
  return out;
}

bool Kernel::writes(std::size_t parameter) const {
  if (state_ == nullptr) raise_empty("kernel");
  const auto& params = state_->info().params;
  return parameter < params.size() && params[parameter].is_pointer && params[parameter].is_written;
}

std::uint32_t Kernel::max_threads() const {
  if (state_ == nullptr) raise_empty("kernel");
  return state_->max_threads();
}

std::uint64_t Kernel::shared_bytes() const {
  if (state_ == nullptr) raise_empty("kernel");
  return state_->info().shared_bytes;
}

std::uint32_t Kernel::registers() const {
  if (state_ == nullptr) raise_empty("kernel");
  return state_->native().registers;
}

std::uint64_t Kernel::local_bytes() const {
  if (state_ == nullptr) raise_empty("kernel");
  return state_->native().local_bytes;
}

Occupancy Kernel::occupancy(std::uint32_t block_threads, std::uint64_t dynamic_shared_bytes) const {
  if (state_ == nullptr) raise_empty("kernel");
  const driver::Occupancy found =
      state_->device().native().occupancy(state_->native(), block_threads, dynamic_shared_bytes);
  return {found.max_blocks_per_unit, found.max_threads_per_unit, found.best_block};
}

std::vector<std::string> Module::kernels() const {
  if (state_ == nullptr) raise_empty("module");
  return state_->kernel_names();
}

Kernel Module::kernel(std::string_view name) const {
  if (state_ == nullptr) raise_empty("module");
  return Kernel(detail::unwrap(state_->kernel(name), &state_->device(), std::string(name)));
}

void Module::bind_texture(std::string_view reference, const Texture& texture) const {
  if (state_ == nullptr) raise_empty("module");
  runtime::Slice texels;
  if (texture.memory().memory != nullptr) texels = detail::range(texture.memory());
  detail::unwrap(state_->bind_texture(reference, texture.descriptor(), texels), &state_->device());
}

void Module::write_bytes(std::string_view variable, const void* from, std::size_t bytes,
                         std::size_t offset) const {
  if (state_ == nullptr) raise_empty("module");
  detail::unwrap(state_->write(variable, from, bytes, offset), &state_->device());
}

void Module::read_bytes(std::string_view variable, void* to, std::size_t bytes, std::size_t offset) const {
  if (state_ == nullptr) raise_empty("module");
  detail::unwrap(state_->read(variable, to, bytes, offset), &state_->device());
}

}  // namespace quern
