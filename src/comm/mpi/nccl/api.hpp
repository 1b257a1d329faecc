// The part of the NCCL API that is used, declared here: no header is needed, and the library is loaded when
// a communicator is created. RCCL has the same functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace quern::comm::nccl {

using Handle = struct HandleTag*;  // ncclComm_t
using StreamHandle = void*;        // CUstream or hipStream_t
struct UniqueId {
  std::array<char, 128> bytes{};
};

// Constants of nccl.h.
enum Result : int { kSuccess = 0, kInProgress = 7 };
enum Type : int {
  kInt8 = 0,
  kUint8 = 1,
  kInt32 = 2,
  kUint32 = 3,
  kInt64 = 4,
  kUint64 = 5,
  kFloat16 = 6,
  kFloat32 = 7,
  kFloat64 = 8,
  kBfloat16 = 9,
};
enum Reduction : int { kSum = 0, kProd = 1, kMax = 2, kMin = 3 };

// The fields of version 2.14, the first with nonblocking communicators. Newer libraries accept it by its
// size.
struct Config {
  std::size_t size = sizeof(Config);
  std::uint32_t magic = 0xcafebeef;
  std::uint32_t version = 21400;
  int blocking = 0;
};
static_assert(sizeof(Config) == 24);

// clang-format off
// Name here, name in the library, parameters. All return a Result.
#define QUERN_NCCL_SYMBOLS(X)                                                                                         \
  X(version, "ncclGetVersion", (int*))                                                                                \
  X(unique_id, "ncclGetUniqueId", (UniqueId*))                                                                        \
  X(initialize, "ncclCommInitRankConfig", (Handle*, int, UniqueId, int, Config*))                                     \
  X(async_error, "ncclCommGetAsyncError", (Handle, int*))                                                             \
  X(finalize, "ncclCommFinalize", (Handle))                                                                           \
  X(destroy, "ncclCommDestroy", (Handle))                                                                             \
  X(abort, "ncclCommAbort", (Handle))                                                                                 \
  X(group_start, "ncclGroupStart", ())                                                                                \
  X(group_end, "ncclGroupEnd", ())                                                                                    \
  X(send, "ncclSend", (const void*, std::size_t, int, int, Handle, StreamHandle))                                     \
  X(receive, "ncclRecv", (void*, std::size_t, int, int, Handle, StreamHandle))                                        \
  X(broadcast, "ncclBroadcast", (const void*, void*, std::size_t, int, int, Handle, StreamHandle))                    \
  X(all_gather, "ncclAllGather", (const void*, void*, std::size_t, int, Handle, StreamHandle))                        \
  X(reduce, "ncclReduce", (const void*, void*, std::size_t, int, int, int, Handle, StreamHandle))                     \
  X(all_reduce, "ncclAllReduce", (const void*, void*, std::size_t, int, int, Handle, StreamHandle))                   \
  X(reduce_scatter, "ncclReduceScatter", (const void*, void*, std::size_t, int, int, Handle, StreamHandle))
// clang-format on

struct Api {
#define X(name, symbol, parameters) int(*name) parameters = nullptr;
  QUERN_NCCL_SYMBOLS(X)
#undef X
  const char* (*error_text)(int) = nullptr;
};

// Loads the library for devices of `driver` ("cuda", "hip"), each file once. Null: `why` says what is
// missing. Thread-safe.
const Api* load(const std::string& driver, std::string& why);

}  // namespace quern::comm::nccl
