// Instances of templates have names of any length. PoCL makes a file's name of a kernel's, and Vulkan's
// validation layer takes 256 characters.
#pragma once

#include <string>

namespace quern::target {

// The name; a long one's beginning, and a number that tells it from others of that beginning.
std::string short_name(const std::string& name);

}  // namespace quern::target
