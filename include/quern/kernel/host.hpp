// What a kernel's body needs when it runs on the host: the position of its thread, the other threads of its
// block, and operations that are better not inlined. Only for the other headers of this folder.
#pragma once

#pragma GCC system_header  // names are reserved for the implementation

#include <cstddef>
#include <cstdint>

#include "quern/export.hpp"

namespace quern::kernel::host {

// Runs the threads of one block. Functions that wait return when all other participants have arrived.
class Runner {
 public:
  struct Votes {
    unsigned yes, all;
  };
  virtual Votes barrier(bool vote) = 0;
  // Synchronizes the threads of the warp that are in the mask.
  struct Meeting {
    const std::uint64_t* values;  // of all 32 lanes; valid until the thread waits again
    unsigned lanes;               // that arrived: those of the mask that still run
  };
  virtual Meeting meet(unsigned mask, std::uint64_t value) = 0;
  virtual unsigned active_mask() = 0;  // the lanes that arrive at this call together
  virtual void* dynamic_shared() = 0;
  virtual void print(const char* text, std::size_t size) = 0;
  // Aborts the launch. `what`: "assert", "trap"
  [[noreturn]] virtual void stop(const char* what, const char* message, const char* file, unsigned line) = 0;

 protected:
  ~Runner() = default;
};

// Of the calling thread. Aborts the program with a message if called outside of a kernel.
QUERN_API Runner& runner();
// Sets the runner of blocks on this host thread; returns the previous one.
QUERN_API Runner* set_runner(Runner* runner);

enum class Number : std::uint8_t { f16, bf16, f32, f64, i8, u8, i16, u16, i32, u32, i64, u64 };

// Operations of the IR under their IR names, with exactly the simulator's results.
// clang-format off
#define QUERN_HOST_OPERATIONS(X)                                                                      \
  X(add_r) X(mul_r) X(div_r) X(fma_r) X(sqrt_r) X(convert_r) X(nextafter) X(ilogb) X(logb) X(ldexp)   \
  X(erfinv) X(erfcinv) X(erfcx) X(normcdf) X(normcdfinv) X(sinpi) X(cospi) X(lgamma) X(rhypot)
// clang-format on
enum class Operation : std::uint8_t {
#define X(name) name,
  QUERN_HOST_OPERATIONS(X)
#undef X
};
QUERN_API std::uint64_t evaluate(Operation operation, Number result, Number type,
                                 const std::uint64_t* operands, unsigned count, int rounding);

// The thread's lane in its warp.
QUERN_API unsigned lane();

// A monotonic clock in nanoseconds.
QUERN_API std::uint64_t clock();

}  // namespace quern::kernel::host
