// Work in order. Calls return at once; the work runs on the device, one thing after the other. Different
// streams run beside each other and wait for each other by events. Any thread may use a stream.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "quern/argument.hpp"
#include "quern/buffer.hpp"
#include "quern/event.hpp"
#include "quern/export.hpp"
#include "quern/inline_kernel.hpp"
#include "quern/launch.hpp"
#include "quern/module.hpp"
#include "quern/receipt.hpp"

namespace quern {

namespace detail {
struct DeviceState;
struct StreamState;
}  // namespace detail

namespace runtime {
class Stream;
}

class QUERN_API Stream {
 public:
  Stream() = default;

  template <typename... A>
  void launch(const Kernel& kernel, const Shape& shape, const A&... arguments) const {
    const std::array<Argument, sizeof...(A)> list{Argument(arguments)...};
    launch_list(kernel, shape, list);
  }
  template <typename B, detail::Text N, detail::Text L, typename... A>
  void launch(const InlineKernel<B, N, L>& kernel, const Shape& shape, const A&... arguments) const {
    if constexpr (InlineKernel<B, N, L>::template takes<A...>()) {
      kernel.with_arguments([&](const auto& list) { launch_inline(kernel.text(), shape, list); },
                            arguments...);
    } else {
      InlineKernel<B, N, L>::template refuse<A...>();
    }
  }
  // The same with a list made at run time.
  void launch_list(const Kernel& kernel, const Shape& shape, std::span<const Argument> arguments) const;

  // These do not wait: the host's memory must stay as it is until the stream has passed them.
  template <detail::Plain T>
  void upload(const Slice<T>& to, std::span<const T> from) const {
    upload_bytes(to.bytes(), from.data(), from.size_bytes());
  }
  template <detail::Plain T>
  void download(std::span<T> to, const Slice<const T>& from) const {
    download_bytes(to.data(), from.bytes(), to.size_bytes());
  }
  template <detail::Plain T>
  void copy(const Slice<T>& to, const Slice<const T>& from) const {
    copy_bytes(to.bytes(), from.bytes());
  }

  Event record() const;                 // a point behind all work so far
  void wait(const Event& event) const;  // further work begins when the event is reached
  void synchronize() const;             // until all work is done; throws what went wrong
  bool idle() const;
  // Runs on a thread of the library when the stream comes to it. It must not call back into this stream.
  void call(std::function<void()> function) const;

  // What kernels wrote with printf since the last call.
  std::string printed() const;

 private:
  friend class Device;
  friend struct detail::StreamState;
  explicit Stream(std::shared_ptr<detail::StreamState> state) : state_(std::move(state)) {}
  runtime::Stream& native() const;
  void launch_inline(const detail::KernelText& kernel, const Shape& shape,
                     std::span<const Argument> arguments) const;
  void upload_bytes(const detail::Bytes& to, const void* from, std::uint64_t bytes) const;
  void download_bytes(void* to, const detail::Bytes& from, std::uint64_t bytes) const;
  void copy_bytes(const detail::Bytes& to, const detail::Bytes& from) const;

  std::shared_ptr<detail::StreamState> state_;
};

}  // namespace quern
