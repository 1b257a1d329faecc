// Manifests: JSON files by which installed drivers (ICDs) tell the names of their libraries.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace quern::driver {

// The value of "library_path" in a manifest; a path in it is relative to the manifest. Empty: there is none.
std::string library_of(const std::string& manifest);

// The libraries of the manifests that the first variable that is set lists, and no others; else those of all
// manifests in the folders, then the known ones. Each once.
std::vector<std::string> libraries_of_manifests(std::span<const char* const> variables,
                                                std::span<const char* const> folders,
                                                std::span<const char* const> known);

}  // namespace quern::driver
