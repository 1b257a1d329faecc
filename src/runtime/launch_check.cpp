#include "runtime/launch_check.hpp"

#include <cstring>

#include "base/text.hpp"
#include "lang/ir/float_bits.hpp"
#include "runtime/messages.hpp"

namespace quern::runtime {

namespace {

using base::Error;
using base::ErrorKind;
using base::Result;
using driver::Dim3;
using driver::ParamInfo;
using ir::TypeKind;

bool is_signed(TypeKind t) {
  return t == TypeKind::kI8 || t == TypeKind::kI16 || t == TypeKind::kI32 || t == TypeKind::kI64;
}

const char* article(std::string_view type) {
  const bool is_spoken_as_vowel = type.starts_with("int") || type.starts_with("unsigned");
  return is_spoken_as_vowel ? "an" : "a";
}

// Whether the integer fits a type of this size. C++ code often passes negative numbers to unsigned parameters
// for their bits, so only values that would lose bits are rejected.
bool fits(const HostValue& a, const ParamInfo& p) {
  if (p.bytes >= 8) return true;
  const uint32_t bits = p.bytes * 8;
  if (a.kind == ArgumentKind::integer && a.integer < 0) return a.integer >= -(int64_t{1} << (bits - 1));
  return a.unsigned_integer <= (uint64_t{1} << (is_signed(p.type) ? bits - 1 : bits)) - 1;
}

// Whether the buffer's element type is compatible with the parameter's. As in C++, integers are not floats;
// the signedness of integers is ignored. Elements of 2 bytes may hold half-precision floats, and integers may
// hold vectors and structs of their size: hosts have no such types.
bool is_compatible(const HostValue& a, const ParamInfo& p) {
  if (a.element == ElementKind::real) return !is_integer(p.element) && p.element != TypeKind::kBool;
  return a.element == ElementKind::other || !is_float(p.element) || p.element_bytes == 2;
}

// A buffer of bytes may hold structs of any size.
bool holds_structs(const HostValue& a, const ParamInfo& p) {
  return a.element == ElementKind::bytes && !is_number(p.element);
}

double real_value(const HostValue& a) {
  if (a.kind == ArgumentKind::real) return a.real;
  return a.kind == ArgumentKind::integer ? static_cast<double>(a.integer)
                                         : static_cast<double>(a.unsigned_integer);
}

uint64_t bits_of(TypeKind type, double value) {
  uint64_t bits = 0;
  if (type == TypeKind::kF64) {
    std::memcpy(&bits, &value, 8);
  } else if (type == TypeKind::kF32) {
    const auto narrow = static_cast<float>(value);
    std::memcpy(&bits, &narrow, 4);
  } else {
    bits = type == TypeKind::kF16 ? ir::f64_to_f16(value) : ir::f64_to_bf16(value);
  }
  return bits;
}

Result<uint64_t> convert(const driver::KernelInfo& kernel, size_t index, const HostValue& given) {
  const ParamInfo& p = kernel.params[index];
  if (is_float(p.type)) return bits_of(p.type, real_value(given));
  if (p.type == TypeKind::kBool)
    return uint64_t{given.kind == ArgumentKind::real ? given.real != 0 : given.unsigned_integer != 0};
  if (!is_integer(p.type)) return argument_mismatch(kernel, index, spell(given));
  if (given.kind == ArgumentKind::real)
    return argument_mismatch(kernel, index, spell(given), message::kIntegerRequired());
  if (!fits(given, p)) return argument_mismatch(kernel, index, spell(given), message::kValueDoesNotFit());
  return given.unsigned_integer;  // little-endian: the low bytes
}

}  // namespace

std::string label(const driver::DeviceInfo& device) { return device.name + " (" + device.driver + ")"; }

std::string spell(const Dim3& size) { return base::format("(%u,%u,%u)", size.x, size.y, size.z); }

std::string spell(const HostValue& a) {
  switch (a.kind) {
    case ArgumentKind::integer: return std::to_string(a.integer);
    case ArgumentKind::unsigned_integer: return std::to_string(a.unsigned_integer);
    case ArgumentKind::real: return base::format("%.9g", a.real);
    case ArgumentKind::boolean: return a.unsigned_integer != 0 ? "true" : "false";
    case ArgumentKind::bytes: return "a value of " + base::format_plural(a.size, "byte");
    case ArgumentKind::memory: return a.type != nullptr ? "a buffer of " + std::string(a.type) : "a buffer";
    case ArgumentKind::null: return "nullptr";
    case ArgumentKind::texture: return "a texture";
    case ArgumentKind::surface: return "a surface";
    case ArgumentKind::tensor_map: return "a tensor map";
  }
  return "?";
}

bool is_number(TypeKind type) { return is_integer(type) || is_float(type) || type == TypeKind::kBool; }

Error argument_mismatch(const driver::KernelInfo& kernel, size_t index, const std::string& given,
                        const base::MessageText& why) {
  const ParamInfo& p = kernel.params[index];
  return Error(
      ErrorKind::invalid_use,
      message::kArgumentMismatch(kernel.name, std::to_string(index + 1), given, p.name, article(p.spelling),
                                 p.spelling, why.text.empty() ? std::string() : "; " + why.text));
}

Result<> check_argument_count(const driver::KernelInfo& kernel, size_t given, size_t hidden) {
  if (given != kernel.params.size()) {
    return Error(ErrorKind::invalid_use,
                 message::kArgumentCount(kernel.name, base::format_plural(kernel.params.size(), "argument"),
                                         std::to_string(given)));
  }
  if (given + hidden > kMaxArguments) {
    return Error(ErrorKind::unsupported, message::kTooManyArguments(kernel.name, std::to_string(given),
                                                                    std::to_string(kMaxArguments)));
  }
  return {};
}

Result<> check_elements(const driver::KernelInfo& kernel, size_t index, const HostValue& given) {
  const ParamInfo& p = kernel.params[index];
  if (given.size == 0 || p.element_bytes == 0 || holds_structs(given, p)) return {};
  if (given.size != p.element_bytes) {
    return argument_mismatch(
        kernel, index, spell(given),
        message::kElementBytes(std::to_string(p.element_bytes), std::to_string(given.size)));
  }
  if (!is_compatible(given, p))
    return argument_mismatch(kernel, index, spell(given)).add_hint(message::kElementType().text);
  return {};
}

Result<> bind_value(const driver::KernelInfo& kernel, size_t index, const HostValue& given,
                    driver::Argument& to, uint64_t& number) {
  const ParamInfo& p = kernel.params[index];
  to.bytes = p.bytes;
  if (p.object != driver::ParamObject::kNone) return argument_mismatch(kernel, index, spell(given));
  if (given.kind == ArgumentKind::bytes) {
    if (given.size != p.bytes)
      return argument_mismatch(kernel, index, spell(given),
                               message::kParameterBytes(base::format_plural(p.bytes, "byte")));
    to.value = given.bytes;
    return {};
  }
  if (given.kind >= ArgumentKind::memory) return argument_mismatch(kernel, index, spell(given));
  QUERN_TRY_ASSIGN(number, convert(kernel, index, given));
  to.value = &number;
  return {};
}

Result<> check_pointer_in_struct(const driver::KernelInfo& kernel, const driver::DeviceInfo& device,
                                 const ParamInfo& field, std::span<const driver::Argument> bound) {
  uint64_t pointer = 0;
  std::memcpy(&pointer, static_cast<const std::byte*>(bound[field.of].value) + field.at, sizeof pointer);
  if (pointer == 0) return {};
  return Error(ErrorKind::unsupported, message::kPointerInArgument(kernel.name, std::to_string(field.of + 1),
                                                                   field.name, label(device)));
}

Result<> check_launch_size(const LaunchLimits& of, const driver::Launch& launch) {
  const driver::Limits& limits = of.device.limits;
  const auto wrong = [&](const base::MessageText& what) {
    return Error(ErrorKind::invalid_use, message::kLaunchFailed(of.kernel.name, what.str()));
  };
  const Dim3 &g = launch.grid, &b = launch.block;
  if (g.count() == 0) return wrong(message::kAtLeastOne("grid", spell(g)));
  if (b.count() == 0) return wrong(message::kAtLeastOne("block", spell(b)));
  if (g.x > limits.grid.x || g.y > limits.grid.y || g.z > limits.grid.z)
    return wrong(message::kGridTooLarge(spell(g), label(of.device), spell(limits.grid)));
  if (b.x > limits.block.x || b.y > limits.block.y || b.z > limits.block.z ||
      b.count() > limits.block_threads)
    return wrong(message::kBlockTooLarge(spell(b), label(of.device), spell(limits.block),
                                         std::to_string(limits.block_threads)));
  if (of.kernel.block && *of.kernel.block != b)
    return wrong(message::kCompiledBlockSize(spell(b), spell(*of.kernel.block)));
  if (b.count() > of.max_threads) {
    const base::MessageText why = of.kernel.max_threads != 0 ? message::kLaunchBoundsAllow()
                                  : of.registers != 0 ? message::kRegistersAllow(std::to_string(of.registers))
                                                      : message::kResourcesAllow();
    return wrong(
        message::kTooManyThreads(std::to_string(b.count()), why.text, std::to_string(of.max_threads)));
  }
  const uint64_t shared = of.kernel.shared_bytes;
  if (launch.shared_bytes > limits.shared_bytes || shared > limits.shared_bytes - launch.shared_bytes)
    return wrong(message::kTooMuchSharedMemory(base::format_bytes(launch.shared_bytes),
                                               base::format_bytes(shared), label(of.device),
                                               base::format_bytes(limits.shared_bytes)));
  return {};
}

}  // namespace quern::runtime
