#include "quern/library.hpp"

#include <utility>

#include "api/library_work.hpp"
#include "api/state.hpp"
#include "base/shared_library.hpp"
#include "quern/access.hpp"
#include "quern/device.hpp"

namespace quern::extension {

namespace {

const base::SharedLibrary* loaded(const std::shared_ptr<const void>& library) {
  return static_cast<const base::SharedLibrary*>(library.get());
}

}  // namespace

Library Library::open(const std::vector<std::string>& names, std::string_view hint) {
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  Library out;
  out.library_ = std::make_shared<const base::SharedLibrary>(
      detail::unwrap(base::SharedLibrary::open(candidates, hint)));
  return out;
}

void* Library::find(const char* symbol) const {
  return library_ == nullptr ? nullptr : loaded(library_)->find(symbol);
}

void* Library::require(const char* symbol) const {
  if (library_ == nullptr) return nullptr;
  using Any = void();
  Any* function = nullptr;
  detail::unwrap(loaded(library_)->load(symbol, function));
  return reinterpret_cast<void*>(function);
}

std::string Library::name() const { return library_ == nullptr ? std::string() : loaded(library_)->name(); }

bool is_recording(const Stream& stream) { return detail::Access::state(stream).is_recording(); }

Receipt library_receipt(const Device& device, std::string_view name) {
  const auto& state = detail::require_open(detail::Access::state(device));
  return detail::Access::receipt(detail::library_work(state->device, std::string(name)));
}

}  // namespace quern::extension
