// Libraries of vendors that may replace our kernels: cuBLAS (with cuBLASLt) and cuFFT, rocBLAS, and on
// processors OpenBLAS and BLIS. They are candidates of the tuner. A library is loaded only when a tuning
// measures it or has chosen it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quern/library.hpp"
#include "quern/ops/element.hpp"
#include "quern/tune.hpp"

namespace quern::ops::vendor {

// kCublasLt is a part of cuBLAS, and no candidate itself.
enum class Name : std::uint8_t { kNone, kCublas, kCufft, kRocblas, kOpenblas, kBlis, kCublasLt };

// "cublas"; empty for none.
std::string_view to_string(Name library);
// The libraries that have the operation for a driver's devices and an element type, installed or not. None if
// QUERN_VENDOR_LIBRARIES is off. `is_tf32`: products that may round to TF32.
std::vector<Name> candidates(std::string_view driver, std::string_view operation, Element element,
                             bool is_tf32 = false);
// Whether the library multiplies matrices of this type.
bool takes(Name library, Element element, bool is_tf32);

// Whether there is any for a driver's devices. Reads no variable.
bool exist_for(std::string_view driver, std::string_view operation);

// What a call uses. `is_required`: a failure is an error of the call, because the library is measured.
struct Choice {
  Name library = Name::kNone;
  bool is_required = false;
};

// A library as a variant: "cublas=1".
Variant variant_of(Name library);
Name library_of(const Variant& variant);  // none: a variant of our kernels

// Loads a library of this name, as QUERN_VENDOR_LIBRARIES says: `on`, `off`, or the folder with the
// libraries. Throws Error if it is off, or the library cannot be loaded.
extension::Library load(Name library);

// The function of a symbol. Throws Error if the library lacks it.
template <typename Function>
void require(const extension::Library& library, const char* symbol, Function*& function) {
  function = reinterpret_cast<Function*>(library.require(symbol));
}

// Throws Error if the status of a call is not 0. `title`: "cublas 13.0".
void check(std::string_view title, const char* function, int status);

// Handles of libraries are not destroyed while the process ends: the libraries' own exit handlers may have
// run before ours. Call it after the library has initialized itself.
void note_initialized();
bool is_exiting();

}  // namespace quern::ops::vendor
