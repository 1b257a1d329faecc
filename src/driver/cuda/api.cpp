#include "driver/cuda/api.hpp"

#include "base/environment.hpp"
#include "base/shared_library.hpp"
#include "driver/cuda/messages.hpp"
#include "driver/cuda/vendor.hpp"

namespace quern::cuda {

using base::Error;
using base::ErrorKind;

static std::vector<std::string> library_names(const Vendor& vendor) {
  if (const auto own = base::env_text(std::string(vendor.environment).c_str())) return {std::string(*own)};
  return {vendor.libraries.begin(), vendor.libraries.end()};
}

bool api_in_use(const Vendor& vendor) {
  const std::vector<std::string> names = library_names(vendor);
  return base::SharedLibrary::is_loaded(std::vector<std::string_view>(names.begin(), names.end()));
}

Result<Api> load_api(const Vendor& vendor) {
  const std::vector<std::string> names = library_names(vendor);
  QUERN_TRY_ASSIGN(
      const base::SharedLibrary library,
      base::SharedLibrary::open(std::vector<std::string_view>(names.begin(), names.end()), vendor.hint));
  Api api;
  api.vendor = &vendor;
  api.library = library.name();
  const auto load = [&](auto& function, const char* cuda, int version, const char* hip) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        vendor.find(library, cuda, version, hip));
    return function != nullptr;
  };
#define X(name, cuda, version, hip, parameters) (void)load(api.name, cuda, version, hip);
  QUERN_CUDA_NEWER_SYMBOLS(X)
#undef X
#define X(name, cuda, version, hip, parameters) \
  if (!load(api.name, cuda, version, hip))      \
    return Error(ErrorKind::unsupported,        \
                 message::kTooOld(vendor.maker, api.library, vendor.is_cuda() ? cuda : hip, vendor.hint));
  QUERN_CUDA_SYMBOLS(X)
#undef X
  return api;
}

}  // namespace quern::cuda
