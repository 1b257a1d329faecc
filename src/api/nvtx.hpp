// Ranges for NVIDIA's tools (NVTX 3), in the domain "quern". An attached tool names its library in
// NVTX_INJECTION64_PATH. Without a tool, these functions cost one branch.
#pragma once

namespace quern::nvtx {

void push(const char* name);
void pop();

}  // namespace quern::nvtx
