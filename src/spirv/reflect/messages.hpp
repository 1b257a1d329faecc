// Texts of the errors of reflection.
#pragma once

#include "base/message.hpp"

namespace quern::spirv::message {

using base::Message;

inline constexpr Message<1> kTruncated{"the SPIR-V module is truncated at word {}"};
inline constexpr Message<0> kNoComputeEntryPoint{"the module has no compute entry point"};
inline constexpr Message<1> kUnknownSpecialization{"the module has no specialisation constant '{}'"};
inline constexpr Message<2> kSpecializationValue{"specialisation constant '{}' cannot be '{}'"};
inline constexpr Message<2> kNotABuffer{
    "'{}' of entry point '{}' is not a buffer: images and samplers are not supported"};
inline constexpr Message<1> kRuntimeArrayOfBuffers{"'{}' is a runtime-sized array of buffers"};

}  // namespace quern::spirv::message
