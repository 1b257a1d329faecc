// Libraries that are loaded at run time: drivers are never linked. An error is one sentence: the name, the
// number of locations, and why the first one that exists cannot be loaded.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/result.hpp"

namespace quern::base {

// A handle to a loaded library; copies refer to the same one. A library stays loaded until the process ends:
// GPU drivers have threads and exit handlers that do not survive being unmapped.
class SharedLibrary {
 public:
  // Tries each candidate in turn: a bare name ("libcuda.so.1") is searched by the system's loader, a name
  // with a '/' is opened as that file. `hint` says how to install the library and becomes part of the error.
  static Result<SharedLibrary> open(std::span<const std::string_view> candidates, std::string_view hint);

  // Whether the process has loaded one of the candidates already. Loads nothing.
  static bool is_loaded(std::span<const std::string_view> candidates);

  // Returns null if the library does not have it.
  void* find(const char* symbol) const;

  // Fails with an error that names the library and the symbol if it is missing.
  template <typename Function>
  Result<void> load(const char* symbol, Function*& function) const {
    QUERN_TRY_ASSIGN(void* const address, require(symbol));
    function = reinterpret_cast<Function*>(address);
    return {};
  }

  // The candidate that was opened.
  const std::string& name() const { return name_; }

 private:
  SharedLibrary(void* handle, std::string name) : handle_(handle), name_(std::move(name)) {}
  Result<void*> require(const char* symbol) const;

  void* handle_;
  std::string name_;
};

// As fork(), at a moment when no thread searches or loads a SharedLibrary: a child that starts in the middle
// of it inherits an inconsistent loader, and its next dlopen() crashes.
pid_t fork_process();

}  // namespace quern::base
