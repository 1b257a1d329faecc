// Actors of other ranks: the meaning of the messages that the messenger carries.
#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <thread>

#include "comm/actors/messenger.hpp"
#include "comm/failure.hpp"
#include "comm/saved/manifest.hpp"

namespace quern::comm {

using actors::Bytes;

namespace {

enum class Purpose : std::uint32_t { kSend, kCall, kReply, kError, kReturned };

// Before the content of each message.
struct Head {
  Purpose purpose = Purpose::kSend;
  std::uint32_t message_bytes = 0;  // of one of several messages
  std::uint64_t actor = 0;          // hash of its name
  std::uint64_t call = 0;           // number; of a returned message: the length of the reason
};

std::string text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
Bytes bytes_of_text(const std::string& text) { return std::as_bytes(std::span(text)); }
Bytes bytes_of_head(const Head& head) { return std::as_bytes(std::span(&head, 1)); }

}  // namespace

namespace detail {

struct RemoteCall::State {
  std::mutex mutex;
  std::condition_variable ended;
  bool is_done = false;
  std::optional<Error> error;
  std::vector<std::byte> reply;

  void finish(std::optional<Error> failure, Bytes bytes) {
    const std::lock_guard lock(mutex);
    if (is_done) return;
    error = std::move(failure);
    reply.assign(bytes.begin(), bytes.end());
    is_done = true;
    ended.notify_all();
  }
};

bool RemoteCall::wait_for(std::chrono::nanoseconds limit) const {
  if (state_ == nullptr) fail(ErrorKind::invalid_use, message::kNoCall());
  std::unique_lock lock(state_->mutex);
  return state_->ended.wait_for(lock, limit, [this] { return state_->is_done; });
}

void RemoteCall::take(void* reply, std::size_t bytes) {
  if (state_ == nullptr) fail(ErrorKind::invalid_use, message::kNoCall());
  const std::shared_ptr<State> state = std::exchange(state_, nullptr);
  std::unique_lock lock(state->mutex);
  state->ended.wait(lock, [&] { return state->is_done; });
  if (state->error) throw Error(*state->error);
  if (state->reply.size() != bytes)
    fail(ErrorKind::invalid_use,
         message::kReplySize(std::to_string(state->reply.size()), std::to_string(bytes)));
  if (bytes != 0) std::memcpy(reply, state->reply.data(), bytes);
}

// Locks: `mutex_`, never held while an actor or the messenger is called.
class Node final : public actors::Handler {
 public:
  Node(const Communicator& ranks, const NodeOptions& options)
      : on_dead_letter_(options.on_dead_letter), messenger_(ranks, options, *this) {
    replier_ = std::thread([this] { reply_to_calls(); });
  }
  ~Node() override { close(); }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  void add(const std::string& name, LocalActor actor) {
    const std::lock_guard lock(mutex_);
    actors_[saved::checksum_of(name)] = std::make_shared<LocalActor>(std::move(actor));
  }
  std::uint64_t id_of(int rank, const std::string& name) {
    if (rank < 0 || rank >= messenger_.size())
      fail(ErrorKind::invalid_use,
           message::kNoRank("ActorNode::actor", std::to_string(rank), std::to_string(messenger_.size())));
    const std::uint64_t id = saved::checksum_of(name);
    const std::lock_guard lock(mutex_);
    names_[id] = name;
    return id;
  }
  void send(int to, std::uint64_t actor, Bytes messages, std::size_t message_bytes) {
    const Head head{Purpose::kSend, static_cast<std::uint32_t>(message_bytes), actor, 0};
    messenger_.send(to, bytes_of_head(head), messages, true);
  }
  RemoteCall call(int to, std::uint64_t actor, Bytes message) {
    const auto state = std::make_shared<RemoteCall::State>();
    Head head{Purpose::kCall, static_cast<std::uint32_t>(message.size()), actor, 0};
    {
      const std::lock_guard lock(mutex_);
      head.call = ++last_call_;
      calls_[head.call] = state;
    }
    try {
      messenger_.send(to, bytes_of_head(head), message, true);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      calls_.erase(head.call);
      throw;
    }
    return RemoteCall(state);
  }
  void flush() { messenger_.flush(); }
  void close() {
    {
      std::unique_lock lock(mutex_);
      answered_.wait(lock, [this] { return calls_.empty(); });
    }
    messenger_.close();
    {
      const std::lock_guard lock(mutex_);
      is_closed_ = true;
      called_.notify_all();
    }
    if (replier_.joinable()) replier_.join();
  }

  void receive(int from, Bytes message) override;
  void lose(int to, Bytes message) override;
  void fail_all(const Error& error) override;

 private:
  struct Pending {
    int from;
    std::uint64_t number;
    std::unique_ptr<LocalCall> call;
  };

  std::shared_ptr<LocalActor> find(std::uint64_t actor) {
    const std::lock_guard lock(mutex_);
    const auto found = actors_.find(actor);
    return found != actors_.end() ? found->second : nullptr;
  }
  std::string refusal(const LocalActor* actor, const Head& head, Bytes content) const;
  void handle(int from, const Head& head, Bytes content);
  void refuse(int from, const Head& head, Bytes content, const std::string& why);
  void answer(int to, const Head& head, Bytes content);
  void finish_call(std::uint64_t number, std::optional<Error> error, Bytes reply);
  void bury(int rank, const Head& head, Bytes messages, const std::string& why);
  void reply_to_calls();
  void reply_to(Pending& pending);

  const std::function<void(const LostMessage&)> on_dead_letter_;
  std::mutex mutex_;
  std::condition_variable called_, answered_;
  std::map<std::uint64_t, std::shared_ptr<LocalActor>> actors_;
  std::map<std::uint64_t, std::string> names_;
  std::map<std::uint64_t, std::shared_ptr<RemoteCall::State>> calls_;
  std::uint64_t last_call_ = 0;
  std::list<Pending> arriving_;  // calls for the thread of replies
  bool is_closed_ = false;
  std::thread replier_;
  actors::Messenger messenger_;  // its threads use all of the above
};

void Node::receive(int from, Bytes message) {
  Head head;
  if (message.size() < sizeof head) return;
  std::memcpy(&head, message.data(), sizeof head);
  const Bytes content = message.subspan(sizeof head);
  switch (head.purpose) {
    case Purpose::kSend:
    case Purpose::kCall: return handle(from, head, content);
    case Purpose::kReply: return finish_call(head.call, std::nullopt, content);
    case Purpose::kError:
      return finish_call(
          head.call,
          make_error(ErrorKind::io, message::kRemoteFailed(std::to_string(from), text_of(content))), {});
    case Purpose::kReturned: {
      const auto reason = static_cast<std::size_t>(std::min<std::uint64_t>(head.call, content.size()));
      return bury(from, head, content.subspan(reason), text_of(content.first(reason)));
    }
  }
}

// Why the actor cannot get the messages; empty: it can.
std::string Node::refusal(const LocalActor* actor, const Head& head, Bytes content) const {
  if (actor == nullptr) return message::kNotPublished().text;
  if (head.message_bytes != actor->message_bytes || content.size() % std::max(1u, head.message_bytes) != 0)
    return message::kMessageSize(std::to_string(head.message_bytes), std::to_string(actor->message_bytes))
        .text;
  return {};
}

void Node::handle(int from, const Head& head, Bytes content) {
  const std::shared_ptr<LocalActor> actor = find(head.actor);
  if (const std::string why = refusal(actor.get(), head, content); !why.empty())
    return refuse(from, head, content, why);
  try {
    if (head.purpose == Purpose::kSend) return actor->send(content);
    Pending pending{from, head.call, actor->call(content)};
    const std::lock_guard lock(mutex_);
    arriving_.push_back(std::move(pending));
    called_.notify_one();
  } catch (const Error& error) {
    refuse(from, head, content, error.message());
  }
}

void Node::refuse(int from, const Head& head, Bytes content, const std::string& why) {
  if (head.purpose == Purpose::kCall) {
    Head error = head;
    error.purpose = Purpose::kError;
    return answer(from, error, bytes_of_text(why));
  }
  Head returned = head;
  returned.purpose = Purpose::kReturned;
  returned.call = why.size();
  const std::string all = why + text_of(content);
  answer(from, returned, bytes_of_text(all));
}

void Node::answer(int to, const Head& head, Bytes content) {
  try {
    messenger_.send(to, bytes_of_head(head), content, false);
  } catch (const Error&) {  // the messenger has failed, so the other rank gets that error
  }
}

void Node::finish_call(std::uint64_t number, std::optional<Error> error, Bytes reply) {
  std::shared_ptr<RemoteCall::State> state;
  {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.find(number);
    if (found == calls_.end()) return;
    state = std::move(found->second);
    calls_.erase(found);
    answered_.notify_all();
  }
  state->finish(std::move(error), reply);
}

void Node::bury(int rank, const Head& head, Bytes messages, const std::string& why) {
  if (!on_dead_letter_) return;
  LostMessage lost{rank, {}, {}, why};
  {
    const std::lock_guard lock(mutex_);
    lost.actor = names_[head.actor];
  }
  const std::size_t step = std::max(1u, head.message_bytes);
  for (std::size_t at = 0; at + step <= messages.size(); at += step) {
    const Bytes one = messages.subspan(at, step);
    lost.message.assign(one.begin(), one.end());
    on_dead_letter_(lost);
  }
}

void Node::lose(int to, Bytes message) {
  Head head;
  if (message.size() < sizeof head) return;
  std::memcpy(&head, message.data(), sizeof head);
  if (head.purpose == Purpose::kSend || head.purpose == Purpose::kCall)
    bury(to, head, message.subspan(sizeof head), message::kRankIsDead(std::to_string(to)).text);
}

void Node::fail_all(const Error& error) {
  std::map<std::uint64_t, std::shared_ptr<RemoteCall::State>> calls;
  {
    const std::lock_guard lock(mutex_);
    calls.swap(calls_);
    answered_.notify_all();
  }
  for (const auto& [number, state] : calls) state->finish(error, {});
}

void Node::reply_to_calls() {
  std::list<Pending> pending;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (pending.empty()) called_.wait(lock, [this] { return is_closed_ || !arriving_.empty(); });
      if (is_closed_) return;
      pending.splice(pending.end(), arriving_);
    }
    bool is_any = false;
    for (auto at = pending.begin(); at != pending.end();) {
      const bool is_ready = at->call->wait_for(std::chrono::nanoseconds(0));
      if (is_ready) reply_to(*at);
      is_any = is_any || is_ready;
      at = is_ready ? pending.erase(at) : std::next(at);
    }
    if (!is_any && !pending.empty()) (void)pending.front().call->wait_for(std::chrono::microseconds(200));
  }
}

void Node::reply_to(Pending& pending) {
  Head head{Purpose::kReply, 0, 0, pending.number};
  try {
    const std::vector<std::byte> reply = pending.call->take();
    answer(pending.from, head, reply);
  } catch (const Error& error) {
    head.purpose = Purpose::kError;
    answer(pending.from, head, bytes_of_text(error.message()));
  }
}

}  // namespace detail

RemoteActor::RemoteActor(std::shared_ptr<detail::Node> node, int rank, std::string name)
    : node_(std::move(node)), rank_(rank), id_(node_->id_of(rank, name)), name_(std::move(name)) {}

void RemoteActor::send(std::span<const std::byte> messages, std::size_t message_bytes) const {
  if (node_ == nullptr) fail(ErrorKind::invalid_use, message::kNoRemoteActor());
  node_->send(rank_, id_, messages, message_bytes);
}

detail::RemoteCall RemoteActor::call(std::span<const std::byte> message) const {
  if (node_ == nullptr) fail(ErrorKind::invalid_use, message::kNoRemoteActor());
  return node_->call(rank_, id_, message);
}

ActorNode::ActorNode(const Communicator& ranks, const NodeOptions& options) {
  if (!ranks) fail(ErrorKind::invalid_use, message::kNoCommunicator("ActorNode"));
  if (options.frame_bytes == 0 || options.window_bytes < 1024)
    fail(ErrorKind::invalid_use, message::kBadNodeOptions());
  node_ = std::make_shared<detail::Node>(ranks, options);
}
ActorNode::~ActorNode() { close(); }

RemoteActor ActorNode::actor(int rank, const std::string& name) const { return {node_, rank, name}; }
void ActorNode::add(const std::string& name, detail::LocalActor actor) const {
  node_->add(name, std::move(actor));
}
void ActorNode::flush() const { node_->flush(); }
void ActorNode::close() const { node_->close(); }

}  // namespace quern::comm
