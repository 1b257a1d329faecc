// Manifests: files by which installed drivers (ICDs) tell the names of their libraries: JSON for Vulkan, the
// bare name for OpenCL.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace quern::driver {

// The value of "library_path" in a manifest; a path in it is relative to the manifest. Where it is no JSON,
// its first line. Empty: there is none.
std::string library_of(const std::string& manifest);

// The libraries of the manifests that the first variable that is set lists (files, or folders of them), and
// no others; else those of all manifests in the folders, then the known ones. Each once.
std::vector<std::string> libraries_of_manifests(std::span<const char* const> variables,
                                                std::span<const char* const> folders,
                                                std::span<const char* const> known);

// For a message that no driver was found: "; a manifest names 'libx.so', which is not found". Empty: all that
// manifests name can be loaded.
std::string describe_unloadable(std::span<const std::string> libraries);

}  // namespace quern::driver
