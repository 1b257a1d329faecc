#include "base/shared_library.hpp"

#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/messages.hpp"
#include "base/text.hpp"

namespace quern::base {
namespace {

std::string last_loader_error() {
  const char* text = ::dlerror();
  return text == nullptr ? "the loader reported no reason" : text;
}

// The loader uses the same words for a missing file and for a missing dependency of an existing file; only
// the name at the start of the message distinguishes them.
bool says_not_found(const std::string& candidate, std::string_view reason) {
  if (candidate.find('/') != std::string::npos) return !file_exists(candidate);
  const bool about_candidate = reason.substr(0, candidate.size() + 1) == candidate + ":";
  return (about_candidate && reason.find("cannot open shared object file") != std::string_view::npos) ||
         reason.find("no such file") != std::string_view::npos ||
         (reason.find("No such file") != std::string_view::npos &&
          reason.find(candidate) != std::string_view::npos);
}

// Held while libraries are searched and loaded. Recursive, because a library may run code of the program
// while it is loaded.
std::recursive_mutex& loader_mutex() {
  static std::recursive_mutex loading;
  return loading;
}

}  // namespace

Result<SharedLibrary> SharedLibrary::open(std::span<const std::string_view> candidates,
                                          std::string_view hint) {
  if (candidates.empty()) return Error(ErrorKind::invalid_use, message::kNoLibraryName());
  const std::lock_guard lock(loader_mutex());
  std::string broken;
  for (const std::string_view candidate : candidates) {
    std::string name(candidate);
    if (void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
      return SharedLibrary(handle, std::move(name));
    }
    const std::string reason = last_loader_error();
    if (broken.empty() && !says_not_found(name, reason)) {
      broken = reason.substr(0, name.size()) == name ? reason : name + ": " + reason;
    }
  }
  Error error =
      broken.empty()
          ? Error(ErrorKind::not_found,
                  candidates.size() == 1
                      ? message::kNoLibrary(candidates[0])
                      : message::kNoLibraryOf(candidates[0], format_plural(candidates.size(), "name")))
          : Error(ErrorKind::unsupported, message::kLibraryBroken(broken));
  if (!hint.empty()) error.add_hint(std::string(hint));
  return error;
}

bool SharedLibrary::is_loaded(std::span<const std::string_view> candidates) {
  const std::lock_guard lock(loader_mutex());
  for (const std::string_view candidate : candidates) {
    void* const handle = ::dlopen(std::string(candidate).c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    ::dlclose(handle);
    return true;
  }
  return false;
}

void* SharedLibrary::find(const char* symbol) const { return ::dlsym(handle_, symbol); }

Result<void*> SharedLibrary::require(const char* symbol) const {
  if (void* address = find(symbol)) return address;
  return Error(ErrorKind::not_found, message::kNoFunction(name_, symbol));
}

pid_t fork_process() {
  std::recursive_mutex& mutex = loader_mutex();
  mutex.lock();
  const pid_t child = ::fork();
  if (child == 0) {
    new (&mutex) std::recursive_mutex;  // its owner does not exist in the child
  } else {
    mutex.unlock();
  }
  return child;
}

}  // namespace quern::base
