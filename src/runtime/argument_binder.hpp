// Binds the arguments of a launch to the parameters of the kernel.
#pragma once

#include <cstring>
#include <list>
#include <map>
#include <optional>

#include "runtime/messages.hpp"
#include "runtime/module.hpp"
#include "runtime/split_launch.hpp"
#include "runtime/stream.hpp"
#include "runtime/texture.hpp"

namespace quern::runtime {

// The arguments of one launch, in the form that drivers take.
class ArgumentBinder {
 public:
  ArgumentBinder(const Kernel& kernel, Device& device) : kernel_(kernel), device_(device) {}

  Result<> bind(size_t index, const HostArgument& given) {
    const driver::ParamInfo& p = kernel_.info().params[index];
    if (p.is_pointer) return bind_pointer(index, given);
    if (given.kind == ArgumentKind::tensor_map || p.object == driver::ParamObject::kTensorMap)
      return bind_tensor_map(index, given);
    if (p.object != driver::ParamObject::kNone) return bind_texture(index, given);
    return bind_value(kernel_.info(), index, given, arguments_[index], numbers_[index]);
  }

  // Of a launch from a kernel: a buffer with `room` bytes after the place, or the bytes of a value, which
  // must outlive the launch.
  void bind_place(size_t index, const driver::Place& place, uint64_t room) {
    arguments_[index].place = place;
    rooms_[index] = room;
  }
  void bind_bytes(size_t index, const std::byte* bytes) {
    arguments_[index].value = bytes;
    arguments_[index].bytes = kernel_.info().params[index].bytes;
  }

  // Hidden arguments for check mode, after the regular arguments are bound; and pointers inside structs,
  // which must be null on devices without addresses.
  Result<> bind_hidden(const driver::Place& checks, const SplitMemory& split) {
    size_t at = kernel_.info().params.size();
    for (const driver::ParamInfo& p : kernel_.hidden()) {
      driver::Argument& to = arguments_[at];
      if (p.role == driver::ParamRole::kChecks) {
        to.place = checks;
      } else if (p.role == driver::ParamRole::kResume) {
        to.place = split.resume->place(0);
      } else if (p.role == driver::ParamRole::kFrames) {
        to.place = split.frames->place(0);
      } else if (p.role == driver::ParamRole::kTexture) {
        QUERN_TRY(bind_reference(at, p));
      } else if (p.role == driver::ParamRole::kField && texels_.count(p.of) != 0) {
        to.place = texels_[p.of];
      } else if (p.role == driver::ParamRole::kField) {
        QUERN_TRY(check_pointer_in_struct(kernel_.info(), device_.info(), p, arguments_));
      } else {
        numbers_[at] = rooms_[p.of];
        to.value = &numbers_[at];
        to.bytes = p.bytes;
      }
      ++at;
    }
    return {};
  }

  uint64_t room(size_t index) const { return rooms_[index]; }
  std::span<const driver::Argument> arguments() const {
    return {arguments_, kernel_.info().params.size() + kernel_.hidden().size()};
  }

 private:
  // Of a buffer, texture, surface or tensor map.
  Result<> check_memory(size_t index, const HostArgument& given) const {
    const auto mismatch = [&](const base::MessageText& why) {
      return argument_mismatch(kernel_.info(), index, spell(given), why);
    };
    if (given.slice.memory == nullptr) return mismatch(message::kNoMemory("the buffer"));
    if (&given.slice.memory->device() != &device_)
      return mismatch(message::kBufferOfOtherDevice(given.slice.memory->device().label_beside(device_)));
    if (!given.slice.is_inside()) {
      return mismatch(message::kRangeOutside("the buffer", std::to_string(given.slice.memory->bytes()),
                                             std::to_string(given.slice.bytes),
                                             std::to_string(given.slice.offset)));
    }
    return {};
  }

  Result<> bind_pointer(size_t index, const HostArgument& given) {
    if (given.kind == ArgumentKind::null) return {};
    if (given.kind != ArgumentKind::memory) return argument_mismatch(kernel_.info(), index, spell(given));
    QUERN_TRY(check_memory(index, given));
    QUERN_TRY(check_elements(kernel_.info(), index, given));
    bind_place(index, given.slice.place(), given.slice.bytes);
    return {};
  }

  // Of raw kernels only the sizes of the parameters are known. The bytes may be those of a map that the
  // program encoded with CUDA.
  Result<> bind_tensor_map(size_t index, const HostArgument& given) {
    const driver::ParamInfo& p = kernel_.info().params[index];
    constexpr uint32_t kBytes = sizeof(driver::EncodedTensorMap);
    const bool is_map = given.kind == ArgumentKind::tensor_map;
    const bool takes_map =
        p.object == driver::ParamObject::kTensorMap || (kernel_.is_raw() && p.bytes == kBytes);
    const bool is_bytes = given.kind == ArgumentKind::bytes && given.size == kBytes;
    if (!takes_map || !(is_map || is_bytes)) return argument_mismatch(kernel_.info(), index, spell(given));
    if (is_map) QUERN_TRY(check_memory(index, given));
    arguments_[index].value = given.bytes;
    arguments_[index].bytes = kBytes;
    return {};
  }

  Result<> bind_texture(size_t index, const HostArgument& given) {
    const bool is_texture = kernel_.info().params[index].object == driver::ParamObject::kTexture;
    if (given.kind != (is_texture ? ArgumentKind::texture : ArgumentKind::surface))
      return argument_mismatch(kernel_.info(), index, spell(given));
    QUERN_TRY(check_memory(index, given));
    TextureDescriptor descriptor;
    std::memcpy(&descriptor, given.bytes, sizeof descriptor);
    set_texture(index, descriptor, given.slice.place());
    return {};
  }

  Result<> bind_reference(size_t index, const driver::ParamInfo& p) {
    const std::optional<BoundTexture> bound = kernel_.texture(p.name);
    if (!bound)
      return base::Error(base::ErrorKind::invalid_use,
                         message::kReferenceNotBound(kernel_.info().name, p.name));
    set_texture(index, bound->descriptor, bound->texels.place());
    return {};
  }

  // The descriptor with the address of the texels, if the device has addresses; otherwise bind_hidden binds
  // the memory.
  void set_texture(size_t index, const TextureDescriptor& given, const driver::Place& texels) {
    TextureDescriptor& descriptor = textures_.emplace_back(given);
    descriptor.address = texels.buffer->address != 0 ? texels.buffer->address + texels.offset : 0;
    texels_[index] = texels;
    arguments_[index].value = &descriptor;
    arguments_[index].bytes = sizeof descriptor;
  }

  const Kernel& kernel_;
  Device& device_;
  driver::Argument arguments_[kMaxArguments];
  uint64_t numbers_[kMaxArguments];
  uint64_t rooms_[kMaxArguments] = {};  // bytes of the memory of pointers
  std::list<TextureDescriptor> textures_;
  std::map<size_t, driver::Place> texels_;  // by parameter
};

}  // namespace quern::runtime
