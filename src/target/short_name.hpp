// Template instances have names of any length. PoCL derives a file name from the kernel's name, and Vulkan's
// validation layer accepts 256 characters.
#pragma once

#include <string>

namespace quern::target {

// The name; if it is long, its beginning and a number that distinguishes it from others with that beginning.
std::string short_name(const std::string& name);

}  // namespace quern::target
