#include "driver/metal/api.hpp"

#include "base/environment.hpp"
#include "base/shared_library.hpp"
#include "base/text.hpp"

namespace quern::metal {

namespace {

constexpr std::string_view kInstall =
    "use macOS 12 or later: Metal is part of it and does not exist elsewhere";

}  // namespace

Result<Api> Api::load() {
  const std::optional<std::string> chosen = base::env_text("QUERN_METAL_LIBRARY");
  const std::string_view metal_names[] = {chosen ? std::string_view(*chosen)
                                                 : "/System/Library/Frameworks/Metal.framework/Metal"};
  const std::string_view objc_names[] = {chosen ? std::string_view(*chosen) : "/usr/lib/libobjc.A.dylib"};
  QUERN_TRY_ASSIGN(const base::SharedLibrary metal, base::SharedLibrary::open(metal_names, kInstall));
  QUERN_TRY_ASSIGN(const base::SharedLibrary objc, base::SharedLibrary::open(objc_names, kInstall));
  Api api;
  api.library = metal.name();
#define X(name, result, parameters) QUERN_TRY(objc.load(#name, api.name));
  QUERN_METAL_SYMBOLS(X)
#undef X
#if defined(__x86_64__)
  QUERN_TRY(objc.load("objc_msgSend_stret", api.message_returning_struct));
#endif
  (void)metal.load("MTLCopyAllDevices", api.copy_all_devices).ok();  // not on iOS
  QUERN_TRY(metal.load("MTLCreateSystemDefaultDevice", api.create_default_device));
  size_t at = 0;
#define X(id, text) api.selectors_[at++] = api.sel_registerName(text);
  QUERN_METAL_SELECTORS(X)
#undef X
  return api;
}

Id Api::string_of(const std::string& text) const {
  return send<Id>(objc_getClass("NSString"), Sel::kStringWithUtf8, text.c_str());
}

std::string Api::text_of(Id string) const {
  const char* const text = string != nullptr ? send<const char*>(string, Sel::kUtf8) : nullptr;
  return text != nullptr ? text : "";
}

std::string Api::error_text(Id error) const {
  if (error == nullptr) return {};
  const std::string text(base::trim(text_of(send<Id>(error, Sel::kLocalizedDescription))));
  const std::string domain = text_of(send<Id>(error, Sel::kDomain));
  return text + " (" + domain + " " + std::to_string(send<int64_t>(error, Sel::kCode)) + ")";
}

SystemVersion Api::system() const {
  const Id process = send<Id>(objc_getClass("NSProcessInfo"), Sel::kProcessInfo);
  return process != nullptr ? send<SystemVersion>(process, Sel::kSystemVersion) : SystemVersion{};
}

}  // namespace quern::metal
