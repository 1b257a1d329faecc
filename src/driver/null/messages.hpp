// Texts of the errors that the template driver reports.
#pragma once

#include "base/message.hpp"

namespace quern::null::message {

using base::Message;

inline constexpr Message<1> kNoMemoryKind{"allocating memory failed: {} has no memory of this kind"};
inline constexpr Message<2> kOnlyInline{"loading {} code failed: {} runs only inline kernels"};
inline constexpr Message<2> kSynchronizes{
    "loading '{}' failed: it synchronizes threads, but {} runs one thread after the other"};
inline constexpr Message<2> kUnknownKernelIn{"there is no kernel '{}' in {}"};

}  // namespace quern::null::message
