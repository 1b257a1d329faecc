// Kernels in the program's own text:
//
//   QUERN_KERNEL(saxpy, (int n, float a, const float* x, float* y), {
//     int i = blockIdx.x * blockDim.x + threadIdx.x;
//     if (i < n) y[i] = a * x[i] + y[i];
//   })
//
// The host's compiler reads the body as C++ (so editors, warnings and types work), and the same text is
// compiled for the device when it is first launched. It sees its parameters and what QUERN_CODE declares, and
// nothing else of the program:
//
//   QUERN_CODE(struct Body { float x, y, mass; }; __device__ float square(float v) { return v * v; })
//
// Both stand at namespace scope. Inside, the names of the kernel language are there and hide what the program
// or the C library may call the same; outside, none of them is. What the host's compiler does not take
// inside:
//  - preprocessor directives, so no #pragma unroll: macros cannot hold them;
//  - `extern __shared__ float s[];` compiles, and runs on every device except by the host's own compilation;
//    QUERN_DYNAMIC_SHARED(float, s); is the same and runs there too;
//  - cooperative_groups, and __noinline__ (a word of the compiler's own headers).
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
#include "quern/export.hpp"
#include "quern/kernel_names.hpp"
#include "quern/text.hpp"

namespace quern {

namespace detail {

// What the program knows of an inline kernel. One for the life of the program.
struct KernelText {
  const char* name;
  const char* parameters;  // "(int n, float a)"
  const char* body;        // "{ … }"
  const char* file;
  int line;
  // Some threads of it, as the host's compiler made them; null: it could not.
  void (*run)(void* const* arguments, unsigned count);
  mutable std::atomic<std::uint32_t> slot{0};  // its place in every device's list; 0: none yet
};

// Code that kernels share.
struct CodeText {
  const char* text;
  const char* file;
  int line;
};
QUERN_API bool register_code(const CodeText& code);
// All of it that a file of the program sees.
QUERN_API std::string shared_code(std::string_view file);

template <typename Parameter, typename Given>
inline constexpr bool takes = std::is_convertible_v<const Given&, Parameter>;
// A pointer takes a buffer or slice of its element; T* does not take one of const T.
template <typename T, typename U>
inline constexpr bool takes_elements =
    std::is_void_v<T> || std::is_same_v<std::remove_const_t<T>, std::remove_const_t<U>>;
template <typename T, typename U>
inline constexpr bool takes<T*, Slice<U>> = takes_elements<T, U> &&
                                            (std::is_const_v<T> || !std::is_const_v<U>);
template <typename T, typename U>
inline constexpr bool takes<T*, Buffer<U>> = takes<T*, Slice<U>>;
template <typename T, typename U>
inline constexpr bool takes<T*, U*> = false;  // a pointer of the host means nothing on a device

// The argument in the parameter's own type.
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

// A body with `extern __shared__` is compiled and never linked: nothing could define that variable.
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

// What a wrong launch gives, in the compiler's words.
struct nothing_given {};
struct pointer_of_the_host {};

// The N-th argument's type, or nothing_given.
template <std::size_t N, typename... A>
using given_t = std::tuple_element_t<(N < sizeof...(A) ? N : sizeof...(A)), std::tuple<A..., nothing_given>>;

}  // namespace detail

// Made by QUERN_KERNEL. Body::quern_body_ is the kernel as a function.
template <typename Body, detail::Text Name, detail::Text List,
          typename Signature = decltype(Body::quern_body_)>
class InlineKernel;

template <typename Body, detail::Text Name, detail::Text List, typename... P>
class InlineKernel<Body, Name, List, void(P...)> {
 public:
  constexpr InlineKernel(const char* file, int line)
      : text_{Name.data, List.data, Body::quern_text_, file, line, detail::run_function<Body>()} {}

  const detail::KernelText& text() const { return text_; }

  template <typename... A>
  static constexpr bool takes() {
    return sizeof...(A) == sizeof...(P) && first_wrong<A...>() == sizeof...(P);
  }

  // Ends the compilation of the program; the first wrong or missing argument is named in the error.
  template <typename... A>
  static void refuse() {
    constexpr std::size_t wrong = first_wrong<A...>();
#if defined(__clang__) && __clang_major__ < 16
    // It prints such a message as numbers; so it is made to say in its own words which parameter it is.
    static_assert(wrong < sizeof...(P) || sizeof...(A) <= sizeof...(P),
                  "more arguments are given than the kernel takes");
    if constexpr (wrong < sizeof...(P)) call_wrongly<wrong, A...>(std::index_sequence_for<P...>());
#else
    if constexpr (wrong < sizeof...(P)) {
      (void)sizeof(detail::compile_error<detail::wants<Name, List, wrong>()>);
    } else {
      (void)sizeof(detail::compile_error<detail::takes_fewer<Name, sizeof...(P), sizeof...(A)>()>);
    }
#endif
  }

  // Calls `launch` with the arguments in the parameters' own types.
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
  // The place of the first parameter that gets no or the wrong argument; sizeof...(P) when there is none.
  template <typename... A>
  static constexpr std::size_t first_wrong() {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      std::size_t wrong = sizeof...(P);
      (void)((is_right<I, A...>() || (wrong = I, false)) && ...);
      return wrong;
    }
    (std::index_sequence_for<P...>());
  }
  template <std::size_t I, typename... A>
  static constexpr bool is_right() {
    return detail::takes<std::tuple_element_t<I, std::tuple<P...>>, detail::given_t<I, A...>>;
  }
  // Gives the body what it wants, except for one parameter: "passing argument to parameter 'a' here".
  template <std::size_t Wrong, typename... A, std::size_t... I>
  static void call_wrongly(std::index_sequence<I...>) {
    using Given = detail::given_t<Wrong, A...>;
    using Refused = std::conditional_t<std::is_pointer_v<Given>, detail::pointer_of_the_host, Given>;
    using Call = decltype(Body::quern_body_(std::declval<std::conditional_t<I == Wrong, Refused, P>>()...));
    (void)sizeof(Call*);
  }

  detail::KernelText text_;
};

}  // namespace quern

// Kernels and shared code are in a namespace `quern_code` inside the program's own. It holds the names of the
// kernel language next to those of QUERN_CODE, so that a call sees the overloads of both and hides whatever
// the program or the host's headers call the same. The program sees `code` alone.
#define QUERN_OPEN_SCOPE_ \
  namespace quern_code {  \
  QUERN_KERNEL_NAMES_     \
  inline namespace code {}

#define QUERN_KERNEL(NAME, PARAMETERS, ...)                                                              \
  QUERN_OPEN_SCOPE_                                                                                      \
  namespace {                                                                                            \
  namespace quern_kernel_##NAME {                                                                        \
    struct quern_kernel_ {                                                                               \
      static constexpr const char* quern_text_ = #__VA_ARGS__;                                           \
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

// Dynamic shared memory, as `extern __shared__ TYPE NAME[];`
#define QUERN_DYNAMIC_SHARED(TYPE, NAME) \
  TYPE* const NAME = static_cast<TYPE*>(::quern::kernel::host::runner().dynamic_shared())

#define QUERN_JOIN_(a, b) a##b
#define QUERN_JOIN(a, b) QUERN_JOIN_(a, b)
#define QUERN_CODE(...)                                                     \
  QUERN_OPEN_SCOPE_                                                         \
  inline namespace code {                                                   \
  __VA_ARGS__                                                               \
  }                                                                         \
  }                                                                         \
  using namespace quern_code::code;                                         \
  [[maybe_unused]] static const bool QUERN_JOIN(quern_code_, __COUNTER__) = \
      ::quern::detail::register_code({#__VA_ARGS__, __FILE__, __LINE__});
