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
// Both stand at namespace scope. No preprocessor directives inside.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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
  void (*run)(void* const* arguments);  // one thread of it, as the host's compiler made it
  std::uint32_t slot;                   // its place in every device's list
};
QUERN_API std::uint32_t next_slot();

// Code that kernels share.
struct CodeText {
  const char* text;
  const char* file;
  int line;
};
QUERN_API bool register_code(const CodeText& code);

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

template <typename Signature, detail::Text Name, detail::Text List>
class InlineKernel;

template <typename... P, detail::Text Name, detail::Text List>
class InlineKernel<void(P...), Name, List> {
 public:
  explicit InlineKernel(const char* body, const char* file, int line, void (*run)(void* const*))
      : text_{Name.data, List.data, body, file, line, run, detail::next_slot()} {}

  const detail::KernelText& text() const { return text_; }

  // Checks the arguments while the program is compiled: the first wrong or missing one is named in the error.
  template <typename... A>
  static constexpr bool check() {
    constexpr std::size_t wrong = first_wrong<A...>();
    if constexpr (wrong < sizeof...(P)) {
      return sizeof(detail::compile_error<detail::wants<Name, List, wrong>()>) != 0;
    } else {
      static_assert(sizeof...(A) <= sizeof...(P), "the kernel has fewer parameters than arguments are given");
      return sizeof...(A) == sizeof...(P);
    }
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
      constexpr std::size_t count = sizeof...(P);
      std::size_t wrong = sizeof...(A) < count ? sizeof...(A) : count;
      (void)((is_right<I, A...>() || (wrong = I < wrong ? I : wrong, false)) && ...);
      return wrong;
    }
    (std::make_index_sequence<(sizeof...(A) < sizeof...(P) ? sizeof...(A) : sizeof...(P))>());
  }
  template <std::size_t I, typename... A>
  static constexpr bool is_right() {
    return detail::takes<std::tuple_element_t<I, std::tuple<P...>>,
                         std::tuple_element_t<I, std::tuple<A...>>>;
  }

  detail::KernelText text_;
};

namespace detail {

template <typename... P>
void call_with(void (*function)(P...), void* const* arguments) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    function(*static_cast<std::remove_reference_t<P>*>(arguments[I])...);
  }
  (std::index_sequence_for<P...>());
}

}  // namespace detail

}  // namespace quern

#define QUERN_KERNEL(NAME, PARAMETERS, ...)                                                         \
  namespace quern_kernel_##NAME {                                                                   \
    using namespace ::quern::kernel;                                                                \
    static void body PARAMETERS __VA_ARGS__ inline void run(void* const* arguments) {               \
      ::quern::detail::call_with(&body, arguments);                                                 \
    }                                                                                               \
  }                                                                                                 \
  inline const ::quern::InlineKernel<decltype(quern_kernel_##NAME::body), #NAME, #PARAMETERS> NAME( \
      #__VA_ARGS__, __FILE__, __LINE__, &quern_kernel_##NAME::run);

#define QUERN_JOIN_(a, b) a##b
#define QUERN_JOIN(a, b) QUERN_JOIN_(a, b)
#define QUERN_CODE(...)                                                     \
  using namespace ::quern::kernel;                                          \
  __VA_ARGS__                                                               \
  [[maybe_unused]] static const bool QUERN_JOIN(quern_code_, __COUNTER__) = \
      ::quern::detail::register_code({#__VA_ARGS__, __FILE__, __LINE__});
