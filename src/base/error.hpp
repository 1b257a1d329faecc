// What went wrong, told to a person: a kind that code can branch on, one sentence, the chain of what was
// being done, and what to do about it. An Error is a value; nothing here logs, throws or aborts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quern::base {

enum class ErrorKind : std::uint8_t {
  kInvalidUse,   // the caller broke a rule; nothing happened
  kNotFound,     // a file, library, symbol, kernel or device that is not there
  kUnsupported,  // understood, and not possible here
  kBadInput,     // text or data from outside that does not say anything valid
  kCompile,      // a kernel was refused; the message carries the diagnostics
  kOutOfMemory,
  kTimeout,
  kKernelFault,  // a kernel did something wrong while it ran: a failed assert, a trap, a finding of the
                 // simulator
  kDeviceLost,
  kIo,        // the operating system refused to read or write
  kInternal,  // a defect of ours
};

// The kind as a person reads it: "out of memory".
std::string_view to_string(ErrorKind kind);

// One pointer wide, so that Result<T> stays small on the paths that succeed. A moved-from Error may only be
// assigned to or destroyed.
class [[nodiscard]] Error {
 public:
  // `message` is one sentence in the present tense without a final full stop, naming the given value and the
  // allowed one.
  Error(ErrorKind kind, std::string message);
  Error(const Error& other);
  Error& operator=(const Error& other);
  Error(Error&&) noexcept = default;
  Error& operator=(Error&&) noexcept = default;
  ~Error() = default;

  // What the user can do about it. A later hint replaces an earlier one.
  Error& add_hint(std::string hint) &;
  Error&& add_hint(std::string hint) &&;

  // What was being done, told without the word "while" ("reading kernels from nbody.cu"). The innermost comes
  // first: each caller appends its own line on the way up.
  Error& add_context(std::string doing) &;
  Error&& add_context(std::string doing) &&;

  ErrorKind kind() const { return detail_->kind; }
  const std::string& message() const { return detail_->message; }
  const std::string& hint() const { return detail_->hint; }
  const std::vector<std::string>& context() const { return detail_->context; }

  // Several lines without a final newline:
  //   out of memory: 'activations' asks for 96.0 GiB, 61.2 GiB are free
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
