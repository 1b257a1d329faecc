// The table of functions, filled from a shared library.
#include <vector>

#include "base/environment.hpp"
#include "base/shared_library.hpp"
#include "driver/webgpu/api.hpp"
#include "driver/webgpu/messages.hpp"

namespace quern::webgpu {

using base::Error;
using base::ErrorKind;

namespace {

constexpr std::string_view kHint =
    "install wgpu-native or Dawn and set QUERN_WEBGPU_LIBRARY to its library "
    "(the Python package wgpu contains libwgpu_native-release.so)";

}  // namespace

Result<Api> Api::load() {
  std::vector<std::string_view> names = {"libwgpu_native.so", "libwebgpu_dawn.so", "libwebgpu.so"};
  const std::optional<std::string> chosen = base::env_text("QUERN_WEBGPU_LIBRARY");
  if (chosen) names = {*chosen};
  QUERN_TRY_ASSIGN(const base::SharedLibrary library, base::SharedLibrary::open(names, kHint));
  Api api;
  api.library = library.name();
  if (library.find("wgpuInstanceRequestAdapter2") != nullptr) api.layout = &kEarlyLayout;
  const std::string suffix(api.layout->callback_suffix);
  const auto load = [&](const std::string& name, auto*& function, bool is_required) -> Result<> {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library.find(name.c_str()));
    if (function != nullptr || !is_required) return {};
    return Error(ErrorKind::unsupported, message::kNoFunction(library.name(), name, kHint));
  };
#define X(name, result, parameters) QUERN_TRY(load("wgpu" #name, api.name, true));
#define C(name, result, parameters) QUERN_TRY(load("wgpu" #name + suffix, api.name, true));
#define O(name, result, parameters) QUERN_TRY(load("wgpu" #name, api.name, false));
  QUERN_WEBGPU_FUNCTIONS(X, C, O)
#undef X
#undef C
#undef O
  if (!api.is_wgpu()) QUERN_TRY(load("wgpuInstanceWaitAny", api.InstanceWaitAny, true));
  return api;
}

}  // namespace quern::webgpu
