#include "quern/stream.hpp"

#include <memory>
#include <type_traits>

#include "api/child_launches.hpp"
#include "api/messages.hpp"
#include "api/state.hpp"
#include "base/text.hpp"
#include "quern/access.hpp"
#include "quern/device.hpp"
#include "runtime/callback.hpp"

namespace quern {

void detail::refuse_launch_size(std::uint64_t size) {
  if (size > INT64_MAX) {
    raise(base::Error(base::ErrorKind::invalid_use,
                      detail::message::kNegativeSize(std::to_string(static_cast<long long>(size)))));
  }
  raise(base::Error(base::ErrorKind::invalid_use,
                    detail::message::kSizeExceeds(std::to_string(size), std::to_string(UINT32_MAX))));
}

namespace {

using detail::range;

constexpr std::size_t kMaxArguments = 128;

// The arguments of one launch. Only those that exist are initialized.
class HostArguments {
 public:
  explicit HostArguments(std::span<const Argument> from) : count_(from.size()) {
    for (std::size_t i = 0; i < count_; ++i) convert(from[i], *std::construct_at(data() + i));
  }
  std::span<const runtime::HostArgument> all() { return {data(), count_}; }

 private:
  static_assert(std::is_trivially_destructible_v<runtime::HostArgument>);
  static void convert(const Argument& a, runtime::HostArgument& out);
  runtime::HostArgument* data() { return reinterpret_cast<runtime::HostArgument*>(memory_); }

  std::size_t count_;
  alignas(runtime::HostArgument) std::byte memory_[kMaxArguments * sizeof(runtime::HostArgument)];
};

void HostArguments::convert(const Argument& a, runtime::HostArgument& out) {
  out.number_bytes = a.width();
  out.kind = a.kind();
  switch (a.kind()) {
    case ArgumentKind::integer: out.integer = a.integer(); break;
    case ArgumentKind::boolean:
    case ArgumentKind::unsigned_integer: out.unsigned_integer = a.unsigned_integer(); break;
    case ArgumentKind::real: out.real = a.real(); break;
    case ArgumentKind::bytes:
      out.bytes = a.bytes();
      out.size = a.element();
      break;
    case ArgumentKind::memory:
      out.slice = range(a.memory());
      out.size = a.element();
      out.element = a.element_type().kind;
      out.type = a.element_type().name;
      break;
    case ArgumentKind::texture:
    case ArgumentKind::surface:
    case ArgumentKind::tensor_map:
      out.bytes = a.bytes();
      out.size = a.element();
      if (a.memory().memory != nullptr) out.slice = range(a.memory());
      break;
    case ArgumentKind::null: break;
  }
}

detail::DeviceState& device_of(const std::shared_ptr<detail::StreamState>& state) {
  if (state == nullptr) {
    detail::raise(base::Error(base::ErrorKind::invalid_use, detail::message::kEmptyStream()));
  }
  if (state->device != nullptr) return *state->device;
  const auto owner = state->owner.lock();
  if (owner == nullptr) {
    detail::raise(base::Error(base::ErrorKind::invalid_use, detail::message::kDeviceClosed()));
  }
  return *owner;
}

}  // namespace

detail::StreamState::~StreamState() {
  if (native == nullptr) return;
  auto held = std::make_shared<std::unique_ptr<runtime::Stream>>(std::move(native));
  runtime::release_outside_callbacks(*device->device,
                                     [held, keeps = device] { runtime::Stream::close(std::move(*held)); });
}

Device Stream::device() const {
  (void)device_of(state_);  // throws if it is closed
  return detail::Access::device(state_->device != nullptr ? state_->device : state_->owner.lock());
}

runtime::Stream& Stream::native() const {
  detail::DeviceState& device = device_of(state_);
  return state_->native != nullptr ? *state_->native : device.device->default_stream();
}

// A kernel that may store through a parameter gets no memory that is read-only for the program. Nothing is
// known about the stores of native code.
static void check_writes(const runtime::Stream& stream, const runtime::Kernel& kernel,
                         std::span<const Argument> arguments) {
  const auto& parameters = kernel.info().params;
  for (std::size_t i = 0; i < arguments.size() && i < parameters.size(); ++i) {
    if (!arguments[i].is_read_only() || !parameters[i].is_written || kernel.is_raw()) continue;
    detail::raise(base::Error(base::ErrorKind::invalid_use,
                              detail::message::kReadOnlyArgument(kernel.info().name, std::to_string(i + 1),
                                                                 parameters[i].name)),
                  &stream, kernel.info().name);
  }
}

// A timed launch has an event before and after it.
static driver::Launch launch_kernel(const Stream& stream, runtime::Stream& native, runtime::Kernel& kernel,
                                    const LaunchConfig& config, std::span<const Argument> arguments,
                                    Event& begin, Event& end) {
  const std::string& name = kernel.info().name;
  if (arguments.size() > kMaxArguments) {
    detail::raise(base::Error(base::ErrorKind::unsupported,
                              detail::message::kTooManyArguments(name, std::to_string(arguments.size()),
                                                                 std::to_string(kMaxArguments))),
                  &native, name);
  }
  HostArguments given(arguments);
  if (config.is_timed) {
    detail::unwrap(native.prepare(kernel, config), &native, name);
    begin = stream.record();
  }
  const driver::Launch launched = detail::unwrap(native.launch(kernel, config, given.all()), &native, name);
  if (config.is_timed) end = stream.record();
  return launched;
}

Receipt Stream::launch_list(const Kernel& kernel, const LaunchConfig& config,
                            std::span<const Argument> arguments) const {
  runtime::Stream& stream = native();
  if (kernel.state_ == nullptr) {
    detail::raise(base::Error(base::ErrorKind::invalid_use, detail::message::kEmptyKernel()), &stream);
  }
  check_writes(stream, *kernel.state_, arguments);
  Receipt receipt;
  launch_state(stream, kernel.state_, config, arguments, receipt);
  return receipt;
}

void Stream::launch_inline(const detail::KernelText& kernel, const LaunchConfig& config,
                           std::span<const Argument> arguments, Receipt& receipt) const {
  launch_state(native(), detail::inline_kernel(device_of(state_), kernel), config, arguments, receipt);
}

void Stream::launch_state(runtime::Stream& native, std::shared_ptr<runtime::Kernel> kernel,
                          const LaunchConfig& config, std::span<const Argument> arguments,
                          Receipt& receipt) const {
  const driver::Launch launched =
      launch_kernel(*this, native, *kernel, config, arguments, receipt.begin_, receipt.end_);
  receipt.is_timed_ = config.is_timed;
  receipt.grid_ = launched.grid;
  receipt.block_ = launched.block;
  if (kernel->has_compile_seconds()) receipt.compile_seconds_ = kernel->take_compile_seconds();
  receipt.kernel_ = detail::with_child_launches(std::move(kernel));
}

void Stream::upload_bytes(const detail::Bytes& to, const void* from, std::uint64_t bytes) const {
  detail::unwrap(native().upload(range(to), from, bytes), &native());
}

void Stream::download_bytes(void* to, const detail::Bytes& from, std::uint64_t bytes) const {
  detail::unwrap(native().download(to, range(from), bytes), &native());
}

void Stream::copy_bytes(const detail::Bytes& to, const detail::Bytes& from) const {
  detail::unwrap(native().copy(range(to), range(from)), &native());
}

void Stream::fill_bytes(const detail::Bytes& to, std::uint64_t value, std::uint32_t width) const {
  detail::unwrap(native().fill(range(to), value, width), &native());
}

Event Stream::record() const { return Event(detail::unwrap(native().record(), &native())); }

void Stream::wait(const Event& event) const {
  if (event.state_ != nullptr) detail::unwrap(native().wait(*event.state_), &native());
}

void Stream::synchronize() const { detail::unwrap(native().synchronize(), &native()); }

bool Stream::idle() const { return record().reached(); }

void Stream::call(std::function<void()> function) const {
  if (function == nullptr)
    detail::raise(base::Error(base::ErrorKind::invalid_use, detail::message::kEmptyFunction()));
  auto guarded = [function = std::move(function)] {
    try {
      function();
    } catch (const Error& e) {
      throw base::Error(e.kind(), e.message());  // lower layers do not know this class
    }
  };
  detail::unwrap(native().call(std::move(guarded)), &native());
}

std::string Stream::take_output() const { return detail::unwrap(native().take_output(), &native()); }

}  // namespace quern
