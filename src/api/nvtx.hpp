// Ranges for NVIDIA's tools (NVTX 3), in a domain "quern": a tool that listens names its library in
// NVTX_INJECTION64_PATH. Without one these cost a branch.
#pragma once

namespace quern::nvtx {

void push(const char* name);
void pop();

}  // namespace quern::nvtx
