// The vendor's run-time compiler library: NVRTC or hiprtc. The library is large: its location is cached on
// disk, and it is loaded when the first text is compiled.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "driver/cuda/vendor.hpp"

namespace quern::cuda {

class Compiler {
 public:
  // Returns the first compiler among the vendor's locations that is not newer than the driver, else the
  // first.
  static Result<std::unique_ptr<Compiler>> find(const Vendor& vendor, int driver_version);

  struct Output {
    std::string code;  // for the device, or PTX if the compiler does not support the device yet
    std::string ptx;   // CUDA, if requested: in addition to the code
    bool is_ptx = false;
  };
  // `name` is used in messages; `architecture` is 90 for sm_90, 0: the current device.
  Result<Output> compile(const std::string& name, const std::string& text, int architecture,
                         std::vector<std::string> options, bool wants_ptx = true);

  std::string version() const;  // "NVRTC 13.0"
  const std::string& library() const { return library_; }
  bool is_too_new_for(int architecture) const;  // architecture that it no longer supports

 private:
  using Id = struct ProgramTag*;
  static std::unique_ptr<Compiler> recall(const Vendor& vendor, const std::string& key);
  void remember(const std::string& key) const;
  Result<> load(const base::SharedLibrary& library);
  Result<> load_functions(const base::SharedLibrary& library);
  Result<> use();  // loads the library unless it is loaded
  Result<std::string> take(Id program, std::string_view what) const;
  bool knows(int architecture) const;
  int newest() const;  // newest architecture that it supports

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
