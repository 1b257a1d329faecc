/// @file
/// Quern, a cross-vendor GPU compute runtime. Includes the whole public API except inline kernels
/// (quern/inline.hpp), ring kernels (quern/ring.hpp) and matrix fragments (quern/wmma.hpp). Defines no names
/// of the kernel language.
#pragma once

#if __cplusplus < 202002L
#error "Quern needs C++20: compile with -std=c++20 (CMake: quern::quern asks for it)"
#endif

#include "quern/batches.hpp"
#include "quern/buffer.hpp"
#include "quern/device.hpp"
#include "quern/error.hpp"
#include "quern/event.hpp"
#include "quern/feature.hpp"
#include "quern/graph.hpp"
#include "quern/launch.hpp"
#include "quern/memory.hpp"
#include "quern/module.hpp"
#include "quern/pipeline.hpp"
#include "quern/profile.hpp"
#include "quern/receipt.hpp"
#include "quern/session.hpp"
#include "quern/stream.hpp"
#include "quern/streams.hpp"
#include "quern/subscription.hpp"
#include "quern/tensor_map.hpp"
#include "quern/texture.hpp"
#include "quern/version.hpp"
