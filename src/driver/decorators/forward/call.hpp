// The names of the driver interface's calls, for fault plans, recordings and messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace quern::forward {

// clang-format off
#define QUERN_CALLS(X)                                                              \
  X(Start, "start") X(Devices, "devices") X(Open, "open")                           \
  X(Allocate, "allocate") X(Load, "load") X(Kernel, "kernel")                       \
  X(CreateStream, "create_stream")                                                    \
  X(Upload, "upload") X(Download, "download") X(Copy, "copy") X(Launch, "launch")   \
  X(CreateEvent, "create_event") X(Record, "record")                                \
  X(StreamWait, "stream_wait")  /* the stream waits for an event */                    \
  X(Wait, "wait")             /* the caller waits for an event */                   \
  X(Reached, "reached") X(Synchronize, "synchronize")                               \
  X(Time, "time") X(Fill, "fill") X(Variable, "variable") X(Binary, "binary")       \
  X(Call, "call")                                                                   \
  /* these cannot fail */                                                           \
  X(TakeOutput, "take_output") X(TakeFindings, "take_findings") X(Destroy, "destroy")
// clang-format on

enum class Call : uint8_t {
#define X(id, text) k##id,
  QUERN_CALLS(X)
#undef X
};

inline constexpr size_t kCallCount = 0
#define X(id, text) +1
    QUERN_CALLS(X)
#undef X
    ;

std::string_view name(Call call);
std::optional<Call> find_call(std::string_view name);

inline bool can_fail(Call call) { return call < Call::kTakeOutput; }

}  // namespace quern::forward
