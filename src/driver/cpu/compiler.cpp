#include "driver/cpu/compiler.hpp"

#include <memory>

#include "base/environment.hpp"
#include "driver/cpu/api.hpp"

namespace quern::cpu {
namespace {

using base::Error;
using base::ErrorKind;

constexpr int kOptimizeNone = 0;
constexpr int kOptimizeLess = 1;
constexpr int kOptimizeDefault = 2;
constexpr int kRelocationsPic = 2;
constexpr int kCodeModelDefault = 0;
constexpr int kReturnStatus = 2;

// The code is already vectorized: what remains is to promote variables to registers, to fold redundant
// copies, and to hoist loop invariants. No vectorizer, no inliner.
std::string passes(const LlvmApi& api, Effort effort) {
  if (auto requested = base::env_text("QUERN_LLVM_PASSES")) return *requested;
  // Since LLVM 18 the pass aborts if it does not reach a fixpoint, unless verification is disabled.
  const std::string combine = api.major >= 18 ? "instcombine<no-verify-fixpoint>" : "instcombine";
  if (effort == Effort::kQuick) return "function(sroa,early-cse,simplifycfg)";
  return "function(sroa,early-cse<memssa>,simplifycfg," + combine +
         ",simplifycfg,loop-mssa(licm),gvn,loop-mssa(licm)," + combine + ",simplifycfg,dse,adce)";
}

// The optimization level of LLVM's code generator. Quick code gets a little, which makes it run three to six
// times as fast and costs 0.6 ms per 1000 bytes of text; none if that is too long for a first launch.
int level_of(Effort effort, size_t bytes) {
  constexpr size_t kLongText = 18000;
  if (effort == Effort::kFull) return kOptimizeDefault;
  return bytes <= kLongText ? kOptimizeLess : kOptimizeNone;
}

// One compilation's objects of LLVM, released in the right order.
struct Work {
  const LlvmApi& api;
  LlvmContext context = nullptr;
  LlvmModule module = nullptr;
  LlvmMachine machine = nullptr;
  LlvmData data = nullptr;
  LlvmBuffer object = nullptr;

  explicit Work(const LlvmApi& a) : api(a) {}
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  ~Work() {
    if (object != nullptr) api.LLVMDisposeMemoryBuffer(object);
    if (data != nullptr) api.LLVMDisposeTargetData(data);
    if (machine != nullptr) api.LLVMDisposeTargetMachine(machine);
    if (module != nullptr) api.LLVMDisposeModule(module);
    if (context != nullptr) api.LLVMContextDispose(context);
  }

  Error failed(const char* what, char* message) const {
    std::string text = message != nullptr ? message : "no reason was reported";
    if (message != nullptr) api.LLVMDisposeMessage(message);
    while (!text.empty() && (text.back() == '\n' || text.back() == '.')) text.pop_back();
    return {ErrorKind::kInternal, std::string("LLVM ") + what + ": " + text};
  }

  base::Result<> parse(std::string_view text) {
    context = api.LLVMContextCreate();
    LlvmBuffer buffer = api.LLVMCreateMemoryBufferWithMemoryRangeCopy(text.data(), text.size(), "kernel");
    char* message = nullptr;
    if (api.LLVMParseIRInContext(context, buffer, &module, &message) != 0)
      return failed("cannot parse the code", message);
    return {};
  }

  base::Result<> target(const Processor& p, int level) {
    LlvmTarget target = nullptr;
    char* message = nullptr;
    if (api.LLVMGetTargetFromTriple(p.triple.c_str(), &target, &message) != 0)
      return failed("does not support the processor", message);
    machine = api.LLVMCreateTargetMachine(target, p.triple.c_str(), p.cpu.c_str(), p.features.c_str(), level,
                                          kRelocationsPic, kCodeModelDefault);
    if (machine == nullptr) return Error(ErrorKind::kInternal, "LLVM cannot generate code for " + p.triple);
    // GlobalISel, the default for quick code on aarch64, fails on most vectors and falls back to
    // SelectionDAG.
    if (api.LLVMSetTargetMachineGlobalISel != nullptr) api.LLVMSetTargetMachineGlobalISel(machine, 0);
    data = api.LLVMCreateTargetDataLayout(machine);
    api.LLVMSetModuleDataLayout(module, data);
    api.LLVMSetTarget(module, p.triple.c_str());
    return {};
  }

  base::Result<> optimize(Effort effort) {
    LlvmPassOptions options = api.LLVMCreatePassBuilderOptions();
    LlvmError error = api.LLVMRunPasses(module, passes(api, effort).c_str(), machine, options);
    api.LLVMDisposePassBuilderOptions(options);
    if (error == nullptr) return {};
    char* message = api.LLVMGetErrorMessage(error);
    Error result(ErrorKind::kInternal, std::string("LLVM's passes failed: ") + message);
    api.LLVMDisposeErrorMessage(message);
    return result;
  }
};

}  // namespace

base::Result<std::string> compile_object(std::string_view text, const Processor& processor, Effort effort,
                                         Form form) {
  QUERN_TRY_ASSIGN(const LlvmApi* api, llvm_api());
  Work work(*api);
  QUERN_TRY(work.parse(text));
  QUERN_TRY(work.target(processor, level_of(effort, text.size())));
  QUERN_TRY(work.optimize(effort));
  char* message = nullptr;
  if (api->LLVMTargetMachineEmitToMemoryBuffer(work.machine, work.module, static_cast<int>(form), &message,
                                               &work.object) != 0)
    return work.failed("cannot emit an object", message);
  return std::string(api->LLVMGetBufferStart(work.object), api->LLVMGetBufferSize(work.object));
}

base::Result<std::string> check_text(std::string_view text) {
  QUERN_TRY_ASSIGN(const LlvmApi* api, llvm_api());
  Work work(*api);
  if (auto parsed = work.parse(text); !parsed.ok()) return parsed.error().message();
  char* message = nullptr;
  if (api->LLVMVerifyModule(work.module, kReturnStatus, &message) != 0)
    return work.failed("finds", message).message();
  if (message != nullptr) api->LLVMDisposeMessage(message);
  return std::string();
}

}  // namespace quern::cpu
