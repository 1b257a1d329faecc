// Texts of the errors that files, libraries and the code cache report.
#pragma once

#include "base/message.hpp"

namespace quern::base::message {

// Environment
inline constexpr Message<3> kVariableValue{"the environment variable {} is '{}', but it must be {}"};
inline constexpr Message<1> kNotJson{"the text is not JSON at byte {}"};

// Files
inline constexpr Message<3> kUnsafeFolder{"'{}' is not safe to use: {}", "{}"};
inline constexpr Message<3> kCannotWrite{"cannot write {}: {}", "{}"};
inline constexpr Message<1> kReadFolder{"cannot read '{}': it is a folder"};
inline constexpr Message<3> kFileTooLarge{"cannot read '{}': it has at least {}, the limit is {}"};
inline constexpr Message<1> kNotRegularFile{"cannot read '{}': it is not a regular file"};
inline constexpr Message<1> kWriteFolder{"cannot write '{}': it is a folder"};

// NumPy files
inline constexpr Message<0> kNoMagic{"it does not start with the .npy magic"};
inline constexpr Message<0> kTruncatedHeader{"the file is truncated in its header"};
inline constexpr Message<0> kMalformedHeader{"the header is malformed"};
inline constexpr Message<1> kUnknownKey{"the header has the unknown key '{}'"};
inline constexpr Message<0> kMissingKey{"the header lacks one of 'descr', 'fortran_order' and 'shape'"};
inline constexpr Message<0> kNoElementType{"the header names no element type"};
inline constexpr Message<0> kStructuredType{
    "the array has a structured type, but only plain numbers can be read"};
inline constexpr Message<0> kShapeTooLarge{"the shape is too large to be addressed"};
inline constexpr Message<2> kArrayTruncated{"the shape needs {} bytes of data, but the file has {}"};
inline constexpr Message<1> kBigEndian{"the elements are big-endian", "save them with .astype('<{}')"};
inline constexpr Message<1> kElementType{
    "the element type '{}' is not one of bool, int8 to int64, uint8 to uint64, float16 to float64, complex64 "
    "and complex128"};
inline constexpr Message<1> kNpyVersion{"the file has version {}, but only versions 1 to 3 can be read"};
inline constexpr Message<0> kFortranOrder{"the array is in Fortran order",
                                          "save it with numpy.ascontiguousarray"};
inline constexpr Message<1> kArraySize{"the array has {} bytes, which does not match its shape"};
inline constexpr Message<0> kTooManyDimensions{"the shape has too many dimensions"};

// Shared libraries
inline constexpr Message<1> kNoLibrary{"'{}' is not found"};
inline constexpr Message<2> kNoLibraryOf{"'{}' is not found (looked for {})"};
inline constexpr Message<0> kNoLibraryName{"no library name was given"};
inline constexpr Message<1> kLibraryBroken{"the library was found but cannot be loaded: {}"};
inline constexpr Message<2> kNoFunction{"'{}' has no function '{}'", "update the library: it may be too old"};

// Child processes
inline constexpr Message<1> kPipeFailed{"creating a pipe failed: {}"};
inline constexpr Message<1> kChildFailed{"starting a child process failed: {}"};
inline constexpr Message<1> kChildTimeout{"it did not answer within {} s"};
inline constexpr Message<1> kChildCrashed{"it crashed ({})"};
inline constexpr Message<1> kChildExited{"it ended the process with exit code {}"};

// Code cache
inline constexpr Message<1> kCacheDisabled{"the code cache is disabled: {}"};
inline constexpr Message<1> kNotArchive{"'{}' is not an archive of `quern cache export`, or is corrupted"};

}  // namespace quern::base::message
