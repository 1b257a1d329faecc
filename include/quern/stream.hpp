/// @file
/// Streams: commands that run in order.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "quern/argument.hpp"
#include "quern/buffer.hpp"
#include "quern/event.hpp"
#include "quern/export.hpp"
#include "quern/graph.hpp"
#include "quern/launch.hpp"
#include "quern/module.hpp"
#include "quern/receipt.hpp"
#include "quern/text.hpp"

namespace quern {

namespace detail {
struct DeviceState;
struct KernelText;
struct StreamState;

// The type of a launch's argument: a buffer keeps its const, everything else is a value.
template <typename A>
struct GivenType : std::remove_cv<A> {};
template <typename T>
struct GivenType<const Buffer<T>> {
  using type = const Buffer<T>;
};
template <typename A>
using Given = typename GivenType<std::remove_reference_t<A>>::type;
}  // namespace detail

// Made by QUERN_KERNEL (quern/inline.hpp). Body::quern_body_ is the kernel as a function.
template <typename Body, detail::Text Name, detail::Text List,
          typename Signature = decltype(Body::quern_body_)>
class InlineKernel;

namespace runtime {
class Stream;
}

/// A sequence of commands that run in order. Streams run concurrently; events order them. Functions return
/// immediately unless stated otherwise. Errors of commands are thrown by the next call that waits. Copies
/// refer to the same stream. Thread-safe.
class QUERN_API Stream {
 public:
  Stream() = default;

  /// Enqueues a kernel of a module. Throws Error if arguments do not match the kernel's parameters, or if the
  /// kernel stores to a const buffer or a slice of const elements. The receipt says what ran.
  template <typename... A>
  Receipt launch(const Kernel& kernel, const LaunchConfig& config, A&&... arguments) const {
    const std::array<Argument, sizeof...(A)> list{Argument(std::forward<A>(arguments))...};
    return launch_list(kernel, config, list);
  }
  /// Enqueues an inline kernel. Arguments are checked at compile time.
  template <typename B, detail::Text N, detail::Text L, typename... A>
  Receipt launch(const InlineKernel<B, N, L>& kernel, const LaunchConfig& config, A&&... arguments) const {
    Receipt receipt;
    if constexpr (InlineKernel<B, N, L>::template takes<detail::Given<A>...>()) {
      kernel.with_arguments([&](const auto& list) { launch_inline(kernel.text(), config, list, receipt); },
                            arguments...);
    } else {
      InlineKernel<B, N, L>::template refuse<detail::Given<A>...>();
    }
    return receipt;
  }
  /// Enqueues a kernel with a list of arguments that was built at run time.
  Receipt launch_list(const Kernel& kernel, const LaunchConfig& config,
                      std::span<const Argument> arguments) const;

  /// Copies from the host. The host memory must stay valid and unchanged until the command has completed.
  template <detail::Writable T>
  void upload(const Slice<T>& to, std::span<const std::type_identity_t<T>> from) const {
    upload_bytes(to.bytes(), from.data(), from.size_bytes());
  }
  /// The same to a whole buffer.
  template <detail::Plain T>
  void upload(Buffer<T>& to, std::span<const std::type_identity_t<T>> from) const {
    upload(Slice<T>(to), from);
  }
  /// Copies to the host. The host memory must stay valid until the command has completed.
  template <detail::Plain T>
  void download(std::type_identity_t<std::span<std::remove_const_t<T>>> to, const Slice<T>& from) const {
    download_bytes(to.data(), from.bytes(), to.size_bytes());
  }
  /// Copies within a device, or between two devices, one of which is this stream's. A copy between devices is
  /// ordered after the work on the other device's default stream and is complete when the call returns.
  template <detail::Writable T>
  void copy(const Slice<T>& to, const Slice<const std::type_identity_t<T>>& from) const {
    copy_bytes(to.bytes(), from.bytes());
  }
  /// The same to a whole buffer.
  template <detail::Plain T>
  void copy(Buffer<T>& to, const Slice<const std::type_identity_t<T>>& from) const {
    copy_bytes(to.bytes(), from.bytes());
  }
  /// Sets all elements to `value`. Elements have 1, 2, 4 or 8 bytes.
  template <detail::Plain T>
  void fill(Buffer<T>& to, const std::type_identity_t<T>& value) const {
    fill(Slice<T>(to), value);
  }
  /// The same for a range.
  template <detail::Writable T>
  void fill(const Slice<T>& to, const std::type_identity_t<T>& value) const {
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                  "fill() takes elements of 1, 2, 4 or 8 bytes");
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    fill_bytes(to.bytes(), bits, sizeof(T));
  }

  /// The device. Throws Error with kind `invalid_use` if it is closed.
  Device device() const;

  /// Enqueues a graph of this device.
  void run(const Graph& graph) const;

  [[nodiscard]] Event record() const;   ///< Returns an event after all work so far.
  void wait(const Event& event) const;  ///< Makes later work of this stream wait for the event.
  void synchronize() const;             ///< Blocks until the stream is idle. Throws errors of its work.
  /// Whether all work of the stream has completed.
  bool idle() const;
  /// Submits a host function. It runs after the work submitted before and before the work submitted after
  /// it, on a thread of the library or on a thread that waits for the stream. Inside of it, every call that
  /// uses this device throws ErrorKind::invalid_use; buffers, streams and events may be destroyed. An
  /// exception that it throws is reported by the next synchronize().
  void call(std::function<void()> function) const;

  /// Waits for the stream's work and returns the output of kernel `printf` that was not delivered yet
  /// (Device::on_output), instead of delivering it. Throws errors of the work. On `cuda` and `hip` it
  /// is empty: their drivers write to the standard output themselves.
  std::string take_output() const;

 private:
  friend class Device;
  friend struct detail::StreamState;
  friend struct detail::Access;
  explicit Stream(std::shared_ptr<detail::StreamState> state) : state_(std::move(state)) {}
  runtime::Stream& native() const;
  void launch_inline(const detail::KernelText& kernel, const LaunchConfig& config,
                     std::span<const Argument> arguments, Receipt& receipt) const;
  void launch_state(runtime::Stream& native, std::shared_ptr<runtime::Kernel> kernel,
                    const LaunchConfig& config, std::span<const Argument> arguments, Receipt& receipt) const;
  void upload_bytes(const detail::Bytes& to, const void* from, std::uint64_t bytes) const;
  void download_bytes(void* to, const detail::Bytes& from, std::uint64_t bytes) const;
  void copy_bytes(const detail::Bytes& to, const detail::Bytes& from) const;
  void fill_bytes(const detail::Bytes& to, std::uint64_t value, std::uint32_t width) const;

  std::shared_ptr<detail::StreamState> state_;
};

}  // namespace quern
