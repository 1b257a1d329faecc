/// @file
/// Several streams with automatic ordering by buffer use.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "quern/device.hpp"
#include "quern/stream.hpp"

namespace quern {

/// A range of a buffer that a command reads or writes.
struct Use {
  /// A range that is read.
  template <typename T>
  static Use read(const Slice<T>& slice) {
    return {slice.bytes(), false};
  }
  /// A range that is written.
  template <detail::Writable T>
  static Use write(const Slice<T>& slice) {
    return {slice.bytes(), true};
  }
  /// A buffer that is written.
  template <typename T>
  static Use write(Buffer<T>& buffer) {
    return {buffer.bytes(), true};
  }
  /// The range.
  detail::Bytes bytes;
  /// Whether the command writes to it.
  bool is_written = true;
};

/// Distributes work over several streams of a device. Commands that access the same elements of a buffer run
/// in the order of the calls, unless all of them only read. All other commands may run concurrently.
///
/// @code
/// quern::Streams streams(gpu);
/// streams.upload(a, first);
/// streams.upload(b, second);                          // concurrent with the first upload
/// streams.launch(add, quern::threads(n), a, b, sum);  // after both
/// streams.download(result, sum);
/// streams.synchronize();
/// @endcode
///
/// For kernels of a module, the code determines which parameters are written. For inline kernels, the types
/// of the parameters do: `const T*` is a read, `T*` a write. Not tracked: buffers that kernels reach through
/// pointers in memory, and work outside this object; call synchronize() in between. Thread-safe.
class Streams {
 public:
  /// Creates `count` streams.
  explicit Streams(const Device& device, std::size_t count = 4) {
    for (std::size_t i = 0; i < std::max<std::size_t>(1, count); ++i)
      streams_.push_back(device.create_stream());
  }

  /// Number of streams.
  std::size_t size() const { return streams_.size(); }
  /// The streams in turn, for work that the program orders itself.
  const Stream& next() {
    const std::lock_guard lock(mutex_);
    return streams_[turn()];
  }

  /// Enqueues a kernel of a module. See Stream::launch.
  template <typename... A>
  Receipt launch(const Kernel& kernel, const LaunchConfig& config, A&&... arguments) {
    const std::array<Argument, sizeof...(A)> list{Argument(std::forward<A>(arguments))...};
    std::vector<Use> uses;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].has_memory()) uses.push_back({list[i].memory(), kernel.writes(i)});
    }
    Receipt receipt;
    run(uses, [&](const Stream& s) { receipt = s.launch_list(kernel, config, list); });
    return receipt;
  }
  /// Enqueues an inline kernel. See Stream::launch.
  template <typename B, detail::Text N, detail::Text L, typename... A>
  Receipt launch(const InlineKernel<B, N, L>& kernel, const LaunchConfig& config, A&&... arguments) {
    std::vector<Use> uses;
    std::size_t parameter = 0;
    (add_use(uses, arguments, InlineKernel<B, N, L>::writes(parameter++)), ...);
    Receipt receipt;
    run(uses, [&](const Stream& s) { receipt = s.launch(kernel, config, arguments...); });
    return receipt;
  }
  /// Copies from the host. See Stream::upload.
  template <detail::Writable T>
  void upload(const Slice<T>& to, std::span<const std::type_identity_t<T>> from) {
    run({Use::write(to)}, [&](const Stream& s) { s.upload(to, from); });
  }
  /// The same to a whole buffer.
  template <detail::Plain T>
  void upload(Buffer<T>& to, std::span<const std::type_identity_t<T>> from) {
    upload(Slice<T>(to), from);
  }
  /// Copies to the host. See Stream::download.
  template <detail::Plain T>
  void download(std::type_identity_t<std::span<std::remove_const_t<T>>> to, const Slice<T>& from) {
    run({Use::read(from)}, [&](const Stream& s) { s.download(to, from); });
  }
  /// Copies within the device. See Stream::copy.
  template <detail::Writable T>
  void copy(const Slice<T>& to, const Slice<const std::type_identity_t<T>>& from) {
    run({Use::write(to), Use::read(from)}, [&](const Stream& s) { s.copy(to, from); });
  }
  /// The same to a whole buffer.
  template <detail::Plain T>
  void copy(Buffer<T>& to, const Slice<const std::type_identity_t<T>>& from) {
    copy(Slice<T>(to), from);
  }
  /// Sets all elements to `value`. See Stream::fill.
  template <detail::Writable T>
  void fill(const Slice<T>& to, const std::type_identity_t<T>& value) {
    run({Use::write(to)}, [&](const Stream& s) { s.fill(to, value); });
  }
  /// The same for a whole buffer.
  template <detail::Plain T>
  void fill(Buffer<T>& to, const std::type_identity_t<T>& value) {
    fill(Slice<T>(to), value);
  }

  /// Calls `work` with a stream, ordered by the declared uses.
  template <typename Work>
  void run(const std::vector<Use>& uses, const Work& work) {
    const std::lock_guard lock(mutex_);
    const std::size_t at = place(uses);
    const Stream& stream = streams_[at];
    for (const Use& u : uses) {
      for (const Access& a : accesses_[u.bytes.number]) {
        if (a.stream != at && a.conflicts(u)) stream.wait(a.event);
      }
    }
    work(stream);
    const Event event = stream.record();
    for (const Use& u : uses) note(accesses_[u.bytes.number], u, at, event);
    if (accesses_.size() > kMany) forget_reached();
  }

  /// Blocks until all streams are idle.
  void synchronize() {
    const std::lock_guard lock(mutex_);
    for (const Stream& s : streams_) s.synchronize();
    accesses_.clear();
  }

 private:
  static constexpr std::size_t kMany = 256;

  // A use of a buffer range by a command of one stream.
  struct Access {
    std::uint64_t begin = 0, end = 0;
    bool is_written = false;
    std::size_t stream = 0;
    Event event;

    bool conflicts(const Use& u) const {
      return (is_written || u.is_written) && begin < u.bytes.offset + u.bytes.size && u.bytes.offset < end;
    }
  };

  std::size_t turn() { return turn_++ % streams_.size(); }

  // If all conflicting commands are on one stream, that stream: its order is sufficient.
  std::size_t place(const std::vector<Use>& uses) {
    std::size_t at = streams_.size();
    for (const Use& u : uses) {
      for (const Access& a : accesses_[u.bytes.number]) {
        if (!a.conflicts(u) || a.stream == at) continue;
        if (at != streams_.size()) return turn();
        at = a.stream;
      }
    }
    return at != streams_.size() ? at : turn();
  }

  // A command that waits for a write need not wait for what the write waited for.
  static void note(std::vector<Access>& all, const Use& u, std::size_t stream, const Event& event) {
    const std::uint64_t begin = u.bytes.offset, end = begin + u.bytes.size;
    std::erase_if(all, [&](const Access& a) {
      const bool is_covered = begin <= a.begin && a.end <= end;
      return is_covered && (u.is_written || (a.stream == stream && !a.is_written));
    });
    if (all.size() > kMany) std::erase_if(all, [](const Access& a) { return a.event.reached(); });
    all.push_back({begin, end, u.is_written, stream, event});
  }

  void forget_reached() {
    for (auto& [number, all] : accesses_)
      std::erase_if(all, [](const Access& a) { return a.event.reached(); });
    std::erase_if(accesses_, [](const auto& entry) { return entry.second.empty(); });
  }

  template <typename T>
  static void add_use(std::vector<Use>& uses, const Slice<T>& slice, bool is_written) {
    uses.push_back({slice.bytes(), is_written});
  }
  template <typename T>
  static void add_use(std::vector<Use>& uses, const Buffer<T>& buffer, bool is_written) {
    uses.push_back({buffer.bytes(), is_written});
  }
  template <typename T>
  static void add_use(std::vector<Use>&, const T&, bool) {}

  std::mutex mutex_;
  std::vector<Stream> streams_;
  std::size_t turn_ = 0;
  std::map<std::uint64_t, std::vector<Access>> accesses_;  // by memory number
};

}  // namespace quern
