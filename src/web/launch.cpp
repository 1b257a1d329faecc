#include "web/launch.hpp"

#include <cmath>
#include <cstring>

#include "base/text.hpp"
#include "lang/ir/float_bits.hpp"
#include "runtime/messages.hpp"

namespace quern::web {

namespace {

using base::Error;
using base::ErrorKind;
using base::JsonValue;
using driver::Dim3;
using driver::ParamInfo;
using ir::TypeKind;
namespace message = runtime::message;

constexpr size_t kMaxArguments = 128;

bool is_integer(TypeKind t) { return t >= TypeKind::kI8 && t <= TypeKind::kU64; }
bool is_float(TypeKind t) { return t >= TypeKind::kF16 && t <= TypeKind::kF64; }
bool is_signed(TypeKind t) {
  return t == TypeKind::kI8 || t == TypeKind::kI16 || t == TypeKind::kI32 || t == TypeKind::kI64;
}

std::string spell(const Dim3& d) { return base::format("(%u,%u,%u)", d.x, d.y, d.z); }

std::string spell(const JsonValue& given) {
  if (given.kind == JsonValue::Kind::kNull) return "null";
  if (given.find("value") != nullptr) return given.text_of("value");
  if (given.find("buffer") != nullptr) return "a buffer";
  return "a value of " + base::format_plural(given.uint_of("bytes"), "byte");
}

Error mismatch(const Kernel& kernel, size_t index, const std::string& given,
               const base::MessageText& why = {}) {
  const ParamInfo& p = kernel.info.params[index];
  const bool has_vowel = p.spelling.starts_with("int") || p.spelling.starts_with("unsigned");
  return {ErrorKind::invalid_use,
          message::kArgumentMismatch(kernel.info.name, std::to_string(index + 1), given, p.name,
                                     has_vowel ? "an" : "a", p.spelling,
                                     why.text.empty() ? std::string() : "; " + why.text)};
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

}  // namespace

Result<std::span<const driver::Argument>> Arguments::bind(const JsonValue& list) {
  const auto& params = kernel_.info.params;
  if (list.items.size() != params.size()) {
    return Error(ErrorKind::invalid_use,
                 message::kArgumentCount(kernel_.info.name, base::format_plural(params.size(), "argument"),
                                         std::to_string(list.items.size())));
  }
  const size_t count = params.size() + kernel_.hidden.size();
  if (count > kMaxArguments) {
    return Error(ErrorKind::unsupported,
                 message::kTooManyArguments(kernel_.info.name, std::to_string(params.size()),
                                            std::to_string(kMaxArguments)));
  }
  arguments_.resize(count);
  numbers_.resize(count);
  for (size_t i = 0; i < params.size(); ++i) QUERN_TRY(bind_one(i, list.items[i]));
  QUERN_TRY(bind_hidden());
  return std::span<const driver::Argument>(arguments_);
}

Result<> Arguments::bind_one(size_t index, const JsonValue& given) {
  const ParamInfo& p = kernel_.info.params[index];
  if (p.is_pointer) return bind_pointer(index, given);
  if (given.find("value") != nullptr) return bind_number(index, given.text_of("value"));
  if (given.find("data") == nullptr) return mismatch(kernel_, index, spell(given));
  if (given.uint_of("bytes") != p.bytes)
    return mismatch(kernel_, index, spell(given),
                    message::kParameterBytes(base::format_plural(p.bytes, "byte")));
  arguments_[index].value = reinterpret_cast<const void*>(static_cast<uintptr_t>(given.uint_of("data")));
  arguments_[index].bytes = p.bytes;
  return {};
}

Result<> Arguments::bind_pointer(size_t index, const JsonValue& given) {
  if (given.kind == JsonValue::Kind::kNull) return {};
  const auto found = buffers_.find(static_cast<uint32_t>(given.uint_of("buffer")));
  if (found == buffers_.end()) return mismatch(kernel_, index, spell(given));
  if (found->second.device != kernel_.device)
    return mismatch(kernel_, index, spell(given), message::kBufferOfOtherDevice("another device"));
  const ParamInfo& p = kernel_.info.params[index];
  const uint64_t size = given.uint_of("element");
  const bool is_number = is_integer(p.element) || is_float(p.element) || p.element == TypeKind::kBool;
  if (is_number && size > 1 && size != p.element_bytes) {
    return mismatch(kernel_, index, spell(given),
                    message::kElementBytes(std::to_string(p.element_bytes), std::to_string(size)))
        .add_hint(message::kElementType().text);
  }
  const bool holds_reals = given.text_of("elements") == "real",
             holds_integers = given.text_of("elements") == "integer";
  if ((holds_reals && is_integer(p.element)) ||
      (holds_integers && is_float(p.element) && p.element_bytes > 2))
    return mismatch(kernel_, index, spell(given)).add_hint(message::kElementType().text);
  arguments_[index].place = {found->second.native.get(), given.uint_of("offset")};
  return {};
}

Result<> Arguments::bind_number(size_t index, const std::string& text) {
  const ParamInfo& p = kernel_.info.params[index];
  uint64_t& to = numbers_[index];
  if (is_float(p.type)) {
    const auto value = base::parse_double(text);
    if (!value) return mismatch(kernel_, index, text);
    to = bits_of(p.type, *value);
  } else if (p.type == TypeKind::kBool) {
    to = text == "0" || text == "false" ? 0 : 1;
  } else if (!is_integer(p.type)) {
    return mismatch(kernel_, index, text);
  } else {
    const std::string digits = text == "true" ? "1" : text == "false" ? "0" : text;
    const auto negative = digits.starts_with('-') ? base::parse_int(digits) : std::nullopt;
    const auto positive = base::parse_uint(digits);
    if (!negative && !positive) return mismatch(kernel_, index, text, message::kIntegerRequired());
    const uint32_t bits = p.bytes * 8;
    const bool fits = negative
                          ? bits == 64 || *negative >= -(int64_t{1} << (bits - 1))
                          : bits == 64 || *positive < uint64_t{1} << (is_signed(p.type) ? bits - 1 : bits);
    if (!fits) return mismatch(kernel_, index, text, message::kValueDoesNotFit());
    to = negative ? static_cast<uint64_t>(*negative) : *positive;
  }
  arguments_[index].value = &to;
  arguments_[index].bytes = p.bytes;
  return {};
}

// Pointers inside of structs, which must be null on devices without addresses.
Result<> Arguments::bind_hidden() {
  for (const ParamInfo& p : kernel_.hidden) {
    if (p.role != driver::ParamRole::kField) continue;
    uint64_t pointer = 0;
    std::memcpy(&pointer, static_cast<const std::byte*>(arguments_[p.of].value) + p.at, sizeof pointer);
    if (pointer != 0) {
      return Error(
          ErrorKind::unsupported,
          message::kPointerInArgument(kernel_.info.name, std::to_string(p.of + 1), p.name, device_.name));
    }
  }
  return {};
}

Result<> check_sizes(const Kernel& kernel, const driver::Launch& launch, const driver::DeviceInfo& device) {
  const driver::Limits& limits = device.limits;
  const auto wrong = [&](const base::MessageText& what) {
    return Error(ErrorKind::invalid_use, message::kLaunchFailed(kernel.info.name, what.str()));
  };
  const Dim3 &g = launch.grid, &b = launch.block;
  if (g.count() == 0) return wrong(message::kAtLeastOne("grid", spell(g)));
  if (b.count() == 0) return wrong(message::kAtLeastOne("block", spell(b)));
  if (g.x > limits.grid.x || g.y > limits.grid.y || g.z > limits.grid.z)
    return wrong(message::kGridTooLarge(spell(g), device.name, spell(limits.grid)));
  if (b.x > limits.block.x || b.y > limits.block.y || b.z > limits.block.z ||
      b.count() > limits.block_threads)
    return wrong(message::kBlockTooLarge(spell(b), device.name, spell(limits.block),
                                         std::to_string(limits.block_threads)));
  if (kernel.info.block && *kernel.info.block != b)
    return wrong(message::kCompiledBlockSize(spell(b), spell(*kernel.info.block)));
  if (b.count() > kernel.max_threads) {
    const base::MessageText why =
        kernel.info.max_threads != 0 ? message::kLaunchBoundsAllow() : message::kResourcesAllow();
    return wrong(
        message::kTooManyThreads(std::to_string(b.count()), why.text, std::to_string(kernel.max_threads)));
  }
  const uint64_t shared = kernel.info.shared_bytes;
  if (launch.shared_bytes > limits.shared_bytes || shared > limits.shared_bytes - launch.shared_bytes)
    return wrong(message::kTooMuchSharedMemory(base::format_bytes(launch.shared_bytes),
                                               base::format_bytes(shared), device.name,
                                               base::format_bytes(limits.shared_bytes)));
  return {};
}

}  // namespace quern::web
