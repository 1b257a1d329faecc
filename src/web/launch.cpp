#include "web/launch.hpp"

#include "base/text.hpp"
#include "runtime/messages.hpp"

namespace quern::web {

namespace {

using base::JsonValue;
using driver::ParamInfo;
using runtime::HostValue;

// A number as text, or "true" and "false".
std::optional<HostValue> number(const std::string& text) {
  HostValue value;
  if (text == "true" || text == "false") {
    value.kind = ArgumentKind::boolean;
    value.unsigned_integer = text == "true" ? 1 : 0;
  } else if (const auto positive = base::parse_uint(text)) {
    value.kind = ArgumentKind::unsigned_integer;
    value.unsigned_integer = *positive;
  } else if (const auto negative = base::parse_int(text)) {
    value.kind = ArgumentKind::integer;
    value.integer = *negative;
  } else if (const auto real = base::parse_double(text)) {
    value.kind = ArgumentKind::real;
    value.real = *real;
  } else {
    return std::nullopt;
  }
  return value;
}

// Typed arrays have elements of numbers only: a pointer to structs takes any of them, and a Uint8Array holds
// any type.
HostValue memory(const JsonValue& given, const ParamInfo& p) {
  const std::string elements = given.text_of("elements");
  HostValue value;
  value.kind = ArgumentKind::memory;
  value.element = elements == "real"      ? ElementKind::real
                  : elements == "integer" ? ElementKind::integer
                                          : ElementKind::bytes;
  if (value.element != ElementKind::bytes && runtime::is_number(p.element))
    value.size = given.uint_of("element");
  return value;
}

std::string spell(const JsonValue& given, const HostValue& value) {
  if (given.kind == JsonValue::Kind::kNull) return "null";
  return value.kind == ArgumentKind::null ? "'" + given.text_of("value") + "'" : runtime::spell(value);
}

// A text that is no number has the kind `null`.
HostValue value_of(const JsonValue& given, const ParamInfo& p) {
  HostValue value;
  if (given.find("value") != nullptr) return number(given.text_of("value")).value_or(value);
  if (given.find("buffer") != nullptr) return memory(given, p);
  if (given.find("data") == nullptr) return value;
  value.kind = ArgumentKind::bytes;
  value.bytes = reinterpret_cast<const void*>(static_cast<uintptr_t>(given.uint_of("data")));
  value.size = given.uint_of("bytes");
  return value;
}

}  // namespace

Result<std::span<const driver::Argument>> Arguments::bind(const JsonValue& list) {
  const auto& params = kernel_.info.params;
  QUERN_TRY(runtime::check_argument_count(kernel_.info, list.items.size(), kernel_.hidden.size()));
  arguments_.resize(params.size() + kernel_.hidden.size());
  numbers_.resize(params.size());
  for (size_t i = 0; i < params.size(); ++i) QUERN_TRY(bind_one(i, list.items[i]));
  for (const ParamInfo& p : kernel_.hidden) {
    if (p.role == driver::ParamRole::kField)
      QUERN_TRY(runtime::check_pointer_in_struct(kernel_.info, device_, p, arguments_));
  }
  return std::span<const driver::Argument>(arguments_);
}

Result<> Arguments::bind_one(size_t index, const JsonValue& given) {
  const ParamInfo& p = kernel_.info.params[index];
  const HostValue value = value_of(given, p);
  const auto mismatch = [&](const base::MessageText& why) {
    return runtime::argument_mismatch(kernel_.info, index, spell(given, value), why);
  };
  if (!p.is_pointer) {
    if (value.kind == ArgumentKind::null) return mismatch({});
    return runtime::bind_value(kernel_.info, index, value, arguments_[index], numbers_[index]);
  }
  if (given.kind == JsonValue::Kind::kNull) return {};
  const auto found = buffers_.find(static_cast<uint32_t>(given.uint_of("buffer")));
  if (value.kind != ArgumentKind::memory || found == buffers_.end()) return mismatch({});
  if (found->second.device != kernel_.device)
    return mismatch(runtime::message::kBufferOfOtherDevice("another device"));
  QUERN_TRY(runtime::check_elements(kernel_.info, index, value));
  arguments_[index].place = {found->second.native.get(), given.uint_of("offset")};
  return {};
}

}  // namespace quern::web
