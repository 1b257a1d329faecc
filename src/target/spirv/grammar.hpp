// The names of the SPIR-V grammar and writer that the emitter uses.
#pragma once

#include "spirv/grammar/extended_sets.hpp"
#include "spirv/writer/builder.hpp"

namespace quern::target::spirv {

using quern::spirv::AddressingModel;
using quern::spirv::Builder;
using quern::spirv::BuiltIn;
using quern::spirv::Capability;
using quern::spirv::Decoration;
using quern::spirv::Environment;
using quern::spirv::ExecutionMode;
using quern::spirv::ExecutionModel;
using quern::spirv::FunctionParameterAttribute;
using quern::spirv::Glsl;
using quern::spirv::Id;
using quern::spirv::MemoryModel;
using quern::spirv::Opcode;
using quern::spirv::OpenCl;
using quern::spirv::Scope;
using quern::spirv::StorageClass;
using quern::spirv::to_word;
using quern::spirv::Words;
using quern::spirv::memory_operands::kAligned;
using quern::spirv::memory_operands::kNonPrivate;
using quern::spirv::memory_operands::kVolatile;
using quern::spirv::memory_semantics::kAcquireRelease;
using quern::spirv::memory_semantics::kCrossWorkgroupMemory;
using quern::spirv::memory_semantics::kMakeAvailable;
using quern::spirv::memory_semantics::kMakeVisible;
using quern::spirv::memory_semantics::kUniformMemory;
using quern::spirv::memory_semantics::kWorkgroupMemory;

}  // namespace quern::target::spirv
