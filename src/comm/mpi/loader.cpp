#include "comm/mpi/loader.hpp"

#include <array>
#include <mutex>
#include <string_view>
#include <vector>

#include <dlfcn.h>

#include "comm/failure.hpp"
#include "quern/device.hpp"
#include "quern/process.hpp"

namespace quern::comm {

using mpi_component::Component;

namespace {

std::string variable(const char* name) { return extension::environment(name).value_or(""); }

// The implementation that the program has loaded itself.
std::string loaded_implementation() {
  using Version = int(char*, int*);
  auto* const version = reinterpret_cast<Version*>(dlsym(RTLD_DEFAULT, "MPI_Get_library_version"));
  if (version == nullptr) return {};
  std::array<char, 8192> text{};  // MPI_MAX_LIBRARY_VERSION_STRING of both
  int length = 0;
  if (version(text.data(), &length) != 0) return {};
  return std::string_view(text.data()).starts_with("Open MPI") ? "openmpi" : "mpich";
}

std::vector<std::string> implementations(const std::string& chosen) {
  if (!chosen.empty()) return {chosen};
  if (const std::string name = variable("QUERN_MPI"); !name.empty()) return {name};
  if (const std::string name = loaded_implementation(); !name.empty()) return {name};
  if (!variable("OMPI_COMM_WORLD_RANK").empty()) return {"openmpi"};
  if (!variable("PMI_RANK").empty()) return {"mpich", "openmpi"};
  return {"openmpi", "mpich"};
}

// The folder of the library or program that contains the address; with a final '/'.
std::string folder_of(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  const std::string_view path = info.dli_fname;
  const std::size_t end = path.rfind('/');
  return end == std::string_view::npos ? std::string() : std::string(path.substr(0, end + 1));
}

std::vector<std::string> files_of(const std::string& implementation) {
  if (implementation.find('/') != std::string::npos) return {implementation};
  if (implementation != "openmpi" && implementation != "mpich")
    fail(ErrorKind::invalid_use, message::kUnknownMpi(implementation));
  const std::string name = "libquern_mpi_" + implementation + ".so";
  std::vector<std::string> out;
  const auto devices_function = &quern::devices;  // in libquern.so, or in the program
  const std::array<const void*, 2> places = {reinterpret_cast<const void*>(devices_function),
                                             reinterpret_cast<const void*>(&load_mpi)};
  for (const void* const place : places) {
    const std::string folder = folder_of(place);
    for (const char* const relative : {"", "quern/", "../lib/", "../lib/quern/"})
      out.push_back(folder + relative + name);
  }
  out.push_back(name);
  return out;
}

const Component* open_file(const std::string& file, std::string& why) {
  // Open MPI loads components of its own, which use the symbols of its library.
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    why = dlerror();
    return nullptr;
  }
  using Entry = const Component*();
  auto* const entry = reinterpret_cast<Entry*>(dlsym(library, mpi_component::kEntry));
  const Component* const component = entry != nullptr ? entry() : nullptr;
  if (component == nullptr || component->version != mpi_component::kVersion)
    fail(ErrorKind::not_found, message::kOldComponent(file));
  return component;
}

const Component& load_first(const std::vector<std::string>& names) {
  std::string why;
  for (const std::string& name : names) {
    for (const std::string& file : files_of(name)) {
      if (const Component* const component = open_file(file, why)) return *component;
    }
  }
  fail(ErrorKind::not_found, message::kNoComponent(names.front(), why));
}

}  // namespace

const Component& load_mpi(const std::string& implementation) {
  static std::mutex mutex;
  static const Component* loaded = nullptr;
  const std::lock_guard lock(mutex);
  if (loaded == nullptr) loaded = &load_first(implementations(implementation));
  return *loaded;
}

}  // namespace quern::comm
