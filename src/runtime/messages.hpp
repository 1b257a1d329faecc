// Texts of the errors that the runtime reports.
#pragma once

#include "base/message.hpp"

namespace quern::runtime::message {

using base::Message;

// Drivers and devices
inline constexpr Message<2> kUnknownDriver{"there is no driver '{}'", "the drivers are {}"};
inline constexpr Message<2> kUnknownDriverInVariable{
    "the environment variable QUERN_DRIVERS names '{}', which is not a driver", "{}"};
inline constexpr Message<1> kNotBuilt{"not built", "{}"};
inline constexpr Message<0> kExcluded{"excluded by QUERN_DRIVERS"};
inline constexpr Message<0> kNoDeviceFound{"it found no device"};
inline constexpr Message<0> kReinstallDriver{
    "update or reinstall this driver (other devices work without it)"};
inline constexpr Message<1> kUnknownDevice{"there is no device '{}'"};
inline constexpr Message<0> kNoDevice{"no device meets the request"};
inline constexpr Message<1> kNoDeviceMeets{"no device meets the request: {}",
                                           "request another device, or fewer features with 'has='"};
inline constexpr Message<2> kDeviceCannotBeOpened{"device '{}' cannot be opened: {}"};
inline constexpr Message<2> kDriverVariables{
    "choosing a device failed: the driver {} cannot use its environment variables: {}",
    "correct or unset the variable, or name the device that the program wants"};
inline constexpr Message<2> kUnknownFeature{"unknown feature '{}'", "the features are {}"};
inline constexpr Message<1> kUnknownPolicy{"unknown policy '{}'", "use require, prefer or allow"};
inline constexpr Message<2> kNotKeyValue{"'{}' in device '{}' is not key=value"};
inline constexpr Message<1> kTimeLimit{
    "reading the time limit failed: '{}' is not a number of seconds above 0"};
inline constexpr Message<1> kOpenNative{"opening a device of the driver '{}' on a native handle"};
inline constexpr Message<1> kForkedAfterOpen{
    "using {} failed: the process was forked after the device was opened",
    "fork before the first use of the library, or open 'cpu' in the child process"};
inline constexpr Message<1> kForkedAfterStart{
    "opening a device failed: the process was forked after the driver {} was started",
    "fork before the first use of the library, or open 'cpu' in the child process"};
inline constexpr Message<1> kCalledInCallback{
    "using {} failed: the call is made in a callback of this device",
    "let another thread make the call after the callback has returned"};
inline constexpr Message<1> kNoCacheFolder{"saving measurements failed: there is no cache folder: {}",
                                           "set QUERN_CACHE to a folder"};
inline constexpr Message<3> kSelfTestElement{"self test failed: element {} is {}, expected {}"};
inline constexpr Message<2> kSelfTestAtomics{"self test failed: atomics counted {}, expected {}"};
inline constexpr Message<3> kSelfTestLoop{
    "self test failed: a loop of {} iterations computed {}, expected {}"};

// Memory
inline constexpr Message<3> kBufferTooLarge{
    "{} failed: {} allows at most {} in one buffer",
    "keep the data in several buffers, or use another device (`quern devices -v` lists their limits)"};
inline constexpr Message<2> kMemoryKindMissing{"{} has no {}"};
inline constexpr Message<0> kLimitReached{"the limit is reached"};
inline constexpr Message<4> kLimitExceeded{"{} on {} failed: {} are left of the limit of {}",
                                           "split the batch, or raise QUERN_MEMORY_LIMIT"};
inline constexpr Message<5> kMemoryFull{"{} on {} failed: {} of {} are free{}",
                                        "split the batch, or free buffers"};
inline constexpr Message<3> kAllocationFailed{"{} on {} failed: {}", "split the batch, or free buffers"};

// Modules
inline constexpr Message<4> kStackTooSmall{
    "loading kernel '{}' failed: a thread needs {} for local variables, and a block of {} has {}",
    "keep large arrays in a buffer, or raise the limit on the stack (ulimit -s)"};
inline constexpr Message<2> kCodeNotSupported{"{} does not support {} code"};
inline constexpr Message<2> kInlineKernelsOnly{
    "compiling '{}' failed: {} runs inline kernels only",
    "open 'cpu', which needs LLVM's library (Debian and Ubuntu: libllvm15 or newer), or 'sim'"};
inline constexpr Message<2> kNoValidKernel{"compiling {} failed: it has no valid kernel\n{}"};
inline constexpr Message<2> kKernelDoesNotCompile{"kernel '{}' does not compile\n{}"};
inline constexpr Message<2> kUnknownKernel{"there is no kernel '{}' in {}"};
inline constexpr Message<1> kKernelNotInModule{"kernel '{}' is not in its module"};
inline constexpr Message<2> kUnknownVariable{"there is no variable '{}' in {}"};
inline constexpr Message<2> kUnknownReference{
    "binding a texture failed: there is no texture reference '{}' in {}"};
inline constexpr Message<1> kTextureOfOtherDevice{"binding a texture failed: its texels belong to {}"};
inline constexpr Message<4> kVariableRange{"variable '{}' has {}, but {} bytes at offset {} were requested"};

// Launches
inline constexpr Message<2> kLaunchFailed{"launch of kernel '{}' failed: {}"};
inline constexpr Message<3> kArgumentCount{"launch of kernel '{}' failed: it takes {}, got {}"};
inline constexpr Message<3> kTooManyArguments{
    "launch of kernel '{}' failed: it takes {} arguments, the limit is {}"};
inline constexpr Message<3> kKernelOfOtherDevice{
    "launch of kernel '{}' failed: it was loaded on {}, and the stream belongs to {}",
    "load the module on this device too"};
inline constexpr Message<4> kPointerInArgument{
    "launch of kernel '{}' failed: argument {} holds a pointer ('{}'), and {} has no device addresses",
    "pass the buffer as a separate argument"};
inline constexpr Message<3> kTexelFormat{
    "creating a texture failed: {} channels of {} bits ({}) are not a texel format",
    "use 1, 2 or 4 channels of 8, 16 or 32 bits; floating-point channels have 16 or 32 bits"};
inline constexpr Message<1> kTextureExtent{
    "creating a texture failed: the extent {} is not supported",
    "use 1 to 16777216 texels per dimension; three-dimensional textures have no layers"};
inline constexpr Message<2> kTexturePitch{
    "creating a texture failed: the pitch is {} bytes, a row has {} bytes",
    "use a pitch that is at least as long as a row and a multiple of 4 bytes"};
inline constexpr Message<2> kTextureTooLarge{
    "creating a texture failed: the extent {} exceeds the limit of {}"};
inline constexpr Message<1> kTextureNormalizedValues{
    "creating a texture failed: integers of {} bits cannot be read as normalized values"};
inline constexpr Message<0> kTextureFilter{
    "creating a texture failed: a linear filter needs reads that return floating-point numbers",
    "set Sampler::normalized_values, or use a floating-point format"};
inline constexpr Message<0> kTensorOption{
    "creating a tensor map failed: an option is not an enumerator of its type"};
inline constexpr Message<2> kTensorRank{
    "creating a tensor map failed: the rank is {}, and these options need {} to 5"};
inline constexpr Message<0> kTensorInterleave{
    "creating a tensor map failed: interleave 'bytes32' needs swizzle 'bytes32'"};
inline constexpr Message<0> kTensorFill{
    "creating a tensor map failed: integers cannot be filled with NaN outside of the tensor",
    "use TensorFill::zero"};
inline constexpr Message<4> kTensorRange{
    "creating a tensor map failed: the {} of dimension {} is {}, and the limits are 1 and {}"};
inline constexpr Message<1> kTensorBoxBytes{
    "creating a tensor map failed: the box has {} bytes in dimension 0, which is not a multiple of 16"};
inline constexpr Message<2> kTensorSwizzle{
    "creating a tensor map failed: the box has {} bytes in dimension 0, and the swizzle spans {} bytes",
    "use a smaller box or a wider swizzle"};
inline constexpr Message<4> kTensorStride{
    "creating a tensor map failed: the stride of dimension {} is {} bytes{}, which is not a multiple of {} "
    "below 2^40",
    "add padding after each row"};
inline constexpr Message<2> kTensorAddress{
    "creating a tensor map failed: the address of the tensor, at offset {} of its buffer, is not a multiple "
    "of {} bytes"};
inline constexpr Message<2> kTensorMemory{
    "creating a tensor map failed: the tensor has {} bytes from its first to its last element, and the "
    "memory has {}"};
inline constexpr Message<2> kReferenceNotBound{
    "launch of kernel '{}' failed: no texture is bound to the texture reference '{}'",
    "call Module::bind_texture before the launch"};
inline constexpr Message<7> kArgumentMismatch{
    "launch of kernel '{}' failed: argument {} is {}, parameter '{}' is {} {}{}"};
inline constexpr Message<1> kParameterBytes{"the parameter has {}"};
inline constexpr Message<1> kBufferOfOtherDevice{"the buffer belongs to {}"};
inline constexpr Message<2> kElementBytes{"its elements have {} bytes, the buffer's have {}"};
inline constexpr Message<0> kIntegerRequired{"an integer is required"};
inline constexpr Message<0> kValueDoesNotFit{"the value does not fit"};
inline constexpr Message<2> kAtLeastOne{"{} {}: each size must be at least 1"};
inline constexpr Message<3> kGridTooLarge{"grid {} is too large", "the limit of {} is {}"};
inline constexpr Message<4> kBlockTooLarge{"block {} is too large",
                                           "the limit of {} is {} and {} threads in total"};
inline constexpr Message<2> kCompiledBlockSize{"block {} differs from the compiled block size {}"};
inline constexpr Message<3> kTooManyThreads{"{} threads per block are too many", "{} {}"};
inline constexpr Message<0> kLaunchBoundsAllow{"its __launch_bounds__ allow"};
inline constexpr Message<1> kRegistersAllow{"with {} registers per thread the device allows"};
inline constexpr Message<0> kResourcesAllow{"its resource usage allows"};
inline constexpr Message<4> kTooMuchSharedMemory{"{} of dynamic and {} of static shared memory are too much",
                                                 "a block of {} has {}"};
inline constexpr Message<4> kFramesTooLarge{
    "launch of kernel '{}' failed: it is split at its grid barriers, which takes {} for the values of all "
    "threads, and the limit on {} is {}",
    "launch fewer blocks, each of which processes more elements"};
inline constexpr Message<3> kClusterFailed{"launch of kernel '{}' failed: clusters of {} blocks: {}"};
inline constexpr Message<0> kClusterOfZero{"each size must be at least 1"};
inline constexpr Message<1> kCompiledClusterSize{"its __cluster_dims__ are {}"};
inline constexpr Message<1> kClustersNotSupported{"{} does not support clusters"};
inline constexpr Message<2> kClusterTooLarge{"{} allows at most {} blocks per cluster"};
inline constexpr Message<1> kGridNotMultipleOfCluster{"the grid {} is not a multiple of the cluster size"};

// Launches from kernels
inline constexpr Message<1> kModuleOfLaunches{
    "launch of kernel '{}' failed: it launches kernels, and its module was destroyed",
    "keep the module, or the kernel that it returned, until the launch"};
inline constexpr Message<3> kPendingLaunches{
    "kernel '{}' launches {} kernels, and {} launches with their arguments can be pending",
    "launch from fewer threads, or raise the limit: compile with QUERN_PENDING_LAUNCHES=N"};
inline constexpr Message<2> kLaunchDepth{
    "kernel '{}' launches kernels at nesting depth {}, which is the limit",
    "launch less deeply, or continue in a tail launch"};
inline constexpr Message<2> kUnknownChild{"kernel '{}' launches a kernel that is not in its module ({})"};
inline constexpr Message<3> kChildNotCompiled{"kernel '{}' launches kernel '{}', which cannot be used: {}"};
inline constexpr Message<4> kChildPointer{
    "launch of kernel '{}' by kernel '{}' failed: argument {} ('{}') points to no buffer or variable of the "
    "device",
    "pass memory of the host's buffers, of __device__ variables or of malloc; shared and local memory belong "
    "to their block and thread"};
inline constexpr Message<3> kChildTexture{
    "launch of kernel '{}' by kernel '{}' failed: parameter '{}' is a texture, surface or tensor map",
    "use it in the launching kernel, or bind a texture reference"};
inline constexpr Message<1> kLaunchInSession{
    "loading kernel '{}' failed: it launches a kernel with a pointer that cannot be restored after the loss "
    "of "
    "the device",
    "derive the pointer from a pointer parameter or a __device__ variable, or use a device instead of a "
    "session"};
inline constexpr Message<1> kLaunchWithoutAddresses{
    "loading kernel '{}' failed: it launches a kernel with a pointer that this device cannot record, since "
    "it "
    "has no memory addresses",
    "derive the pointer from a pointer parameter or a __device__ variable"};
inline constexpr Message<3> kLaunchedBy{"launching it from kernel '{}' in {}:{}"};

// Streams and graphs
inline constexpr Message<1> kNoMemory{"{} holds no memory (never allocated, or moved from)"};
inline constexpr Message<3> kBufferAndStream{"{} belongs to {}, the stream to {}",
                                             "copy the buffer to this device first"};
inline constexpr Message<4> kRangeOutside{"{} has {} bytes, the range is {} bytes at offset {}"};
inline constexpr Message<0> kUploadFromNull{"upload failed: the source is a null pointer"};
inline constexpr Message<0> kDownloadToNull{"download failed: the destination is a null pointer"};
inline constexpr Message<2> kCopySizes{"copy failed: the source has {}, the destination {}"};
inline constexpr Message<0> kCopyOverlaps{"copy failed: source and destination overlap"};
inline constexpr Message<1> kFillValueSize{
    "fill failed: the value has {} bytes, but it must have 1, 2, 4 or 8"};
inline constexpr Message<2> kFillNotMultiple{
    "fill failed: {} bytes are not a multiple of the value's {} bytes"};
inline constexpr Message<2> kHostFunctionThrew{
    "a host function on a stream of {} threw an exception: {}",
    "catch exceptions in the function; later work on the stream has run"};
inline constexpr Message<2> kOutputCallbackThrew{"the output callback of {} threw an exception: {}",
                                                 "catch exceptions in the callback"};
inline constexpr Message<2> kGraphOfOtherDevice{"running a graph failed: it belongs to {}, the stream to {}",
                                                "record the graph on this device too"};
inline constexpr Message<0> kRecordingEnded{
    "using a stream failed: its recording has ended",
    "use it in the recording function only; create_stream() creates one that stays valid"};
inline constexpr Message<1> kNotInGraph{
    "recording a graph failed: {} cannot be part of it",
    "record launches, copies and fills only; do the rest on a stream, before or after the graph"};
inline constexpr Message<0> kProfileRunning{
    "starting a profile failed: another one is being written to a file",
    "end it with stop_profile(); one started by QUERN_TRACE ends with the program"};

// Kernel faults that checks find
inline constexpr Message<11> kCheckFailed{
    "{}:{}:{}: {}\n    in kernel '{}', block ({}, {}, {}), thread ({}, {}, {})"};
inline constexpr Message<1> kAssertionFails{"assertion '{}' fails"};
inline constexpr Message<3> kOutOfBounds{"out of bounds: element {} of {}, which has {}"};

// Arguments as text
inline constexpr Message<2> kBufferText{
    "parsing '{}' as a buffer failed: {}",
    "write TYPE[COUNT]=VALUE, as in f32[1024]=0, f32x4[64]=rand:1, i32[8]=iota, or @file.npy"};
inline constexpr Message<2> kTextureText{
    "parsing '{}' as a texture failed: {}",
    "write texture(TYPE[ROWS,COLUMNS]=VALUE OPTIONS), as in texture(f32[16,16]=iota linear normalized wrap)"};
inline constexpr Message<0> kTextureBrackets{"texture(...) or surface(...) is missing"};
inline constexpr Message<1> kTextureOption{"'{}' is not an option of textures"};
inline constexpr Message<0> kTextureTexels{"these are not texels of 1 to 3 dimensions"};
inline constexpr Message<0> kCountMissing{"TYPE[COUNT] is missing"};
inline constexpr Message<1> kNotAType{"'{}' is not a type"};
inline constexpr Message<1> kNotACount{"'{}' is not a count"};
inline constexpr Message<1> kExceedsLimit{"it exceeds the limit of {}"};
inline constexpr Message<0> kEqualsMissing{"'=' is missing after ']'"};
inline constexpr Message<1> kNotRandom{"'{}' is not of the form rand:SEED"};
inline constexpr Message<2> kFileTooShort{"the file has {}, {} are required"};
inline constexpr Message<2> kNotValueOfType{"'{}' is not a value of type {}"};
inline constexpr Message<0> kStructText{
    "write structs as 0, as {a, b, …} for each element, or as @FILE with their bytes"};
inline constexpr Message<2> kNoSuchElements{"reading '{}' failed: no buffer has elements of type {}"};
inline constexpr Message<2> kBufferAllocation{"allocating '{}' failed: it needs {}"};
inline constexpr Message<5> kStructBytes{
    "parameter '{}' is {}, whose elements have {} bytes, but {} bytes were given",
    "write {}[COUNT]=0, or {a, b, …} for the value of each"};
inline constexpr Message<4> kBufferType{"parameter '{}' is {}, and a buffer of {} does not fit",
                                        "write {}[COUNT]"};
inline constexpr Message<3> kValueText{"parsing '{}' for parameter '{}' failed: {}"};
inline constexpr Message<0> kExpectedStruct{"expected a struct of the form {a, b, …}"};
inline constexpr Message<0> kCommaMissing{"',' is missing between fields"};
inline constexpr Message<3> kBraceMissing{"'{}' has {}", "'}' is missing after {}"};
inline constexpr Message<0> kPointerInStruct{"pointers inside structs are not supported here"};
inline constexpr Message<0> kExpectedBool{"expected true or false"};
inline constexpr Message<1> kExpectedNumber{"expected a number, found '{}'"};
inline constexpr Message<0> kExpectedUnsigned{"expected an integer from 0 to 2^64-1"};
inline constexpr Message<1> kExpectedInteger{"expected an integer, found '{}'"};
inline constexpr Message<3> kOutsideRange{"{} is outside the range {} … {}"};
inline constexpr Message<0> kTextAfterValue{"unexpected text after the value"};

// Files
inline constexpr Message<1> kTraceFile{"cannot write the trace '{}'"};
inline constexpr Message<1> kSessionFile{
    "reading '{}' failed: it was not written by Session::save, or is damaged"};

// Hints that depend on the occurrence
inline constexpr Message<1> kDidYouMean{"did you mean '{}'?"};
inline constexpr Message<1> kKernelsAre{"its kernels are {}"};
inline constexpr Message<1> kDriversAre{"the drivers are {}"};
inline constexpr Message<1> kDevicesAre{"the devices are {}",
                                        "`quern backends` shows why others are missing"};
inline constexpr Message<0> kVariableNotCompiled{"a variable exists once a kernel that uses it is compiled",
                                                 "for a template, request the instance first"};
inline constexpr Message<0> kElementType{"pass a buffer whose elements have the parameter's type"};
inline constexpr Message<0> kTryAgain{"`quern backends` tries it again"};
inline constexpr Message<1> kLargestAre{"the largest are {}"};

}  // namespace quern::runtime::message
