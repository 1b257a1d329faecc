// Grid barriers without blocks that are resident together: the kernel is launched several times, and each
// launch runs it from one grid barrier to the next. Values that are used on both sides of a barrier are saved
// to a buffer, the frames, and so is shared memory. Branches around a barrier stay as they are: a variable
// that holds the number of the barrier where the launch begins makes the code in between inactive.
//
// Two parameters are added to such a kernel, after its own:
//  - `quern_resume`, const unsigned*: word 0 is 0 in the first launch; later, word 0 of the frames as the
//    previous launch left it.
//  - `quern_frames`, unsigned*: see FrameLayout.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.hpp"
#include "lang/ir/ir.hpp"

namespace quern::pass {

// Word 0 of the frames after the last segment of a kernel.
inline constexpr uint32_t kGridDone = ~uint32_t{0};

// The name of the variable with the number of the barrier where a launch begins. Threads that reach a barrier
// while it is 0 return.
inline constexpr std::string_view kResumeState = "__quern_resume_state";

// The frames: kFrameHeader bytes; `thread_bytes` for each thread of the grid; `block_bytes` for each block;
// and for each block its dynamic shared memory, rounded up to 16 bytes, if `saves_dynamic`.
inline constexpr uint64_t kFrameHeader = 16;
struct FrameLayout {
  uint64_t thread_bytes = 0;
  uint64_t block_bytes = 0;
  bool saves_dynamic = false;
};

struct SplitKernel {
  std::string name;
  uint32_t segments = 1;  // one more than the kernel has grid barriers
  bool repeats = false;   // a barrier is in a loop: the number of launches is known when the kernel is done
  // Threads may be at different barriers, or may have returned: each thread resumes on its own. Word 0 of the
  // frames is 1 before the first launch; a launch in which a thread reaches a barrier sets it to one more
  // than the number of launches so far. Otherwise word 0 is the number of the barrier, or kGridDone.
  bool by_thread = false;
  FrameLayout frames;
};

struct SplitRefusal {
  ir::Pos pos;
  base::MessageText reason;
};

bool has_grid_barrier(const ir::Function& function);

// Splits a prepared kernel with grid barriers. Returns why it cannot be split; the kernel is then unusable.
std::optional<SplitRefusal> split_grid_barriers(ir::Module& module, ir::Function& kernel, SplitKernel& out);

}  // namespace quern::pass
