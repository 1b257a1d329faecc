#include "driver/decorators/checked/violations.hpp"

#include <utility>

namespace quern::checked {

base::Error Violations::add(base::ErrorKind kind, std::string sentence) {
  note(sentence);
  return base::Error(kind, std::move(sentence));
}

void Violations::tell(std::string sentence) {
  if (tell_) tell_(sentence);
  note(std::move(sentence));
}

void Violations::note(std::string sentence) {
  constexpr size_t kMost = 1000;
  const std::lock_guard lock(mutex_);
  ++count_;
  if (sentences_.size() < kMost) sentences_.push_back(std::move(sentence));
}

size_t Violations::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

std::vector<std::string> Violations::sentences() const {
  const std::lock_guard lock(mutex_);
  return sentences_;
}

}  // namespace quern::checked
