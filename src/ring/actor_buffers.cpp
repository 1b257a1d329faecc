#include "ring/actor_buffers.hpp"

#include <algorithm>

#include "ring/failure.hpp"

namespace quern::ring {
namespace {

bool is_memory(const Argument& argument) {
  return argument.kind() == ArgumentKind::memory && argument.memory().memory != nullptr;
}

}  // namespace

void ActorBuffers::acquire() {
  if (std::any_of(kernel_.options().buffers.begin(), kernel_.options().buffers.end(), is_memory))
    access_ = extension::exclusive_access(kernel_.device(), kernel_.options().buffers);
}

void ActorBuffers::copy(Contents& contents, bool to_host) const {
  contents.resize(kernel_.options().buffers.size());
  const auto copy = [&] {
    for (std::size_t i = 0; i < contents.size(); ++i) {
      if (!is_memory(kernel_.options().buffers[i])) continue;
      const quern::detail::Bytes& bytes = kernel_.options().buffers[i].memory();
      if (to_host) {
        contents[i].resize(bytes.size);
        quern::detail::download(contents[i].data(), bytes, bytes.size, 1);
      } else {
        quern::detail::upload(bytes, contents[i].data(), bytes.size, 1);
      }
    }
  };
  if (access_ != nullptr) {
    access_->keep(copy);
  } else {
    copy();
  }
}

void ActorBuffers::check(const Contents& contents, const std::string& whose) const {
  const auto count = [](std::size_t n) { return std::to_string(n) + (n == 1 ? " buffer" : " buffers"); };
  if (contents.size() != kernel_.options().buffers.size())
    fail(ErrorKind::invalid_use, message::kBufferCount(whose, count(contents.size()),
                                                       std::to_string(kernel_.options().buffers.size())));
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const std::size_t size =
        is_memory(kernel_.options().buffers[i]) ? kernel_.options().buffers[i].memory().size : 0;
    if (contents[i].size() == size) continue;
    fail(ErrorKind::invalid_use, message::kBufferSize(whose, std::to_string(contents[i].size()),
                                                      std::to_string(i), std::to_string(size)));
  }
}

}  // namespace quern::ring
