#include "driver/cpu/compiler.hpp"

#include <memory>

#include "base/environment.hpp"
#include "driver/cpu/llvm_use.hpp"
#include "driver/cpu/messages.hpp"

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

  Error failed(const base::Message<1>& what, char* reason) const {
    std::string text = reason != nullptr ? reason : "no reason was reported";
    if (reason != nullptr) api.LLVMDisposeMessage(reason);
    while (!text.empty() && (text.back() == '\n' || text.back() == '.')) text.pop_back();
    return {ErrorKind::internal, what(text)};
  }

  base::Result<> parse(std::string_view text) {
    context = api.LLVMContextCreate();
    LlvmBuffer buffer = api.LLVMCreateMemoryBufferWithMemoryRangeCopy(text.data(), text.size(), "kernel");
    char* reason = nullptr;
    if (api.LLVMParseIRInContext(context, buffer, &module, &reason) != 0)
      return failed(message::kParseFailed, reason);
    return {};
  }

  base::Result<> target(const Processor& p, int level) {
    LlvmTarget target = nullptr;
    char* reason = nullptr;
    if (api.LLVMGetTargetFromTriple(p.triple.c_str(), &target, &reason) != 0)
      return failed(message::kNoTarget, reason);
    machine = api.LLVMCreateTargetMachine(target, p.triple.c_str(), p.cpu.c_str(), p.features.c_str(), level,
                                          kRelocationsPic, kCodeModelDefault);
    if (machine == nullptr) return Error(ErrorKind::internal, message::kNoCodeGenerator(p.triple));
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
    char* reason = api.LLVMGetErrorMessage(error);
    Error result(ErrorKind::internal, message::kPassesFailed(reason));
    api.LLVMDisposeErrorMessage(reason);
    return result;
  }
};

}  // namespace

base::Result<std::string> compile_object(std::string_view text, const Processor& processor, Effort effort,
                                         Form form) {
  QUERN_TRY_ASSIGN(const LlvmUse use, LlvmUse::begin());
  const LlvmApi& api = use.api();
  Work work(api);
  QUERN_TRY(work.parse(text));
  QUERN_TRY(work.target(processor, level_of(effort, text.size())));
  QUERN_TRY(work.optimize(effort));
  char* reason = nullptr;
  if (api.LLVMTargetMachineEmitToMemoryBuffer(work.machine, work.module, static_cast<int>(form), &reason,
                                              &work.object) != 0)
    return work.failed(message::kEmitFailed, reason);
  return std::string(api.LLVMGetBufferStart(work.object), api.LLVMGetBufferSize(work.object));
}

base::Result<std::string> check_text(std::string_view text) {
  QUERN_TRY_ASSIGN(const LlvmUse use, LlvmUse::begin());
  const LlvmApi& api = use.api();
  Work work(api);
  if (auto parsed = work.parse(text); !parsed.ok()) return parsed.error().message();
  char* reason = nullptr;
  if (api.LLVMVerifyModule(work.module, kReturnStatus, &reason) != 0)
    return work.failed(message::kVerifyFailed, reason).message();
  if (reason != nullptr) api.LLVMDisposeMessage(reason);
  return std::string();
}

}  // namespace quern::cpu
