// The vendor's compiler as a library: NVRTC, or hiprtc. Found at run time. It is large: what was found is
// remembered on disk, and the library is loaded when the first text is to be compiled.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "driver/cuda/vendor.hpp"

namespace quern::cuda {

class Compiler {
 public:
  // The first of the vendor's places that has one not newer than the driver, else the first.
  static Result<std::unique_ptr<Compiler>> find(const Vendor& vendor, int driver_version);

  struct Output {
    std::string code;  // for the device, or PTX where the compiler does not know the device yet
    std::string ptx;   // CUDA, where it is wanted: beside the code
    bool is_ptx = false;
  };
  // `name` is what messages call the text; `architecture` is 90 for sm_90, 0: of the current device.
  Result<Output> compile(const std::string& name, const std::string& text, int architecture,
                         std::vector<std::string> options, bool wants_ptx = true);

  std::string version() const;  // "NVRTC 13.0"
  const std::string& library() const { return library_; }
  bool is_too_new_for(int architecture) const;  // which it has forgotten

 private:
  using Id = struct ProgramTag*;
  static std::unique_ptr<Compiler> recall(const Vendor& vendor, const std::string& key);
  void remember(const std::string& key) const;
  Result<> load(const base::SharedLibrary& library);
  Result<> load_functions(const base::SharedLibrary& library);
  Result<> use();  // loads it where it is not
  Result<std::string> take(Id program, std::string_view what) const;
  bool knows(int architecture) const;
  int newest() const;  // architecture that it knows

  const Vendor* vendor_ = nullptr;
  std::string library_;
  int major_ = 0, minor_ = 0;
  std::vector<int> architectures_;
  std::mutex mutex_;
  bool is_loaded_ = false;
  int32_t (*version_)(int*, int*) = nullptr;
  int32_t (*create_)(Id*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int32_t (*compile_)(Id, int, const char* const*) = nullptr;
  int32_t (*destroy_)(Id*) = nullptr;
  using Size = int32_t (*)(Id, size_t*);
  using Get = int32_t (*)(Id, char*);
  Size log_size_ = nullptr, code_size_ = nullptr, ptx_size_ = nullptr;
  Get log_ = nullptr, code_ = nullptr, ptx_ = nullptr;
  const char* (*error_)(int32_t) = nullptr;
};

}  // namespace quern::cuda
