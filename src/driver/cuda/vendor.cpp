#include "driver/cuda/vendor.hpp"

#include <algorithm>
#include <filesystem>

#include "base/environment.hpp"
#include "base/file.hpp"

namespace quern::cuda {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLibraries[] = {"libcuda.so.1",
                                           "/usr/lib/wsl/lib/libcuda.so.1",         // WSL
                                           "/usr/local/nvidia/lib64/libcuda.so.1",  // containers
                                           "/run/opengl-driver/lib/libcuda.so.1",   // NixOS
                                           "libcuda.so"};

constexpr int kAttributes[] = {
#define X(id, cuda, hip) cuda,
    QUERN_CUDA_ATTRIBUTES(X)
#undef X
};

// Through cuGetProcAddress, so that a name means the API version that is declared here.
void* find(const base::SharedLibrary& library, const char* cuda_name, int version, const char*) {
  using Search = int32_t(const char*, void**, int, uint64_t);
  auto* search = reinterpret_cast<Search*>(library.find("cuGetProcAddress"));
  void* found = nullptr;
  return search != nullptr && search(cuda_name, &found, version, 0) == 0 ? found : nullptr;
}

// Folders below `folder` whose names start with this prefix, newest first.
std::vector<std::string> matching(const std::string& folder, std::string_view start) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(start)) found.push_back(entry.path().string());
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

void add_libraries(const std::string& folder, std::vector<std::string>& to) {
  for (std::string& file : matching(folder, "libnvrtc.so")) to.push_back(std::move(file));
}

// Installed by `pip install nvidia-cuda-nvrtc` in a Python environment.
void add_wheels(const std::string& prefix, std::vector<std::string>& to) {
  for (const std::string& python : matching(prefix + "/lib", "python3")) {
    for (const char* packages : {"/site-packages/nvidia", "/dist-packages/nvidia"}) {
      for (const std::string& part : matching(python + packages, "cu")) add_libraries(part + "/lib", to);
    }
  }
}

std::vector<std::string> compiler_places() {
  std::vector<std::string> places;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const auto home = base::env_folder(variable);
    if (!home) continue;
    for (const char* part : {"/lib64", "/lib"}) add_libraries(*home + part, places);
  }
  for (const std::string& toolkit : matching("/usr/local", "cuda")) {
    for (const char* part : {"/lib64", "/lib"}) add_libraries(toolkit + part, places);
  }
  for (const char* name : {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"})
    places.emplace_back(name);
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto prefix = base::env_folder(variable);
    if (!prefix) continue;
    add_libraries(*prefix + "/lib", places);
    add_wheels(*prefix, places);
  }
  if (const auto home = base::env_folder("HOME")) add_wheels(*home + "/.local", places);
  for (const char* prefix : {"/usr/local", "/usr"}) add_wheels(prefix, places);
  return places;
}

constexpr Vendor kCuda = {
    .driver = "cuda",
    .maker = "NVIDIA",
    .what = "CUDA",
    .environment = "QUERN_CUDA_LIBRARY",
    .compiler_environment = "QUERN_NVRTC",
    .libraries = kLibraries,
    .nodes = {},
    .hint = "install NVIDIA's driver, 465.19 or newer",
    .why_none = "start a container with --gpus all; check CUDA_VISIBLE_DEVICES, which may hide devices",
    .why_no_node = {},
    .attributes = kAttributes,
    .text = driver::CodeKind::kCudaCpp,
    .binary = driver::CodeKind::kCubin,
    .compiler = "nvrtc",
    .get_code = "CUBIN",
    .compiler_name = "NVRTC",
    .compiler_hint =
        "install the CUDA toolkit (Debian and Ubuntu: libnvrtc13 or cuda-nvrtc), or `pip install "
        "nvidia-cuda-nvrtc`, or set QUERN_NVRTC to the library",
    .compiler_places = compiler_places,
    .find = find,
};

}  // namespace

const Vendor& cuda_vendor() { return kCuda; }

}  // namespace quern::cuda
