// Launches whose threads or blocks synchronize: each is a fiber, and the fibers take turns on one OS thread.
// A fiber runs until it waits at a barrier, in a warp operation, or in a loop that polls memory.
#pragma once

#include <cstdint>

#include "driver/cpu/task.hpp"

namespace quern::cpu {

// Runs blocks [first, end) on the calling thread. A cooperative launch passes all of its blocks in one call.
void run_fibers(Task& task, uint64_t first, uint64_t end);

// Helpers of generated code, called on a fiber.
uint32_t qn_barrier(quern::llvm::BlockContext* context, uint32_t site, uint32_t predicate);
void qn_grid_barrier(quern::llvm::BlockContext* context);
void qn_cluster_barrier(quern::llvm::BlockContext* context);
void* qn_map_shared(quern::llvm::BlockContext* context, void* own, uint32_t rank);
void qn_yield(quern::llvm::BlockContext* context);
const uint64_t* qn_warp(quern::llvm::BlockContext* context, uint32_t kind, uint32_t mask, uint64_t value);
void leave_fiber(quern::llvm::BlockContext* context);  // the launch has ended: does not return

}  // namespace quern::cpu
