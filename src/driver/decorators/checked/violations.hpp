// Counts violations of the driver interface. Thread-safe.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace quern::checked {

class Violations {
 public:
  // `tell` is called for violations that no call can return: leaks, and objects destroyed too early. May be
  // null.
  explicit Violations(std::function<void(const std::string&)> tell = nullptr) : tell_(std::move(tell)) {}

  // Counts a violation and returns it as an error.
  base::Error add(base::ErrorKind kind, const base::MessageText& sentence);
  void tell(const base::MessageText& sentence);

  size_t count() const;
  std::vector<std::string> sentences() const;  // in order; the first 1000

 private:
  void note(std::string sentence);

  std::function<void(const std::string&)> tell_;
  mutable std::mutex mutex_;
  size_t count_ = 0;
  std::vector<std::string> sentences_;
};

}  // namespace quern::checked
