// The file of a recording. All numbers are little-endian.
//
//   file    "QUERNREC", version (u32), records
//   record  kind (u8), size (u64), that many bytes, check (u64)
//   check   hash64 of kind and bytes, seeded with the check of the previous record (0 for the first)
//
// docs/recording.md describes the records. Each is written before its call is made, so that the file of a
// crashed program ends with the call that crashed, and lacks the end record.
#pragma once

#include <cstdint>
#include <string_view>

namespace quern::recording {

inline constexpr std::string_view kMagic = "QUERNREC";
inline constexpr uint32_t kVersion = 7;

enum class RecordKind : uint8_t {
  kHead,    // the device: id, name, version of its driver
  kCall,    // name of the call, its arguments; calls are numbered from 1, objects by the call that made them
  kFailed,  // number of the call, kind of the error, its message
  kData,    // number of the call, its result: the bytes of a download, "0" or "1" of `reached`, a buffer's
            // address
  kEnd,     // the device was closed
};

}  // namespace quern::recording
