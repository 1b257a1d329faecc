#include "comm/mpi/link.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

#include "comm/failure.hpp"
#include "comm/mpi/loader.hpp"

namespace quern::comm {

using detail::Kind;
using mpi_component::Exchange;

namespace {

// MPI may still use the memory of an exchange that was not completed, so it is never freed.
void keep_forever(std::shared_ptr<void> memory) {
  static std::mutex mutex;
  static auto* const kept = new std::vector<std::shared_ptr<void>>();
  const std::lock_guard lock(mutex);
  kept->push_back(std::move(memory));
}

}  // namespace

void Backoff::pause() {
  constexpr int kPolls = 30;
  constexpr std::chrono::microseconds kShortest{1}, kLongest{200};
  if (++count_ > kPolls) std::this_thread::sleep_for(std::min(kLongest, kShortest * (count_ - kPolls)));
}

Link::Link(const MpiOptions& options) : component_(load_mpi(options.implementation)) {
  const int* const handle = options.communicator ? &*options.communicator : nullptr;
  const int code = component_.connect(handle, &connection_, &rank_, &size_);
  if (code == mpi_component::kOneThread) fail(ErrorKind::unsupported, message::kOneThread());
  if (code == mpi_component::kIsFinalized) fail(ErrorKind::invalid_use, message::kFinalized());
  if (code != mpi_component::kNone) fail_with("mpi", code);
  try {
    finish("mpi", Deadline(options.timeout), nullptr);
  } catch (...) {
    component_.close(connection_, true);
    throw;
  }
}

Link::~Link() {
  component_.close(connection_, is_broken);
  if (!is_broken) return;
  keep_forever(std::move(memory_));
  keep_forever(std::shared_ptr<Words>(std::move(words_)));
}

void Link::fail_with(const char* operation, int code) const {
  std::array<char, 512> text{};
  component_.text(code, text.data(), text.size());
  using mpi_component::Class;
  const Class what = component_.class_of(code);
  const ErrorKind kind = what == Class::kTruncated  ? ErrorKind::invalid_use
                         : what == Class::kNoMemory ? ErrorKind::out_of_memory
                                                    : ErrorKind::io;
  fail(kind, message::kMpiError(operation, component_.name, text.data()));
}

void Link::finish(const char* operation, const Deadline& deadline, std::uint64_t* received) {
  bool is_done = false;
  std::uint64_t bytes = 0;
  for (Backoff backoff;; backoff.pause()) {
    const int code = component_.test(connection_, &is_done, &bytes);
    if (code != mpi_component::kNone) fail_with(operation, code);
    if (is_done) break;
    if (deadline.has_passed())
      fail(ErrorKind::timeout, message::kTimeout(operation, "another rank", deadline.seconds()));
  }
  if (received != nullptr) *received = bytes;
}

void Link::exchange(const char* operation, const Exchange& exchange, const Deadline& deadline,
                    std::uint64_t* received) {
  const bool was_broken = std::exchange(is_broken, true);
  const int code = component_.begin(connection_, &exchange);
  if (code != mpi_component::kNone) fail_with(operation, code);
  finish(operation, deadline, received);
  is_broken = was_broken;
}

void Link::maximum(const char* operation, std::uint64_t* words, std::size_t count, const Deadline& deadline) {
  const std::size_t bytes = count * sizeof *words;
  words_->out.resize(std::max(words_->out.size(), bytes));
  std::byte* const memory = words_->out.data();
  std::memcpy(memory, words, bytes);
  exchange(operation,
           {.kind = Kind::all_reduce,
            .combines = true,
            .combine = Combine::max,
            .element = Element::u64,
            .element_bytes = sizeof *words,
            .count = count,
            .in = memory,
            .out = memory},
           deadline);
  std::memcpy(words, memory, bytes);
}

void Link::gather(const char* operation, const void* own, std::size_t bytes, void* all,
                  const Deadline& deadline) {
  const std::size_t total = bytes * static_cast<std::size_t>(size_);
  words_->in.resize(std::max(words_->in.size(), bytes));
  words_->out.resize(std::max(words_->out.size(), total));
  std::memcpy(words_->in.data(), own, bytes);
  exchange(operation,
           {.kind = Kind::all_gather,
            .element_bytes = 1,
            .count = bytes,
            .in = words_->in.data(),
            .out = words_->out.data()},
           deadline);
  std::memcpy(all, words_->out.data(), total);
}

void Link::swap(const char* operation, int to, int from, int tag, const void* sent, void* received,
                std::size_t bytes, const Deadline& deadline) {
  if (to < 0 && from < 0) return;
  words_->in.resize(std::max(words_->in.size(), bytes));
  words_->out.resize(std::max(words_->out.size(), bytes));
  std::memcpy(words_->in.data(), sent, bytes);
  exchange(operation,
           {.kind = to < 0     ? Kind::receive
                    : from < 0 ? Kind::send
                               : Kind::send_receive,
            .element_bytes = 1,
            .peer = to < 0 ? from : to,
            .source = from,
            .tag = tag,
            .count = bytes,
            .out_count = bytes,
            .in = words_->in.data(),
            .out = words_->out.data()},
           deadline);
  if (from >= 0) std::memcpy(received, words_->out.data(), bytes);
}

}  // namespace quern::comm
