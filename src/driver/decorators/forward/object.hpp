// Wrappers of the wrapped device's objects: they have the same public fields and notify a watcher when they
// are destroyed.
#pragma once

#include <atomic>
#include <concepts>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "driver/interface/driver.hpp"

namespace quern::forward {

class Wrapper {
 public:
  virtual ~Wrapper() = default;
  Wrapper(const Wrapper&) = delete;
  Wrapper& operator=(const Wrapper&) = delete;

  // Returns the inner object for destruction; null if it belongs to another object.
  virtual std::unique_ptr<driver::Object> take() = 0;

  std::atomic<uint64_t> id{0};  // unique on its device; a decorator may choose it

 protected:
  Wrapper() = default;
};

// Notified when an object is destroyed, by Device::destroy or by its destructor. Objects keep the watcher
// alive, so it may outlive the device. Called from any thread.
class Watcher {
 public:
  virtual ~Watcher() = default;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  virtual void gone(const driver::Object& object, Wrapper& wrapper) = 0;

 protected:
  Watcher() = default;
};

template <typename T>
void mirror(T&, const T&) {}
inline void mirror(driver::Buffer& to, const driver::Buffer& from) {
  to.bytes = from.bytes;
  to.kind = from.kind;
  to.address = from.address;
  to.host = from.host;
}
inline void mirror(driver::Kernel& to, const driver::Kernel& from) {
  to.info = from.info;
  to.max_threads = from.max_threads;
  to.registers = from.registers;
  to.local_bytes = from.local_bytes;
  to.function = from.function;
}

template <typename T>
class Wrapped : public T, public Wrapper {
 public:
  Wrapped(std::unique_ptr<T> inner, std::shared_ptr<Watcher> watcher) : Wrapped(*inner, std::move(watcher)) {
    owned_ = std::move(inner);
  }
  // Wraps an object that belongs to another object.
  Wrapped(T& inner, std::shared_ptr<Watcher> watcher) : inner_(inner), watcher_(std::move(watcher)) {
    mirror(static_cast<T&>(*this), inner);
  }
  ~Wrapped() override {
    if (watcher_ != nullptr) watcher_->gone(*this, *this);
  }

  T& inner() const { return inner_; }
  std::unique_ptr<driver::Object> take() override { return std::move(owned_); }

 private:
  T& inner_;
  std::unique_ptr<T> owned_;
  std::shared_ptr<Watcher> watcher_;
};

// A program owns the wrappers of its variables.
class WrappedModule final : public Wrapped<driver::Module> {
 public:
  using Wrapped::Wrapped;

  // Returns the variable's wrapper; the first call creates it with `make`.
  template <typename Make>
  Wrapped<driver::Buffer>& variable(driver::Buffer& inner, Make&& make) {
    const std::lock_guard lock(mutex_);
    for (auto& v : variables_) {
      if (&v->inner() == &inner) return *v;
    }
    variables_.push_back(make());
    return *variables_.back();
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Wrapped<driver::Buffer>>> variables_;
};

template <std::derived_from<driver::Object> T>
T& inner_of(T& object) {
  return static_cast<Wrapped<T>&>(object).inner();
}
inline driver::Place inner_of(const driver::Place& place) {
  return {place.buffer == nullptr ? nullptr : &inner_of(*place.buffer), place.offset};
}

// Every object that a forward::Device creates has one.
inline Wrapper& wrapper_of(driver::Buffer& o) { return static_cast<Wrapped<driver::Buffer>&>(o); }
inline Wrapper& wrapper_of(driver::Module& o) { return static_cast<Wrapped<driver::Module>&>(o); }
inline Wrapper& wrapper_of(driver::Kernel& o) { return static_cast<Wrapped<driver::Kernel>&>(o); }
inline Wrapper& wrapper_of(driver::Stream& o) { return static_cast<Wrapped<driver::Stream>&>(o); }
inline Wrapper& wrapper_of(driver::Event& o) { return static_cast<Wrapped<driver::Event>&>(o); }

}  // namespace quern::forward
