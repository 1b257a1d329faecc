#include "driver/cuda/api.hpp"

#include "base/environment.hpp"
#include "base/shared_library.hpp"
#include "driver/cuda/vendor.hpp"

namespace quern::cuda {

using base::Error;
using base::ErrorKind;

Result<Api> load_api(const Vendor& vendor) {
  std::vector<std::string_view> names(vendor.libraries.begin(), vendor.libraries.end());
  const auto own = base::env_text(std::string(vendor.environment).c_str());
  if (own) names = {*own};
  QUERN_TRY_ASSIGN(const base::SharedLibrary library, base::SharedLibrary::open(names, vendor.hint));
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
#define X(name, cuda, version, hip, parameters)                                                             \
  if (!load(api.name, cuda, version, hip))                                                                  \
    return Error(ErrorKind::kUnsupported, std::string(vendor.maker) +                                       \
                                              "'s driver is too old: " + api.library +                      \
                                              " has no function '" + (vendor.is_cuda() ? cuda : hip) + "'") \
        .add_hint(std::string(vendor.hint));
  QUERN_CUDA_SYMBOLS(X)
#undef X
  return api;
}

}  // namespace quern::cuda
