#include "driver/decorators/checked/violations.hpp"

#include <utility>

namespace quern::checked {

base::Error Violations::add(base::ErrorKind kind, const base::MessageText& sentence) {
  note(sentence.str());
  return base::Error(kind, sentence.str());
}

void Violations::tell(const base::MessageText& sentence) {
  if (tell_) tell_(sentence.str());
  note(sentence.str());
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
