#include "quern/session.hpp"

#include <algorithm>

#include "api/messages.hpp"
#include "api/public_info.hpp"
#include "api/state.hpp"
#include "runtime/session.hpp"

namespace quern {

struct Session::State {
  runtime::Session session;
  struct Kept {
    std::string name;
    detail::Bytes bytes;
    runtime::MemoryPtr memory;
  };
  std::vector<Kept> kept;
};

Session::Session(Device device, std::shared_ptr<State> state)
    : device_(std::move(device)), state_(std::move(state)) {}

Session detail::public_session(runtime::Session session) {
  auto state = std::make_shared<Session::State>();
  state->session = std::move(session);
  Device device = detail::public_device(state->session.device);
  return {std::move(device), std::move(state)};
}

Session::Session(const SessionOptions& options) : state_(std::make_shared<State>()) {
  runtime::SessionRequest request;
  request.device = detail::native_request({options.device, options.accepts, options.policy});
  request.may_move = options.may_move;
  request.on_recovery = options.on_recovery;
  state_->session = detail::unwrap(runtime::open_session(request));
  device_ = detail::public_device(state_->session.device);
}

Session::State& Session::state() const {
  if (state_ == nullptr)
    detail::raise(base::Error(base::ErrorKind::invalid_use, detail::message::kMovedSession()));
  return *state_;
}

std::uint64_t Session::losses() const { return state().session.recoverable->generation(); }

void Session::checkpoint() const {
  const runtime::Session& session = state().session;
  detail::unwrap(session.recoverable->checkpoint(), session.device.get());
}

void Session::keep_bytes(const std::string& name, const detail::Bytes& bytes) {
  runtime::Device& device = *state().session.device;
  const auto refuse = [&](const std::string& sentence) {
    detail::raise(base::Error(base::ErrorKind::invalid_use, detail::message::kKeepFailed(sentence)), &device);
  };
  if (name.empty() || name.find('\n') != std::string::npos)
    refuse("its name must be one line that is not empty");
  if (bytes.memory == nullptr || &detail::range(bytes).memory->device() != &device)
    refuse("'" + name + "' is not a buffer of the session's device");
  for (const State::Kept& k : state_->kept) {
    if (k.name == name) refuse("another buffer has the name '" + name + "'");
  }
  state_->kept.push_back({name, bytes, runtime::MemoryPtr::share(*bytes.memory)});
}

namespace {

// Continue after a failure: the other copies are in flight, and their memory is about to be freed.
void finish_copies(runtime::Device& device, const base::Result<>& copied) {
  auto over = device.synchronize();
  detail::unwrap(base::Result<>(copied), &device);
  detail::unwrap(std::move(over), &device);
}

}  // namespace

void Session::save(const std::string& path) const {
  runtime::Device& device = *state().session.device;
  std::vector<runtime::Saved> all;
  base::Result<> copied;
  for (const State::Kept& k : state_->kept) {
    runtime::Saved& saved = all.emplace_back(runtime::Saved{k.name, std::vector<std::byte>(k.bytes.size)});
    const runtime::Slice range{k.bytes.memory, k.bytes.offset, k.bytes.size};
    if (copied.ok()) copied = device.default_stream().download(saved.bytes.data(), range, k.bytes.size);
  }
  finish_copies(device, copied);
  detail::unwrap(runtime::save(path, all), &device);
}

void Session::restore(const std::string& path) const {
  runtime::Device& device = *state().session.device;
  const std::vector<runtime::Saved> all = detail::unwrap(runtime::read_saved(path), &device);
  std::vector<std::pair<const State::Kept*, const runtime::Saved*>> pairs;
  for (const State::Kept& k : state_->kept) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const runtime::Saved& s) { return s.name == k.name; });
    if (found == all.end() || found->bytes.size() != k.bytes.size)
      detail::raise(base::Error(base::ErrorKind::bad_input,
                                detail::message::kNotSaved(path, k.name, std::to_string(k.bytes.size))),
                    &device);
    pairs.emplace_back(&k, &*found);
  }
  base::Result<> copied;
  for (const auto& [kept, saved] : pairs) {
    const runtime::Slice range{kept->bytes.memory, kept->bytes.offset, kept->bytes.size};
    if (copied.ok()) copied = device.default_stream().upload(range, saved->bytes.data(), saved->bytes.size());
  }
  finish_copies(device, copied);
}

}  // namespace quern
