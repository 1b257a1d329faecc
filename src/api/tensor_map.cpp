#include "quern/tensor_map.hpp"

#include "api/messages.hpp"
#include "api/state.hpp"
#include "runtime/tensor_map.hpp"

namespace quern {

TensorMap::TensorMap(const detail::Bytes& memory, const TensorMapOptions& options)
    : memory_(memory), options_(detail::unwrap(runtime::complete(options))) {
  if (memory.memory == nullptr)
    detail::raise(base::Error(base::ErrorKind::invalid_use, detail::message::kEmptyBuffer()));
  const runtime::Slice tensor = detail::range(memory);
  encoded_ = detail::unwrap(runtime::encode_tensor_map(tensor, options_), &tensor.memory->device());
}

}  // namespace quern
