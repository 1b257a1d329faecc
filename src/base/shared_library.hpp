// Libraries that are found at run time: drivers are never linked, they are looked for. A failure is told in
// one sentence: what was looked for, in how many places, and why the first one that exists did not load.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace quern::base {

// A handle to a loaded library; copies refer to the same one. A library stays loaded until the process ends:
// GPU drivers keep threads and exit handlers of their own, which do not survive being unmapped.
class SharedLibrary {
 public:
  // Tries each candidate in turn: a bare name ("libcuda.so.1") is looked for where the system's loader looks,
  // a name with a '/' is opened as that file. `hint` tells how to get the library and is kept in the error.
  static Result<SharedLibrary> open(std::span<const std::string_view> candidates, std::string_view hint);

  // Null when the library does not have it.
  void* find(const char* symbol) const;

  // An error that names the library and the symbol when it is missing.
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

}  // namespace quern::base
