#include "runtime/split_launch.hpp"

#include <algorithm>

#include "base/round_up.hpp"
#include "base/text.hpp"
#include "runtime/messages.hpp"

namespace quern::runtime {

using base::Error;
using base::ErrorKind;
using driver::Command;

namespace {

constexpr uint32_t kWord = 4;
constexpr uint64_t kMaxWithoutAddresses = (uint64_t{1} << 31) - 1;  // kernels compute such indices in i32

Command fill(const driver::Place& to, uint32_t value) {
  Command c;
  c.kind = Command::Kind::kFill;
  c.to = to;
  c.value = value;
  c.width = kWord;
  c.bytes = kWord;
  return c;
}

}  // namespace

Result<SplitMemory> allocate_frames(Device& device, const pass::SplitKernel& kernel,
                                    const driver::Launch& launch) {
  constexpr uint64_t kBlockAlign = 16;
  const pass::FrameLayout& f = kernel.frames;
  const uint64_t per_block =
      f.block_bytes + (f.saves_dynamic ? base::round_up(launch.shared_bytes, kBlockAlign) : 0);
  const uint64_t bytes =
      pass::kFrameHeader + launch.grid.count() * (launch.block.count() * f.thread_bytes + per_block);
  const bool has_addresses = device.info().features.has(driver::Feature::addresses);
  if (!has_addresses && bytes > kMaxWithoutAddresses) {
    return Error(ErrorKind::unsupported,
                 message::kFramesTooLarge(kernel.name, base::format_bytes(bytes), device.label(),
                                          base::format_bytes(kMaxWithoutAddresses)));
  }
  SplitMemory out;
  QUERN_TRY_ASSIGN(out.resume, device.allocate(kWord, driver::MemoryKind::device, "grid barrier"));
  QUERN_TRY_ASSIGN(out.frames, device.allocate(bytes, driver::MemoryKind::device, "grid barrier frames"));
  return out;
}

std::vector<Command> SplitRun::first() const { return {fill(resume, 0), fill(frames, 1)}; }

Command SplitRun::next() const {
  Command c;
  c.kind = Command::Kind::kCopy;
  c.to = resume;
  c.from = frames;
  c.bytes = kWord;
  return c;
}

// Each wait is followed by twice as many launches, since the host does not know how many there will be.
// Launches after the last one return immediately.
Result<> repeat_until_done(driver::Device& device, driver::Stream& stream, SplitRun run,
                           const std::function<Result<>()>& relaunch) {
  constexpr uint32_t kMostBetweenWaits = 32;
  if (!run.kernel.repeats) return {};
  for (uint32_t more = run.kernel.segments;; more = std::min(more * 2, kMostBetweenWaits)) {
    uint32_t word = 0;
    QUERN_TRY(device.download(stream, &word, run.frames, kWord));
    QUERN_TRY(device.synchronize(stream));
    const bool is_done = run.kernel.by_thread ? word != run.launches + 1 : word == pass::kGridDone;
    if (is_done) return {};
    for (uint32_t i = 0; i < more; ++i) QUERN_TRY(relaunch());
    run.launches += more;
  }
}

}  // namespace quern::runtime
