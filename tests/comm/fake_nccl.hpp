// Controls the fake libnccl (fake_nccl.cpp). Ranks are processes of one machine, which exchange elements
// through shared memory; "device memory" is host memory, as with the fake libcuda. All calls are nonblocking:
// ncclCommGetAsyncError makes progress.
#pragma once

#include <cstdint>
#include <string>

namespace quern::test {

struct FakeNccl {
  virtual ~FakeNccl() = default;
  virtual void reset() = 0;
  // Call number `nth` from now (from 0) of the function fails in this process; "" counts all functions.
  virtual void fail(const std::string& function, uint64_t nth) = 0;
  virtual bool has_failed() const = 0;
  virtual uint64_t count(const std::string& function) const = 0;
  virtual int alive() const = 0;  // communicators
};

// Exported by the fake as "fake_nccl".
using GetFakeNccl = FakeNccl*();

}  // namespace quern::test
