#include "driver/cpu/module.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "driver/cpu/compiler.hpp"
#include "driver/cpu/helpers.hpp"
#include "driver/cpu/memory.hpp"
#include "driver/cpu/messages.hpp"
#include "driver/cpu/past_caches.hpp"
#include "driver/support/messages.hpp"
#include "driver/support/waiting_clock.hpp"
#include "lang/ir/text.hpp"

namespace quern::cpu {

using base::Error;
using base::ErrorKind;

base::Result<std::unique_ptr<CpuModule>> CpuModule::create(const driver::Code& code,
                                                           const Settings& settings) {
  if (code.kind != driver::CodeKind::kIr || code.module == nullptr)
    return Error(ErrorKind::unsupported, message::kOnlyIr());
  std::unique_ptr<CpuModule> program(new CpuModule(settings));
  program->module_ = code.module;
  program->kernels_ = code.kernels;
  program->math_ = code.math;
  for (const ir::Global* g : code.module->globals) {
    program->variables_.push_back(nullptr);
    if (g->space == ir::Space::kShared) continue;
    QUERN_TRY_ASSIGN(auto memory, allocate_memory(g->object->size, driver::MemoryKind::shared));
    std::memset(memory->host, 0, memory->bytes);
    if (!g->init.empty())
      std::memcpy(memory->host, g->init.data(), std::min<uint64_t>(g->init.size(), memory->bytes));
    program->variables_.back() = std::move(memory);
  }
  program->set_pointers();
  return program;
}

// Initial values that contain addresses of variables.
void CpuModule::set_pointers() {
  const auto& globals = module_->globals;
  for (size_t i = 0; i < globals.size(); ++i) {
    for (const ir::Relocation& r : globals[i]->pointers) {
      const auto target = std::find(globals.begin(), globals.end(), r.target);
      if (variables_[i] == nullptr || target == globals.end()) continue;
      const auto& to = variables_[static_cast<size_t>(target - globals.begin())];
      const uint64_t address = to != nullptr ? to->address + static_cast<uint64_t>(r.distance) : 0;
      std::memcpy(variables_[i]->host + r.at, &address, sizeof(address));
    }
  }
}

base::Result<driver::Place> CpuModule::variable(std::string_view name) const {
  for (size_t i = 0; i < variables_.size(); ++i) {
    const ir::Global* g = module_->globals[i];
    if (variables_[i] != nullptr && !g->is_literal && g->name == name)
      return driver::Place{variables_[i].get(), 0};
  }
  return Error(ErrorKind::not_found, driver::message::kUnknownVariable(name));
}

const std::string& CpuModule::declarations() const {
  std::call_once(declared_, [&] { declarations_ = ir::print_declarations(*module_); });
  return declarations_;
}

const void* CpuModule::variable_address(std::string_view symbol) const {
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (variables_[i] != nullptr && llvm::variable_symbol(i) == symbol) return variables_[i]->host;
  }
  return nullptr;
}

CpuKernel::CpuKernel(CpuModule& program, const ir::Function& kernel, driver::KernelInfo about)
    : program_(program),
      function_(kernel),
      arguments_(llvm::argument_layout(kernel)),
      demand_(llvm::demand(kernel)),
      outflow_(llvm::outflow(kernel)),
      shared_bytes_(llvm::shared_layout(kernel).bytes) {
  info = std::move(about);
  max_threads = kernel.max_threads;
  facts_.module = &program.module();
  facts_.name = kernel.name;
  facts_.place = kernel.pos;
  facts_.sites = llvm::sites(kernel);
}

llvm::Options alone(llvm::Options options) {
  options.width = 1;
  options.is_ragged = false;
  return options;
}

bool CpuKernel::is_checked() const {
  return std::any_of(info.params.begin(), info.params.end(),
                     [](const driver::ParamInfo& p) { return p.role == driver::ParamRole::kChecks; });
}

bool CpuKernel::goes_past_caches(const std::byte* arguments, uint64_t threads) const {
  return cpu::goes_past_caches({outflow_, function_, arguments_, arguments, threads},
                               program_.settings().last_cache, program_.settings().threads);
}

llvm::Options CpuKernel::options_for(const driver::Dim3& block) const {
  const Settings& s = program_.settings();
  const uint32_t width = s.is_width_chosen ? s.width : fitting_lanes(s.width, demand_, block);
  llvm::Options o = usual_options(s.processor, width, demand_, block);
  o.has_lines = s.is_debugged;
  o.marks_places = is_checked();
  o.is_fused = program_.math() != driver::Math::exact;
  o.is_fast = program_.math() == driver::Math::fast;
  return o;
}

namespace {
constexpr uint32_t kLeastLanes = 16;  // their floats fill a cache line
}  // namespace

// More floats than a register holds: several registers per value hide latency. Measured: with NEON, 16 lanes
// run 1.3 to 2 times as fast as 4; with AVX-512, 64 run up to 1.8 times as fast as 16.
uint32_t usual_lanes(const Processor& processor) {
  constexpr uint32_t kRegisters = 4, kFloatBits = 32;
  return std::max(kLeastLanes, kRegisters * processor.vector_bits / kFloatBits);
}

// Streaming kernels alternate between reading and writing one cache line: reading four lines and then writing
// four took up to 10 % longer.
uint32_t fitting_lanes(uint32_t lanes, const llvm::Demand& demand, const driver::Dim3& block) {
  if (demand.stream_bytes != 0)
    lanes = std::min(lanes, std::max(kLeastLanes, llvm::kCacheLine / demand.stream_bytes));
  const bool is_line = block.y == 1 && block.z == 1;
  const uint64_t row = is_line ? block.count() : block.x;
  while (lanes > kLeastLanes && row % lanes != 0) lanes /= 2;
  return lanes;
}

llvm::Options usual_options(const Processor& processor, uint32_t width, const llvm::Demand& demand,
                            const driver::Dim3& block) {
  const uint64_t threads = block.count();
  llvm::Options o;
  o.has_masked_memory = processor.has_masked_memory;
  o.is_aarch64 = processor.is_aarch64;
  o.has_fma = processor.has_fma;
  o.has_byte_products = processor.has_byte_products;
  o.is_thread = demand.waits;
  o.width = demand.waits ? 1 : demand.warp ? 32 : threads == 1 ? 1 : width;
  o.is_ragged = threads % o.width != 0;
  const bool is_line = block.y == 1 && block.z == 1;
  o.shape = is_line                  ? llvm::Shape::kLine
            : block.x % o.width == 0 ? llvm::Shape::kRows
                                     : llvm::Shape::kGeneral;
  return o;
}

namespace {

bool same(const llvm::Options& a, const llvm::Options& b) {
  return a.width == b.width && a.shape == b.shape && a.is_ragged == b.is_ragged;
}

}  // namespace

const Variant* CpuKernel::find(const llvm::Options& options) const {
  for (auto v = variants_.rbegin(); v != variants_.rend(); ++v) {
    if (same((*v)->options, options)) return v->get();
  }
  return nullptr;
}

bool CpuKernel::is_compiled_for(const driver::Dim3& block) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return find(options_for(block)) != nullptr;
}

base::Result<const Variant*> CpuKernel::variant_for(const driver::Dim3& block) {
  const llvm::Options wanted = options_for(block);
  const Variant* last = last_.load(std::memory_order_acquire);
  if (last != nullptr && same(last->options, wanted)) return last;
  const std::lock_guard<std::mutex> lock(mutex_);
  const Variant* found = find(wanted);
  if (found == nullptr) {
    QUERN_TRY_ASSIGN(auto fresh, compile(wanted, program_.settings().effort)
                                     .while_doing("compiling kernel '" + function_.name + "' for the cpu"));
    variants_.push_back(std::move(fresh));
    found = variants_.back().get();
  }
  last_.store(found, std::memory_order_release);
  return found;
}

const Variant* CpuKernel::promoted(const Variant* variant) {
  if (!variant->is_growing()) return variant;
  const std::lock_guard<std::mutex> lock(mutex_);
  const Variant* found = find(variant->options);
  if (found->effort == Effort::kFull) return found;
  if (!pending_.valid()) {
    pending_for_ = variant;
    pending_ = std::async(std::launch::async | std::launch::deferred,
                          [this, options = variant->options] { return compile(options, Effort::kFull); });
  }
  const bool is_ready = pending_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  if (!is_ready && (pending_for_ != variant || !variant->is_outgrown())) return variant;
  auto full = pending_.get();
  if (!full.ok()) {
    pending_for_->spent.store(0, std::memory_order_relaxed);  // it does run; checked again after a while
    return variant;
  }
  variants_.push_back(std::move(*full));
  last_.store(variants_.back().get(), std::memory_order_release);
  return find(variant->options);
}

namespace {

// Compile time of full code per byte of text (measured: 0.6 to 1.2 us on a 2-core virtual machine).
constexpr uint64_t kNanosecondsPerByte = 1000;
// The text of full code is longer than that of quick code by about this factor; if that is vectorized too:
constexpr uint64_t kFullText = 6, kFullWarpText = 2;
// If quick code is shorter than this, full code is compiled immediately: that takes less than 15 ms.
constexpr size_t kShortText = 2600;
constexpr uint32_t kQuickLanes = 1;  // more lanes need masks, and several times the code

// A block whose rows are whole bundles has whole bundles for fewer lanes too.
llvm::Options quick_options(llvm::Options options, const llvm::Demand& demand) {
  options.is_quick = true;
  if (!demand.warp && options.width > kQuickLanes) {
    options.width = kQuickLanes;
    options.is_ragged = false;
  }
  return options;
}

// What objects depend on besides their text: folders of compiled code may be shared between machines.
std::string machine(const Settings& s) {
  return s.processor.triple + " " + s.processor.features + " " + s.library;
}

}  // namespace

std::string CpuKernel::object_key(const std::string& text, Effort effort) const {
  base::Hasher hasher;
  hasher.add_field(text).add_field(machine(program_.settings())).add(static_cast<uint64_t>(effort));
  return hasher.add(uint64_t{llvm::kAbiVersion}).finish().to_string();
}

// The code, and how it is run.
base::Result<Recipe> CpuKernel::write(const llvm::Options& options, std::optional<Effort> effort,
                                      std::string& text) const {
  Recipe r;
  r.own = options;
  r.effort = effort.value_or(Effort::kQuick);
  r.patience = ~uint64_t{0};  // if quick code was requested, it stays
  llvm::Code code;
  const auto emit = [&]() -> base::Result<> {
    QUERN_TRY_ASSIGN(code, llvm::emit(program_.module(), function_, r.own));
    return {};
  };
  if (r.effort == Effort::kQuick) {
    r.own = quick_options(options, demand_);
    QUERN_TRY(emit());
    const uint64_t growth = demand_.warp ? kFullWarpText : kFullText;
    if (!effort) r.patience = kNanosecondsPerByte * growth * code.text.size();
    if (!effort && code.text.size() <= kShortText) r.effort = Effort::kFull;
  }
  if (r.effort == Effort::kFull) {
    r.own = options;
    QUERN_TRY(emit());
  }
  if (code.is_better_alone && !demand_.warp) {
    r.own = alone(r.own);
    QUERN_TRY(emit());
    if (!effort && code.text.size() <= kShortText) r.effort = Effort::kFull;
  }
  if (const auto folder = base::env_text("QUERN_CPU_DUMP")) {
    const std::string name = base::format("%s.%u.%u%s%s.ll", function_.name.c_str(), r.own.width,
                                          static_cast<unsigned>(options.shape),
                                          options.is_ragged ? ".ragged" : "", r.own.is_quick ? ".quick" : "");
    QUERN_TRY(base::write_file(base::join_path(*folder, name), code.text));
  }
  r.record_bytes = code.record_bytes;
  r.is_abreast = code.is_abreast;
  r.is_by_rows = code.is_by_rows;
  r.entry = code.entry;
  r.object_key = object_key(code.text, r.effort);
  text = std::move(code.text);
  return r;
}

base::Result<std::unique_ptr<Variant>> CpuKernel::load(const Recipe& recipe, const llvm::Options& options,
                                                       const std::string& object) const {
  auto variant = std::make_unique<Variant>();
  variant->options = options;
  variant->own = recipe.own;
  variant->effort = recipe.effort;
  variant->patience = recipe.patience;
  variant->record_bytes = recipe.record_bytes;
  variant->is_abreast = recipe.is_abreast;
  variant->is_by_rows = recipe.is_by_rows;
  const auto resolve = [&](std::string_view name) {
    const void* own = helper_address(name);
    return own != nullptr ? own : program_.variable_address(name);
  };
  QUERN_TRY_ASSIGN(variant->object, CodeObject::load(object, resolve));
  if (program_.settings().is_debugged) variant->object->show(object, function_.name);
  variant->function =
      reinterpret_cast<llvm::BlockFunction>(const_cast<void*>(variant->object->find(recipe.entry)));
  if (variant->function == nullptr) return Error(ErrorKind::internal, message::kEntryMissing(recipe.entry));
  return variant;
}

// From the cache, or generated, and then stored in the cache.
base::Result<std::unique_ptr<Variant>> CpuKernel::compile(const llvm::Options& options,
                                                          std::optional<Effort> effort) const {
  const driver::Preparation now;
  // A waiting launch may be the kernel's last: better code would come too late.
  if (!effort && demand_.sleeps) effort = Effort::kFull;
  const Settings& s = program_.settings();
  const std::string key = s.cache->folder().empty()
                              ? std::string()
                              : recipe_key(machine(s), program_.declarations(), function_, options, effort);
  if (const auto kept = s.cache->find(key)) {
    const std::optional<Recipe> recipe = recipe_from(*kept, options);
    const auto object = recipe ? s.cache->find(recipe->object_key) : std::nullopt;
    if (object) return load(*recipe, options, *object);
  }
  std::string text;
  QUERN_TRY_ASSIGN(const Recipe recipe, write(options, effort, text));
  const char* const kind = recipe.effort == Effort::kFull ? "full" : "quick";
  const std::string label = base::format("%s for the cpu, %s code", function_.name.c_str(), kind);
  QUERN_TRY_ASSIGN(const std::string object, s.cache->get(recipe.object_key, label, [&] {
    return compile_object(text, s.processor, recipe.effort);
  }));
  s.cache->put(key, label + ", how it is run", to_text(recipe));
  return load(recipe, options, object);
}

}  // namespace quern::cpu
