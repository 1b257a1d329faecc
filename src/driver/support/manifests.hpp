// Manifests: files in which installed drivers (ICDs) name their libraries: JSON for Vulkan, the bare name for
// OpenCL.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace quern::driver {

// The value of "library_path" in a manifest, or the first line if the file is not JSON. A relative path is
// relative to the manifest. Empty: none.
std::string library_of(const std::string& manifest);

// The libraries to try, without duplicates. If one of the variables is set, the first of them lists the
// manifests (files or folders), and only those are used; else all manifests in the folders, then `known`.
std::vector<std::string> libraries_of_manifests(std::span<const char* const> variables,
                                                std::span<const char* const> folders,
                                                std::span<const char* const> known);

// For the message that no driver was found: "; a manifest names 'libx.so', which is not found". Empty if all
// libraries that the manifests name can be loaded.
std::string describe_unloadable(std::span<const std::string> libraries);

}  // namespace quern::driver
