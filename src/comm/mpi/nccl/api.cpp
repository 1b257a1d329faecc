#include "comm/mpi/nccl/api.hpp"

#include <map>
#include <mutex>
#include <optional>

#include <dlfcn.h>

#include "comm/messages.hpp"
#include "quern/process.hpp"

namespace quern::comm::nccl {

namespace {

struct Loaded {
  std::optional<Api> api;
  std::string why;
};

Loaded load_file(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {{}, message::kNcclMissing(file, dlerror()).text};
  Api api;
#define X(name, symbol, parameters)                                 \
  if (void* const found = dlsym(library, symbol); found != nullptr) \
    api.name = reinterpret_cast<decltype(api.name)>(found);         \
  else                                                              \
    return {{}, message::kNcclOld(file, symbol).text};
  QUERN_NCCL_SYMBOLS(X)
#undef X
  api.error_text = reinterpret_cast<decltype(api.error_text)>(dlsym(library, "ncclGetErrorString"));
  return {api, {}};
}

}  // namespace

const Api* load(const std::string& driver, std::string& why) {
  static std::mutex mutex;
  static std::map<std::string, Loaded> files;
  const std::lock_guard lock(mutex);
  const std::string own = driver == "hip" ? "librccl.so.1" : "libnccl.so.2";
  const std::string file = extension::environment("QUERN_NCCL_LIBRARY").value_or(own);
  const auto found = files.try_emplace(file);
  Loaded& loaded = found.first->second;
  if (found.second) loaded = load_file(file);
  why = loaded.why;
  return loaded.api ? &*loaded.api : nullptr;
}

}  // namespace quern::comm::nccl
