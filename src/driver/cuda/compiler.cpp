#include "driver/cuda/compiler.hpp"

#include <algorithm>
#include <sstream>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/store.hpp"
#include "base/text.hpp"
#include "driver/cuda/messages.hpp"

namespace quern::cuda {

using base::Error;
using base::ErrorKind;

namespace {

std::string first_lines(const std::string& text) {
  constexpr size_t kMost = 4000;
  return text.size() <= kMost ? text : text.substr(0, kMost) + "\n…";
}

}  // namespace

Result<> Compiler::load_functions(const base::SharedLibrary& library) {
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
  if (!vendor_->is_cuda()) return {};
  QUERN_TRY(need("GetPTXSize", ptx_size_));
  return need("GetPTX", ptx_);
}

Result<> Compiler::load(const base::SharedLibrary& library) {
  library_ = library.name();
  QUERN_TRY(load_functions(library));
  is_loaded_ = true;
  if (const int32_t code = version_(&major_, &minor_); code != 0)
    return Error(ErrorKind::unsupported, message::kNoCompilerVersion(library_));
  if (!vendor_->is_cuda()) return {};
  int32_t (*count)(int*) = nullptr;
  int32_t (*list)(int*) = nullptr;
  QUERN_TRY(library.load("nvrtcGetNumSupportedArchs", count));
  QUERN_TRY(library.load("nvrtcGetSupportedArchs", list));
  int n = 0;
  if (count(&n) == 0 && n > 0) {
    architectures_.resize(static_cast<size_t>(n));
    if (list(architectures_.data()) != 0) architectures_.clear();
  }
  return {};
}

Result<> Compiler::use() {
  const std::lock_guard lock(mutex_);
  if (is_loaded_) return {};
  const std::string_view one[] = {library_};
  QUERN_TRY_ASSIGN(const base::SharedLibrary library, base::SharedLibrary::open(one, ""));
  QUERN_TRY(load_functions(library));
  is_loaded_ = true;
  return {};
}

// Its path, the file's modification stamp, its version, the architectures it supports.
void Compiler::remember(const std::string& key) const {
  const std::string stamp = base::file_stamp(library_);
  if (stamp.empty()) return;  // found by the system's search path
  std::string text = library_ + "\n" + stamp + "\n" + std::to_string(major_) + " " + std::to_string(minor_);
  for (const int a : architectures_) text += " " + std::to_string(a);
  base::Store().put(key, "where " + std::string(vendor_->compiler_name) + " is", text);
}

std::unique_ptr<Compiler> Compiler::recall(const Vendor& vendor, const std::string& key) {
  const auto text = base::Store().find(key);
  if (!text) return nullptr;
  const std::vector<std::string_view> lines = base::split(*text, '\n');
  if (lines.size() != 3 || base::file_stamp(std::string(lines[0])) != lines[1]) return nullptr;
  auto compiler = std::make_unique<Compiler>();
  compiler->vendor_ = &vendor;
  compiler->library_ = lines[0];
  std::istringstream numbers{std::string(lines[2])};
  numbers >> compiler->major_ >> compiler->minor_;
  for (int a = 0; numbers >> a;) compiler->architectures_.push_back(a);
  return compiler;
}

Result<std::unique_ptr<Compiler>> Compiler::find(const Vendor& vendor, int driver_version) {
  std::vector<std::string> places = vendor.compiler_places();
  if (const auto own = base::env_text(std::string(vendor.compiler_environment).c_str())) places = {*own};
  const std::string key =
      base::hash128("quern compiler 1\n" + std::to_string(driver_version) + "\n" + base::join(places, "\n"))
          .to_string();
  if (auto known = recall(vendor, key); known != nullptr) return known;
  std::unique_ptr<Compiler> first;
  std::string broken;
  for (const std::string& place : places) {
    const std::string_view one[] = {place};
    const auto library = base::SharedLibrary::open(one, "");
    if (!library.ok()) {
      if (library.error().kind() != ErrorKind::not_found) broken = library.error().message();
      continue;
    }
    auto compiler = std::make_unique<Compiler>();
    compiler->vendor_ = &vendor;
    if (auto loaded = compiler->load(*library); !loaded.ok()) {
      broken = loaded.error().message();
      continue;
    }
    const bool is_old_enough = !vendor.is_cuda() || compiler->major_ <= driver_version / 1000;
    if (first == nullptr || is_old_enough) first = std::move(compiler);
    if (is_old_enough) break;
  }
  if (first != nullptr) {
    first->remember(key);
    return first;
  }
  return Error(
      ErrorKind::unsupported,
      message::kNoCompiler(vendor.compiler_name,
                           broken.empty() ? "was not found in " + std::to_string(places.size()) + " places"
                                          : "cannot be loaded: " + broken,
                           vendor.compiler_hint));
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

bool Compiler::is_too_new_for(int architecture) const {
  return !architectures_.empty() && !knows(architecture) && newest() > architecture;
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
  if (code != 0) return Error(ErrorKind::internal, message::kNoCompilerResult(version(), what, error_(code)));
  if (is_log || is_ptx) out.resize(std::min(out.find('\0'), out.size()));
  return out;
}

namespace {

// Instructions that exist on one architecture only, and not on later ones: sm_90a.
bool needs_features_of(int architecture, std::string_view text) {
  constexpr int kHopper = 90;
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  return architecture == kHopper && (has("wgmma.") || has("setmaxnreg."));
}

}  // namespace

Result<Compiler::Output> Compiler::compile(const std::string& name, const std::string& text, int architecture,
                                           std::vector<std::string> options, bool wants_ptx) {
  QUERN_TRY(use());
  Output output;
  output.is_ptx = architecture != 0 && !architectures_.empty() && !knows(architecture);
  if (architecture != 0 && is_too_new_for(architecture))
    return Error(ErrorKind::unsupported,
                 message::kArchitectureDropped(version(), std::to_string(architecture)));
  if (architecture != 0)
    options.push_back(output.is_ptx ? base::format("--gpu-architecture=compute_%d", newest())
                                    : base::format("--gpu-architecture=sm_%d%s", architecture,
                                                   needs_features_of(architecture, text) ? "a" : ""));
  std::vector<const char*> pointers;
  for (const std::string& o : options) pointers.push_back(o.c_str());

  Id program = nullptr;
  if (const int32_t code = create_(&program, text.c_str(), name.c_str(), 0, nullptr, nullptr); code != 0)
    return Error(ErrorKind::internal, message::kNoProgram(version(), error_(code)));
  struct Destroy {
    const Compiler& compiler;
    Id& id;
    ~Destroy() { (void)compiler.destroy_(&id); }
  } const destroy{*this, program};
  if (const int32_t code = compile_(program, static_cast<int>(pointers.size()), pointers.data()); code != 0) {
    auto log = take(program, "log");
    const bool says = log.ok() && !base::trim(*log).empty();
    return Error(ErrorKind::compile,
                 message::kCompileFailed(version(), name,
                                         says ? "\n" + first_lines(*log) : " " + std::string(error_(code))));
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
