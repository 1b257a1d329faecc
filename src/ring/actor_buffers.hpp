// The buffers of actors: their content in checkpoints and recovery points.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "ring/actor_kernel.hpp"

namespace quern::ring {

// Owns the exclusive access to the buffers on the device of a session. No lock: the content is copied while
// no actor works; acquire() and release() are called when no other thread uses this object.
class ActorBuffers {
 public:
  explicit ActorBuffers(const ActorKernel& kernel) : kernel_(kernel) {}

  using Contents = std::vector<std::vector<std::byte>>;
  void download(Contents& contents) const { copy(contents, true); }
  void upload(Contents& contents) const { copy(contents, false); }
  // Throws if `contents` of `whose` has other sizes.
  void check(const Contents& contents, const std::string& whose) const;

  void acquire();
  void release() { access_.reset(); }
  // Null: there are no buffers, or everybody may use them.
  extension::ExclusiveAccess* access() const { return access_.get(); }

 private:
  void copy(Contents& contents, bool to_host) const;

  const ActorKernel& kernel_;
  std::shared_ptr<extension::ExclusiveAccess> access_;
};

}  // namespace quern::ring
