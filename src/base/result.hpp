// Result<T>: a value or the Error that prevented it, like std::expected. Every call that can fail returns
// one, and ignoring it is a compiler warning. Accessing the wrong alternative throws BadResultAccess: a bug
// of the caller.
#pragma once

#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.hpp"

namespace quern::base {

class BadResultAccess : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace detail {
[[noreturn]] void throw_no_value(const Error& error);
[[noreturn]] void throw_no_error();
}  // namespace detail

template <typename T = void>
class [[nodiscard]] Result {
  static_assert(!std::is_reference_v<T> && !std::is_same_v<std::remove_cv_t<T>, Error>);

 public:
  using Value = T;

  Result(const T& value) : state_(std::in_place_index<0>, value) {}
  Result(T&& value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  // Whatever converts to T implicitly also converts to Result<T>: a literal to std::string, a derived
  // unique_ptr.
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U&&, T> &&
                                                    !std::is_same_v<std::remove_cvref_t<U>, T> &&
                                                    !std::is_same_v<std::remove_cvref_t<U>, Error> &&
                                                    !std::is_same_v<std::remove_cvref_t<U>, Result>>>
  Result(U&& value) : state_(std::in_place_index<0>, std::forward<U>(value)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    require_value();
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    require_value();
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    require_value();
    return std::move(*std::get_if<0>(&state_));
  }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  template <typename U>
  T value_or(U&& fallback) const& {
    return ok() ? value() : static_cast<T>(std::forward<U>(fallback));
  }
  template <typename U>
  T value_or(U&& fallback) && {
    return ok() ? std::move(*this).value() : static_cast<T>(std::forward<U>(fallback));
  }

  const Error& error() const& {
    require_error();
    return *std::get_if<1>(&state_);
  }
  Error&& error() && {
    require_error();
    return std::move(*std::get_if<1>(&state_));
  }

  // The same result, with one more "while …" line if it is an error.
  Result&& while_doing(std::string doing) && {
    if (!ok()) std::get_if<1>(&state_)->add_context(std::move(doing));
    return std::move(*this);
  }

 private:
  void require_value() const {
    if (!ok()) detail::throw_no_value(*std::get_if<1>(&state_));
  }
  void require_error() const {
    if (ok()) detail::throw_no_error();
  }

  std::variant<T, Error> state_;
};

// Success has no value: `return {};`.
template <>
class [[nodiscard]] Result<void> {
 public:
  using Value = void;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }

  void value() const {
    if (error_) detail::throw_no_value(*error_);
  }

  const Error& error() const& {
    require_error();
    return *error_;
  }
  Error&& error() && {
    require_error();
    return std::move(*error_);
  }

  Result&& while_doing(std::string doing) && {
    if (error_) error_->add_context(std::move(doing));
    return std::move(*this);
  }

 private:
  void require_error() const {
    if (!error_) detail::throw_no_error();
  }

  std::optional<Error> error_;
};

}  // namespace quern::base

#define QUERN_CONCAT_INNER(a, b) a##b
#define QUERN_CONCAT(a, b) QUERN_CONCAT_INNER(a, b)

// QUERN_TRY(write_file(path, text));  returns the error from the enclosing function, or continues.
#define QUERN_TRY(...)                                                                           \
  do {                                                                                           \
    if (auto quern_try_ = (__VA_ARGS__); !quern_try_.ok()) return std::move(quern_try_).error(); \
  } while (false)

// QUERN_TRY_ASSIGN(std::string text, read_file(path));  the same, and declares or assigns the value.
#define QUERN_TRY_ASSIGN(target, ...) \
  QUERN_TRY_ASSIGN_INNER(QUERN_CONCAT(quern_try_, __COUNTER__), target, __VA_ARGS__)
#define QUERN_TRY_ASSIGN_INNER(temporary, target, ...)      \
  auto temporary = (__VA_ARGS__);                           \
  if (!temporary.ok()) return std::move(temporary).error(); \
  target = std::move(temporary).value()
