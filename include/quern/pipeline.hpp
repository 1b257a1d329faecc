/// @file
/// Pipelines: batches whose copies and kernels overlap.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "quern/device.hpp"
#include "quern/error.hpp"
#include "quern/stream.hpp"

namespace quern {

/// Progress of a pipeline.
struct PipelineProgress {
  std::size_t pushed = 0;   ///< Batches passed to push().
  std::size_t done = 0;     ///< Completed batches.
  std::uint64_t bytes = 0;  ///< Input and output bytes of completed batches.
  double seconds = 0;       ///< Since the first push.
};

/// Options of a pipeline.
struct PipelineOptions {
  std::size_t depth = 3;                                          ///< Maximum batches in flight.
  std::function<void(const PipelineProgress&)> on_progress = {};  ///< Called after each result.
};

/// Processes a sequence of batches. While one is computed, the next is uploaded and the previous one is
/// downloaded.
///
/// @code
/// quern::Pipeline<float, float> pipeline(
///     gpu, n, n,
///     [&](const quern::Stream& s, quern::Slice<float> in, quern::Slice<float> out, std::size_t) {
///       s.launch(step, quern::threads(in.size()), in, out);
///     },
///     [&](std::span<const float> result, std::size_t batch) { write(result); });
/// while (read(batch)) pipeline.push(batch);
/// pipeline.finish();
/// @endcode
///
/// When `depth` batches are in flight, push() waits for the oldest one and delivers its result. Results are
/// delivered in order, on the thread that pushes; exceptions of the callbacks reach the caller of push() or
/// finish(). If host and device share memory, nothing is copied. Not thread-safe.
template <detail::Plain In, detail::Plain Out>
class Pipeline {
 public:
  /// Submits the work of a batch to the stream; `in` has as many elements as were pushed.
  using Compute = std::function<void(const Stream& stream, const Slice<In>& in, const Slice<Out>& out,
                                     std::size_t batch)>;
  /// Receives the output of a batch.
  using Result = std::function<void(std::span<const Out> result, std::size_t batch)>;

  /// `in` and `out`: maximum elements of a batch's input and output.
  Pipeline(const Device& device, std::size_t in, std::size_t out, Compute compute, Result result,
           PipelineOptions options = {})
      : compute_(std::move(compute)),
        result_(std::move(result)),
        options_(std::move(options)),
        slots_(std::max<std::size_t>(1, options_.depth)),
        upload_(device.create_stream()),
        run_(device.create_stream()),
        download_(device.create_stream()) {
    for (Slot& s : slots_) {
      s.in = device.allocate<In>(in, MemoryKind::device, "pipeline in");
      s.out = device.allocate<Out>(out, MemoryKind::device, "pipeline out");
      s.from = HostSide<In>(device, s.in);
      s.to = HostSide<Out>(device, s.out);
    }
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;
  ~Pipeline() = default;  ///< Waits. Results that were not delivered are discarded.

  /// Submits a batch. The data is copied before this returns.
  void push(std::span<const In> data) {
    push_with([&](std::span<In> to) {
      if (data.size() > to.size()) to = {};  // reported by push_with
      if (!to.empty()) std::memcpy(to.data(), data.data(), data.size_bytes());
      return data.size();
    });
  }

  /// Submits a batch that `fill` writes directly to the staging memory; it returns the number of elements.
  template <typename Fill>
  void push_with(const Fill& fill) {
    if (pushed_ == 0) begin_ = Clock::now();
    Slot& s = slots_[pushed_ % slots_.size()];
    if (s.is_busy) deliver(s);
    const std::size_t count = fill(s.from.elements);
    const Slice<In> in = s.in.slice(0, count);  // throws if there are more than fit
    s.batch = pushed_;
    try {
      submit(s, in);
    } catch (...) {  // wait for commands in flight before the slot is reused
      upload_.synchronize();
      run_.synchronize();
      throw;
    }
    s.is_busy = true;
    s.count = count;
    ++pushed_;
  }

  /// Waits for all batches and delivers their results.
  void finish() {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      Slot& s = slots_[(pushed_ + i) % slots_.size()];
      if (s.is_busy) deliver(s);
    }
  }

  /// Progress so far.
  PipelineProgress progress() const {
    const std::chrono::duration<double> took = pushed_ == 0 ? Clock::duration(0) : Clock::now() - begin_;
    return {pushed_, done_, bytes_, took.count()};
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Host side of a batch: the device's memory itself, pinned memory, or ordinary memory.
  template <typename T>
  struct HostSide {
    HostSide() = default;
    HostSide(const Device& device, const Slice<T>& there)
        : elements(there.host()), is_shared(!elements.empty()) {
      if (is_shared || there.empty()) return;
      try {
        pinned = device.allocate<T>(there.size(), MemoryKind::pinned, "pipeline");
        elements = pinned.host();
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::unsupported && error.kind() != ErrorKind::out_of_memory) throw;
      }
      if (!elements.empty()) return;
      plain.resize(there.size_bytes());
      elements = {reinterpret_cast<T*>(plain.data()), there.size()};
    }
    Buffer<T> pinned;
    std::vector<std::byte> plain;
    std::span<T> elements;
    bool is_shared = false;
  };

  struct Slot {
    Buffer<In> in;
    Buffer<Out> out;
    HostSide<In> from;
    HostSide<Out> to;
    Event done;
    std::size_t batch = 0, count = 0;
    bool is_busy = false;
  };

  void submit(Slot& s, const Slice<In>& in) {
    if (!s.from.is_shared) {
      upload_.upload(in, s.from.elements.first(in.size()));
      run_.wait(upload_.record());
    }
    compute_(run_, in, s.out, s.batch);
    s.done = run_.record();
    if (s.to.is_shared) return;
    download_.wait(s.done);
    download_.download(s.to.elements, Slice<Out>(s.out));
    s.done = download_.record();
  }

  void deliver(Slot& s) {
    s.done.wait();
    s.is_busy = false;
    ++done_;
    bytes_ += s.count * sizeof(In) + s.out.size_bytes();
    if (result_) result_(s.to.elements, s.batch);
    if (options_.on_progress) options_.on_progress(progress());
  }

  Compute compute_;
  Result result_;
  PipelineOptions options_;
  std::vector<Slot> slots_;
  Stream upload_, run_, download_;  // destroyed first, and wait
  std::size_t pushed_ = 0, done_ = 0;
  std::uint64_t bytes_ = 0;
  Clock::time_point begin_;
};

}  // namespace quern
