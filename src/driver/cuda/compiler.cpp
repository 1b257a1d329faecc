#include "driver/cuda/compiler.hpp"

#include <algorithm>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace quern::cuda {

using base::Error;
using base::ErrorKind;

namespace {

std::string first_lines(const std::string& text) {
  constexpr size_t kMost = 4000;
  return text.size() <= kMost ? text : text.substr(0, kMost) + "\n…";
}

}  // namespace

Result<> Compiler::load(const base::SharedLibrary& library) {
  library_ = library.name();
  const auto need = [&](std::string_view name, auto& function) {
    return library.load((std::string(vendor_->compiler) + std::string(name)).c_str(), function);
  };
  QUERN_TRY(need("Version", version_));
  QUERN_TRY(need("CreateProgram", create_));
  QUERN_TRY(need("CompileProgram", compile_));
  QUERN_TRY(need("DestroyProgram", destroy_));
  QUERN_TRY(need("GetProgramLogSize", log_size_));
  QUERN_TRY(need("GetProgramLog", log_));
  QUERN_TRY(need("GetErrorString", error_));
  QUERN_TRY(need("Get" + std::string(vendor_->get_code) + "Size", code_size_));
  QUERN_TRY(need("Get" + std::string(vendor_->get_code), code_));
  if (const int32_t code = version_(&major_, &minor_); code != 0)
    return Error(ErrorKind::kUnsupported, library_ + " does not tell its version");
  if (!vendor_->is_cuda()) return {};
  QUERN_TRY(need("GetPTXSize", ptx_size_));
  QUERN_TRY(need("GetPTX", ptx_));
  int32_t (*count)(int*) = nullptr;
  int32_t (*list)(int*) = nullptr;
  QUERN_TRY(need("GetNumSupportedArchs", count));
  QUERN_TRY(need("GetSupportedArchs", list));
  int n = 0;
  if (count(&n) == 0 && n > 0) {
    architectures_.resize(static_cast<size_t>(n));
    if (list(architectures_.data()) != 0) architectures_.clear();
  }
  return {};
}

Result<std::unique_ptr<Compiler>> Compiler::find(const Vendor& vendor, int driver_version) {
  std::vector<std::string> places = vendor.compiler_places();
  if (const auto own = base::env_text(std::string(vendor.compiler_environment).c_str())) places = {*own};
  std::unique_ptr<Compiler> first;
  std::string broken;
  for (const std::string& place : places) {
    const std::string_view one[] = {place};
    const auto library = base::SharedLibrary::open(one, "");
    if (!library.ok()) {
      if (library.error().kind() != ErrorKind::kNotFound) broken = library.error().message();
      continue;
    }
    auto compiler = std::make_unique<Compiler>();
    compiler->vendor_ = &vendor;
    if (auto loaded = compiler->load(*library); !loaded.ok()) {
      broken = loaded.error().message();
      continue;
    }
    if (!vendor.is_cuda() || compiler->major_ <= driver_version / 1000) return compiler;
    if (first == nullptr) first = std::move(compiler);
  }
  if (first != nullptr) return first;
  return Error(ErrorKind::kUnsupported,
               "kernels cannot be compiled: " + std::string(vendor.compiler_name) +
                   (broken.empty() ? " is not found in " + std::to_string(places.size()) + " places"
                                   : " does not load: " + broken))
      .add_hint(std::string(vendor.compiler_hint));
}

std::string Compiler::version() const {
  return base::format("%s %d.%d", std::string(vendor_->compiler_name).c_str(), major_, minor_);
}

bool Compiler::knows(int architecture) const {
  return std::find(architectures_.begin(), architectures_.end(), architecture) != architectures_.end();
}

int Compiler::newest() const {
  return architectures_.empty() ? 0 : *std::max_element(architectures_.begin(), architectures_.end());
}

Result<std::string> Compiler::take(Id program, std::string_view what) const {
  const bool is_log = what == "log", is_ptx = what == "ptx";
  const Size size_of = is_log ? log_size_ : is_ptx ? ptx_size_ : code_size_;
  const Get get = is_log ? log_ : is_ptx ? ptx_ : code_;
  size_t size = 0;
  std::string out;
  int32_t code = size_of(program, &size);
  if (code == 0 && size != 0) {
    out.resize(size);
    code = get(program, out.data());
  }
  if (code != 0)
    return Error(ErrorKind::kInternal, version() + " gives no " + std::string(what) + ": " + error_(code));
  if (is_log || is_ptx) out.resize(std::min(out.find('\0'), out.size()));
  return out;
}

Result<Compiler::Output> Compiler::compile(const std::string& name, const std::string& text, int architecture,
                                           std::vector<std::string> options, bool wants_ptx) const {
  Output output;
  output.is_ptx = architecture != 0 && !architectures_.empty() && !knows(architecture);
  if (output.is_ptx && newest() > architecture)
    return Error(ErrorKind::kUnsupported,
                 base::format("%s no longer compiles for sm_%d", version().c_str(), architecture))
        .add_hint("QUERN_NVRTC may name an older one");
  if (architecture != 0)
    options.push_back(output.is_ptx ? base::format("--gpu-architecture=compute_%d", newest())
                                    : base::format("--gpu-architecture=sm_%d", architecture));
  std::vector<const char*> pointers;
  for (const std::string& o : options) pointers.push_back(o.c_str());

  Id program = nullptr;
  if (const int32_t code = create_(&program, text.c_str(), name.c_str(), 0, nullptr, nullptr); code != 0)
    return Error(ErrorKind::kInternal, version() + " makes no program: " + error_(code));
  struct Destroy {
    const Compiler& compiler;
    Id& id;
    ~Destroy() { (void)compiler.destroy_(&id); }
  } const destroy{*this, program};
  if (const int32_t code = compile_(program, static_cast<int>(pointers.size()), pointers.data()); code != 0) {
    auto log = take(program, "log");
    const bool says = log.ok() && !base::trim(*log).empty();
    return Error(ErrorKind::kCompile,
                 version() + " does not compile " + name + ":" +
                     (says ? "\n" + first_lines(*log) : " " + std::string(error_(code))));
  }
  if (vendor_->is_cuda() && (wants_ptx || output.is_ptx)) {
    QUERN_TRY_ASSIGN(output.ptx, take(program, "ptx"));
  }
  if (output.is_ptx) {
    output.code = output.ptx;
  } else {
    QUERN_TRY_ASSIGN(output.code, take(program, "code"));
  }
  return output;
}

}  // namespace quern::cuda
