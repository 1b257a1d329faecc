// The descriptors of the C-like languages.
#pragma once

#include "target/cstyle/cstyle.hpp"
#include "target/cstyle/glsl.hpp"
#include "target/cstyle/msl.hpp"
#include "target/descriptor.hpp"

namespace quern::target::cstyle {

/// As `#version` has it: "430", "450 core", "310 es".
bool is_glsl_version(std::string_view text);

inline constexpr Descriptor kOpenclC = {.kind = driver::CodeKind::kOpenclC,
                                        .emit = emit,
                                        .suffixes = {".cl"},
                                        .pointers = PointerForm::kAddressIfPresent,
                                        .validator = {"clang",
                                                      "-x cl -cl-std=CL1.2 -target spir64 -Xclang "
                                                      "-finclude-default-header -fsyntax-only -w"}};

inline constexpr Descriptor kCudaCpp = {.kind = driver::CodeKind::kCudaCpp,
                                        .emit = emit,
                                        .has_printf = true,
                                        .has_shuffles = true,
                                        .has_grid_barrier = true,
                                        .is_nvidia = true,
                                        .is_version = is_nvidia_architecture,
                                        .validator = {"nvrtc", "--gpu-architecture=sm_90"}};

inline constexpr Descriptor kHipCpp = {.kind = driver::CodeKind::kHipCpp,
                                       .emit = emit,
                                       .suffixes = {".hip"},
                                       .has_printf = true,
                                       .has_shuffles = true,
                                       .has_grid_barrier = true,
                                       .validator = {"hiprtc", "--offload-arch=gfx90a"}};

inline constexpr Descriptor kGlsl = {
    .kind = driver::CodeKind::kGlsl,
    .emit = emit_glsl,
    .suffixes = {".comp", ".glsl"},
    .pointers = PointerForm::kBoundBuffer,
    .usual_native = {driver::Feature::int64},
    .is_version = [](std::string_view text) { return is_glsl_version(text) && !text.ends_with(" es"); },
    .validator = {"glslangValidator"}};

inline constexpr Descriptor kGlslEs = {
    .kind = driver::CodeKind::kGlslEs,
    .emit = emit_glsl,
    .pointers = PointerForm::kBoundBuffer,
    .has_atomics64 = false,
    .software = {driver::Feature::fp64},
    .is_version = [](std::string_view text) { return is_glsl_version(text) && text.ends_with(" es"); },
    .validator = {"glslangValidator"}};

// Metal's compiler runs only on Apple systems. C++ for OpenCL is similar enough to compile the text with a
// few additional declarations.
inline constexpr Descriptor kMsl = {.kind = driver::CodeKind::kMsl,
                                    .emit = emit_msl,
                                    .suffixes = {".metal"},
                                    .has_atomics64 = false,
                                    .can_be_objects = can_be_simdgroup_matrices,
                                    .usual_matrices = matrices_of_simdgroups,
                                    .software = {driver::Feature::fp64},
                                    .usual_native = {driver::Feature::warps},
                                    .is_version = is_version_number,
                                    .validator = {"clang",
                                                  "-x cl -cl-std=clc++ -target spir64 -cl-no-stdinc "
                                                  "-fsyntax-only -w"}};

}  // namespace quern::target::cstyle
