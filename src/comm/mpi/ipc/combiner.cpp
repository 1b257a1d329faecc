#include "comm/mpi/ipc/combiner.hpp"

#include <array>
#include <string>

#include "quern/device.hpp"
#include "quern/launch.hpp"
#include "quern/stream.hpp"

namespace quern::comm::ipc {

namespace {

// Types and functions in the kernel language, in the order of Element. Sums and products of integers wrap
// around, so they are unsigned there.
constexpr std::array<std::array<const char*, 2>, 12> kTypes{{{"double", "double"},
                                                             {"float", "float"},
                                                             {"__half", "__half"},
                                                             {"__nv_bfloat16", "__nv_bfloat16"},
                                                             {"long long", "unsigned long long"},
                                                             {"int", "unsigned int"},
                                                             {"short", "unsigned short"},
                                                             {"signed char", "unsigned char"},
                                                             {"unsigned long long", "unsigned long long"},
                                                             {"unsigned int", "unsigned int"},
                                                             {"unsigned short", "unsigned short"},
                                                             {"unsigned char", "unsigned char"}}};
// As combined() in comm/combine.hpp: `a != a` is NaN, which min and max ignore.
constexpr std::array<const char*, 4> kFunctions{"(T)(a + b)", "(T)(a * b)", "a != a || b < a ? b : a",
                                                "a != a || a < b ? b : a"};

// Distinct names for profiles.
std::string kernel_name(Element element, Combine combine) {
  return "quern_comm_combine_" + std::to_string(static_cast<int>(combine)) + "_" +
         std::to_string(static_cast<int>(element));
}

std::string text_of(Element element, Combine combine) {
  const bool wraps = combine == Combine::sum || combine == Combine::product;
  const std::string type = kTypes[static_cast<std::size_t>(element)][wraps ? 1 : 0];
  return "typedef " + type +
         " T;\n"
         "extern \"C\" __global__ void " +
         kernel_name(element, combine) +
         "(void* to, const void* in, const void* other, unsigned long long count) {\n"
         "  unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i >= count) return;\n"
         "  T a = ((const T*)in)[i], b = ((const T*)other)[i];\n"
         "  ((T*)to)[i] = " +
         kFunctions[static_cast<std::size_t>(combine)] + ";\n}\n";
}

}  // namespace

const Kernel& Combiner::kernel(const Stream& stream, Element element, Combine combine) {
  Kernel& kernel = kernels_[{element, combine}];
  if (!kernel)
    kernel = stream.device()
                 .compile(text_of(element, combine), {.name = "combine of comm"})
                 .kernel(kernel_name(element, combine));
  return kernel;
}

void Combiner::combine(const Stream& stream, const detail::Call& call, const Slice<std::byte>& to,
                       const Slice<std::byte>& a, const Slice<std::byte>& b) {
  const std::uint64_t count = to.size() / call.element_bytes;
  if (count == 0) return;
  stream.launch(kernel(stream, *call.element, call.combine), threads(count), to, Slice<const std::byte>(a),
                Slice<const std::byte>(b), static_cast<std::uint64_t>(count));
}

}  // namespace quern::comm::ipc
