/// @file
/// Kernels in the program's own text:
///
/// @code
/// QUERN_KERNEL(saxpy, (int n, float a, const float* x, float* y), {
///   int i = blockIdx.x * blockDim.x + threadIdx.x;
///   if (i < n) y[i] = a * x[i] + y[i];
/// })
/// @endcode
///
/// The host compiler checks the body as C++, so that editors, warnings and types work. The same text is
/// compiled for the device at the first launch. The body can use its parameters, the program's macros and the
/// declarations of QUERN_CODE, nothing else of the program:
///
/// @code
/// QUERN_CODE(struct Body { float x, y, mass; }; __device__ float square(float v) { return v * v; })
/// @endcode
///
/// A template is launched as scale<float, 4>:
///
/// @code
/// QUERN_TEMPLATE_KERNEL(scale, (typename T, int N), (T a, T* x), {
///   QUERN_UNROLL() for (int i = 0; i < N; ++i) x[threadIdx.x * N + i] *= a;
/// })
/// @endcode
///
/// Use these macros at namespace scope. Inside them, the names of the kernel language are declared and hide
/// equal names of the program and of the C library. This header defines CUDA's qualifiers (`__device__`,
/// `__shared__`, …) as macros; no other header except quern/ring.hpp and quern/wmma.hpp does. See
/// docs/inline_kernels.md for limitations. Includes quern/quern.hpp.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "quern/argument.hpp"
#include "quern/call_check.hpp"
#include "quern/export.hpp"
#include "quern/kernel_names.hpp"
#include "quern/quern.hpp"
#include "quern/text.hpp"

namespace quern {

namespace detail {

// Static description of an inline kernel. One object per kernel, for the life of the program. Each text is
// stored twice: as written, and with the program's macros expanded.
struct KernelText {
  const char* macro;  // "QUERN_KERNEL"
  const char* name;
  const char* written;  // all arguments of the macro: "saxpy,(int n, float a),{ … }"
  const char* expanded;
  const char* file;
  int line;
  std::string_view type;  // type of the body, as the host compiler prints it: "quern_kernel_<float, 4>"
  // Runs some of its threads, as compiled by the host compiler; null: not compilable there.
  void (*run)(void* const* arguments, unsigned count);
  mutable std::atomic<std::uint32_t> slot{0};  // index in every device's list; 0: none yet
};

// All QUERN_CODE that is visible in a file of the program.
QUERN_API std::string shared_code(std::string_view file);
// A text as written, with the program's macros expanded.
QUERN_API std::string with_macros(std::string_view written, std::string_view expanded);

template <typename Parameter, typename Given>
inline constexpr bool takes = std::is_convertible_v<const Given&, Parameter>;
// A pointer parameter accepts a buffer or slice of its element type; T* does not accept one of const T.
template <typename T, typename U>
inline constexpr bool takes_elements =
    std::is_void_v<T> || std::is_same_v<std::remove_const_t<T>, std::remove_const_t<U>>;
template <typename T, typename U>
inline constexpr bool takes<T*, Slice<U>> = takes_elements<T, U> &&
                                            (std::is_const_v<T> || !std::is_const_v<U>);
template <typename T, typename U>
inline constexpr bool takes<T*, Buffer<U>> = takes<T*, Slice<U>>;
template <typename T, typename U>
inline constexpr bool takes<T*, const Buffer<U>> = takes<T*, Slice<const U>>;
template <typename T, typename U>
inline constexpr bool takes<T*, U*> = false;  // host pointers are not valid on a device

// Converts the argument to the parameter's type.
template <typename Parameter, typename Given>
decltype(auto) as_parameter(const Given& given) {
  if constexpr (std::is_pointer_v<Parameter>) {
    return (given);
  } else {
    return static_cast<Parameter>(given);
  }
}

}  // namespace detail

namespace detail {

// Calls the body once for each of `count` threads.
template <typename Body>
void run_threads(void* const* arguments, unsigned count) {
  [&]<typename... P, std::size_t... I>(void (*)(P...), std::index_sequence<I...>) {
    for (unsigned i = 0; i < count; ++i, ++kernel::threadIdx.x) {
      Body::quern_body_(*static_cast<std::remove_cv_t<P>*>(arguments[I])...);
    }
  }(&Body::quern_body_,
    []<typename... P>(void (*)(P...)) { return std::index_sequence_for<P...>(); }(&Body::quern_body_));
}

// A body with `extern __shared__` is compiled but never linked, because nothing defines that variable.
constexpr bool can_run(std::string_view text) {
  return text.find("extern __shared__") == std::string_view::npos;
}

template <typename Body>
constexpr auto run_function() -> void (*)(void* const*, unsigned) {
  if constexpr (can_run(Body::quern_text_)) {
    return &run_threads<Body>;
  } else {
    return nullptr;
  }
}

// Clang prints the text of compile_error as numbers or truncates it; it prints these instead.
template <std::size_t Takes, std::size_t Given>
inline constexpr bool argument_count_matches = Takes == Given;
template <std::size_t Number, typename Given, typename Parameter>
inline constexpr bool argument_matches = false;

}  // namespace detail

/// An inline kernel. Made by QUERN_KERNEL and QUERN_TEMPLATE_KERNEL; launch it as any kernel.
template <typename Body, detail::Text Name, detail::Text List, typename... P>
class InlineKernel<Body, Name, List, void(P...)> {
 public:
  /// Used by QUERN_KERNEL.
  constexpr InlineKernel(const char* file, int line)
      : text_{Body::quern_macro_,
              Name.data,
              Body::quern_text_,
              Body::quern_expanded_,
              file,
              line,
              detail::type_name<Body>(),
              detail::run_function<Body>()} {}

  /// Used by the library.
  const detail::KernelText& text() const { return text_; }

  /// Whether it can be launched with arguments of these types.
  template <typename... A>
  static constexpr bool takes() {
    if constexpr (sizeof...(A) == sizeof...(P)) {
      return (detail::takes<P, A> && ...);
    } else {
      return false;
    }
  }

  /// Whether the kernel may store through the pointer parameter with this number.
  static constexpr bool writes(std::size_t parameter) {
    constexpr bool list[] = {(std::is_pointer_v<P> && !std::is_const_v<std::remove_pointer_t<P>>)..., false};
    return list[parameter];
  }

  /// Stops the compilation of the program; the error names the wrong argument and the reason.
  template <typename... A>
  static void refuse() {
#ifdef __clang__
    static_assert(detail::argument_count_matches<sizeof...(P), sizeof...(A)>,
                  "the kernel takes the first number of arguments, the launch gives the second");
    if constexpr (sizeof...(A) == sizeof...(P)) {
      constexpr std::size_t wrong = first_wrong<A...>();
      static_assert(detail::argument_matches<wrong + 1, nth<wrong, A...>, nth<wrong, P...>>,
                    "the argument with this number has the first type, the kernel's parameter the second");
    }
#else
    if constexpr (sizeof...(A) != sizeof...(P)) {
      (void)sizeof(detail::compile_error<detail::wrong_count<Name, List, sizeof...(P), sizeof...(A)>()>);
    } else {
      constexpr std::size_t wrong = first_wrong<A...>();
      (void)sizeof(detail::compile_error<detail::wrong_type<Name, List, wrong, nth<wrong, A...>>()>);
    }
#endif
  }

  /// Calls `launch` with the arguments converted to the parameters' types.
  template <typename Launch, typename... A>
  static void with_arguments(const Launch& launch, const A&... given) {
    const std::tuple<decltype(detail::as_parameter<P>(given))...> values(detail::as_parameter<P>(given)...);
    std::apply(
        [&](const auto&... v) {
          const std::array<Argument, sizeof...(A)> arguments{Argument(v)...};
          launch(arguments);
        },
        values);
  }

 private:
  template <std::size_t N, typename... T>
  using nth = std::tuple_element_t<N, std::tuple<T...>>;
  // Index of the first parameter that gets a wrong argument.
  template <typename... A>
  static constexpr std::size_t first_wrong() {
    std::size_t place = 0;
    (void)((detail::takes<P, A> && (++place, true)) && ...);
    return place;
  }

  detail::KernelText text_;
};

}  // namespace quern

// Kernels and shared code are in a namespace `quern_code` inside the program's own. It contains the names of
// the kernel language and those of QUERN_CODE, so that overloads of both are found and names of the program
// or of host headers are hidden. Only `code` is visible to the program.
#define QUERN_OPEN_SCOPE_ \
  namespace quern_code {  \
  QUERN_KERNEL_NAMES_     \
  inline namespace code {}

#define QUERN_TEXT_(...) #__VA_ARGS__
// The texts of a kernel. The arguments of QUERN_TEXT_ are macro-expanded, those of # are not.
#define QUERN_SOURCE_(NAME, MACRO, WRITTEN, EXPANDED)        \
  struct quern_source_ {                                     \
    static constexpr const char* quern_macro_ = MACRO;       \
    static constexpr const char* quern_text_ = WRITTEN;      \
    static constexpr const char* quern_expanded_ = EXPANDED; \
  };                                                         \
  static_assert(sizeof(*::quern::detail::check_calls<quern_source_, __COUNTER__, NAME>()) != 0);

/// An inline kernel: its name, its parameters in parentheses, and its body. Use it at namespace scope.
///
/// @code
/// QUERN_KERNEL(saxpy, (int n, float a, const float* x, float* y), {
///   int i = blockIdx.x * blockDim.x + threadIdx.x;
///   if (i < n) y[i] += a * x[i];
/// })
/// @endcode
#define QUERN_KERNEL(NAME, PARAMETERS, ...)                                                              \
  QUERN_OPEN_SCOPE_                                                                                      \
  namespace {                                                                                            \
  namespace quern_kernel_##NAME {                                                                        \
    QUERN_SOURCE_(#NAME, "QUERN_KERNEL", #NAME "," #PARAMETERS "," #__VA_ARGS__,                         \
                  #NAME "," QUERN_TEXT_(PARAMETERS) "," QUERN_TEXT_(__VA_ARGS__))                        \
    struct quern_kernel_ : quern_source_ {                                                               \
      static void quern_body_ PARAMETERS __VA_ARGS__                                                     \
    };                                                                                                   \
  }                                                                                                      \
  }                                                                                                      \
  }                                                                                                      \
  namespace {                                                                                            \
  [[maybe_unused]] constinit const ::quern::InlineKernel<quern_code::quern_kernel_##NAME::quern_kernel_, \
                                                         #NAME, #PARAMETERS>                             \
      NAME(__FILE__, __LINE__);                                                                          \
  }

/// A kernel for each combination of template arguments. Parameters are `typename T`, `class T`, or constants:
/// `int N`, `unsigned N`, `bool B`. At most 16.
#define QUERN_TEMPLATE_KERNEL(NAME, TEMPLATE, PARAMETERS, ...)                                              \
  QUERN_OPEN_SCOPE_                                                                                         \
  namespace {                                                                                               \
  namespace quern_kernel_##NAME {                                                                           \
    QUERN_SOURCE_(#NAME, "QUERN_TEMPLATE_KERNEL", #NAME "," #TEMPLATE "," #PARAMETERS "," #__VA_ARGS__,     \
                  #NAME "," QUERN_TEXT_(TEMPLATE) "," QUERN_TEXT_(PARAMETERS) "," QUERN_TEXT_(__VA_ARGS__)) \
    template <QUERN_LIST_ TEMPLATE>                                                                         \
    struct quern_kernel_ : quern_source_ {                                                                  \
      static void quern_body_ PARAMETERS __VA_ARGS__                                                        \
    };                                                                                                      \
  }                                                                                                         \
  }                                                                                                         \
  }                                                                                                         \
  namespace {                                                                                               \
  template <QUERN_LIST_ TEMPLATE>                                                                           \
  [[maybe_unused]] constinit const ::quern::InlineKernel<                                                   \
      quern_code::quern_kernel_##NAME::quern_kernel_<QUERN_TEMPLATE_NAMES_ TEMPLATE>, #NAME, #PARAMETERS>   \
      NAME(__FILE__, __LINE__);                                                                             \
  }

// (typename T, int N) → T, N
#define QUERN_LIST_(...) __VA_ARGS__
#define QUERN_TEMPLATE_NAMES_(...) QUERN_EXPAND_(QUERN_TEMPLATE_NAME_(__VA_ARGS__))
#define QUERN_TEMPLATE_NAME_(FIRST, ...) \
  QUERN_NAME_OF_##FIRST __VA_OPT__(, QUERN_TEMPLATE_AGAIN_ QUERN_PAREN_(__VA_ARGS__))
#define QUERN_TEMPLATE_AGAIN_() QUERN_TEMPLATE_NAME_
#define QUERN_PAREN_ ()
#define QUERN_EXPAND_(...) QUERN_EXPAND2_(QUERN_EXPAND2_(QUERN_EXPAND2_(QUERN_EXPAND2_(__VA_ARGS__))))
#define QUERN_EXPAND2_(...) QUERN_EXPAND3_(QUERN_EXPAND3_(QUERN_EXPAND3_(QUERN_EXPAND3_(__VA_ARGS__))))
#define QUERN_EXPAND3_(...) __VA_ARGS__
/// @cond
#define QUERN_NAME_OF_typename
#define QUERN_NAME_OF_class
#define QUERN_NAME_OF_bool
#define QUERN_NAME_OF_int
#define QUERN_NAME_OF_unsigned
#define QUERN_NAME_OF_long
#define QUERN_NAME_OF_size_t
#define QUERN_NAME_OF_auto
/// @endcond

/// Dynamic shared memory, as `extern __shared__ TYPE NAME[];`
#define QUERN_DYNAMIC_SHARED(TYPE, NAME) \
  TYPE* const NAME = static_cast<TYPE*>(::quern::kernel::host::runner().dynamic_shared())

/// Before a loop, as `#pragma unroll` or `#pragma unroll COUNT`, which a macro argument cannot contain.
#define QUERN_UNROLL(...) static_assert(__VA_OPT__((__VA_ARGS__) >= 0 &&) true, "QUERN_UNROLL");

#define QUERN_JOIN_(a, b) a##b
/// Joins two tokens after macro expansion.
#define QUERN_JOIN(a, b) QUERN_JOIN_(a, b)
/// Functions, structs and constants that inline kernels of this file use. Use it at namespace scope.
#define QUERN_CODE(...)                                                                               \
  QUERN_OPEN_SCOPE_                                                                                   \
  inline namespace code {                                                                             \
  __VA_ARGS__                                                                                         \
  }                                                                                                   \
  }                                                                                                   \
  using namespace quern_code::code;                                                                   \
  [[maybe_unused]] static const bool QUERN_JOIN(quern_code_, __COUNTER__) =                           \
      ::quern::detail::add_code<__COUNTER__>([] {                                                     \
        return ::quern::detail::CodeText{#__VA_ARGS__, QUERN_TEXT_(__VA_ARGS__), __FILE__, __LINE__}; \
      });
