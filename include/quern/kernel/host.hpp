// What a kernel's body needs from whoever runs it on the host: where its thread is, the others of its block,
// and operations that are better not inlined. For the headers beside this one only.
#pragma once

#pragma GCC system_header  // its names are the implementation's

#include <cstddef>
#include <cstdint>

#include "quern/export.hpp"

namespace quern::kernel::host {

// Runs the threads of one block. The functions that wait come back when all others of theirs have come.
class Runner {
 public:
  struct Votes {
    unsigned yes, all;
  };
  virtual Votes barrier(bool vote) = 0;
  // Meets the threads of the warp in the mask.
  struct Meeting {
    const std::uint64_t* values;  // of all 32 lanes; good until the thread waits again
    unsigned lanes;               // that came: those of the mask that have not returned
  };
  virtual Meeting meet(unsigned mask, std::uint64_t value) = 0;
  virtual unsigned active_mask() = 0;  // the lanes that come to this call together
  virtual void* dynamic_shared() = 0;
  virtual void print(const char* text, std::size_t size) = 0;
  // Ends the launch. `what`: "assert", "trap"
  [[noreturn]] virtual void stop(const char* what, const char* message, const char* file, unsigned line) = 0;

 protected:
  ~Runner() = default;
};

// Of the thread that asks. Outside of a kernel there is none, and this ends the program with a message.
QUERN_API Runner& runner();
// Who runs a block on this thread of the host from now on; yields who did before.
QUERN_API Runner* set_runner(Runner* runner);

enum class Number : std::uint8_t { f16, bf16, f32, f64, i8, u8, i16, u16, i32, u32, i64, u64 };

// Operations of the IR by their names there, exactly as the simulator has them.
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

// The thread's place in its warp.
QUERN_API unsigned lane();

// Nanoseconds that grow.
QUERN_API std::uint64_t clock();

}  // namespace quern::kernel::host
