// An error for people and code: a kind that code can branch on, one sentence, the chain of operations in
// progress, and a hint. An Error is a value; nothing here logs, throws or aborts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/message.hpp"
#include "quern/types/error.hpp"

namespace quern::base {

using quern::ErrorKind;
using quern::to_string;

// One pointer wide, so that Result<T> is small on success. A moved-from Error may only be assigned to or
// destroyed.
class [[nodiscard]] Error {
 public:
  // `message` is one sentence without a final full stop that names the given value and the allowed one.
  Error(ErrorKind kind, std::string message);
  Error(ErrorKind kind, MessageText message);
  Error(const Error& other);
  Error& operator=(const Error& other);
  Error(Error&&) noexcept = default;
  Error& operator=(Error&&) noexcept = default;
  ~Error() = default;

  // What the user can do about it. A later hint replaces an earlier one.
  Error& add_hint(std::string hint) &;
  Error&& add_hint(std::string hint) &&;

  // The operation in progress, without the word "while" ("reading kernels from nbody.cu"). Innermost first:
  // each caller appends its own line on the way up.
  Error& add_context(std::string doing) &;
  Error&& add_context(std::string doing) &&;

  ErrorKind kind() const { return detail_->kind; }
  const std::string& message() const { return detail_->message; }
  const std::string& hint() const { return detail_->hint; }
  const std::vector<std::string>& context() const { return detail_->context; }

  // Several lines without a final newline:
  //   out of memory: 'activations' needs 96.0 GiB, but only 61.2 GiB are free
  //     while allocating a buffer in load_layer
  //     hint: split the batch
  std::string to_string() const;

 private:
  struct Detail {
    ErrorKind kind;
    std::string message;
    std::string hint;
    std::vector<std::string> context;
  };
  std::unique_ptr<Detail> detail_;
};

}  // namespace quern::base
