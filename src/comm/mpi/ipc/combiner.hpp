// Reductions on the device: kernels that combine two arrays elementwise.
#pragma once

#include <map>
#include <utility>

#include "comm/operation.hpp"
#include "quern/module.hpp"

namespace quern::comm::ipc {

class Combiner {
 public:
  // to[i] = combine(a[i], b[i]) for all elements of `to`, which may be `a`.
  void combine(const Stream& stream, const detail::Call& call, const Slice<std::byte>& to,
               const Slice<std::byte>& a, const Slice<std::byte>& b);

 private:
  const Kernel& kernel(const Stream& stream, Element element, Combine combine);
  std::map<std::pair<Element, Combine>, Kernel> kernels_;
};

}  // namespace quern::comm::ipc
