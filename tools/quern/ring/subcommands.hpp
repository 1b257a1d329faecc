// The subcommands of `quern ring`. Each returns the exit code; exceptions of the library are caught by the
// command.
#pragma once

#include "base/result.hpp"
#include "command.hpp"
#include "quern/device.hpp"
#include "quern/ring/actor.hpp"

namespace quern::tool {

base::Result<int> ring_bench(const Arguments& arguments, const Device& device);
base::Result<int> ring_run(const Arguments& arguments, const Device& device);
base::Result<int> ring_watch(const Arguments& arguments, const Device& device, bool is_live);

}  // namespace quern::tool
