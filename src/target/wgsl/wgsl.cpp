#include "target/wgsl/wgsl.hpp"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include "base/round_up.hpp"
#include "base/text.hpp"
#include "target/describe.hpp"
#include "target/messages.hpp"
#include "target/wgsl/writer.hpp"

namespace quern::target::wgsl {

namespace {

using base::Error;
using base::ErrorKind;

constexpr std::string_view kSizes =
    "override quern_block_x: u32 = 64u;\n"
    "override quern_block_y: u32 = 1u;\n"
    "override quern_block_z: u32 = 1u;\n";
// Its uniformity analysis is less precise than ours.
constexpr std::string_view kSubgroups = "enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n";
constexpr std::string_view kDynamic = "override quern_shared_words: u32 = 1u;\n";

// The offset of each parameter in the argument block: the plain ones in their C layout, then the offsets that
// lower_words appended. Returns the size in bytes.
uint64_t lay_out(const ir::Function& kernel, size_t user_params, std::vector<uint64_t>& offsets) {
  uint64_t at = 0;
  for (const ir::Param* p : kernel.params) {
    if (p->type->is_ptr()) {
      offsets.push_back(0);
      continue;
    }
    at = base::round_up(at, p->index < user_params ? p->type->align : 4);
    offsets.push_back(at);
    at += p->type->size;
  }
  return at;
}

// Options::version: the binding of each buffer, separated by commas; then perhaps kWide.
std::vector<uint32_t> bindings_of(std::string_view version) {
  std::vector<uint32_t> out;
  if (is_wide(version)) version.remove_suffix(kWide.size());
  while (!version.empty()) {
    const size_t end = std::min(version.find(','), version.size());
    out.push_back(static_cast<uint32_t>(base::parse_uint(version.substr(0, end)).value_or(0)));
    version.remove_prefix(std::min(end + 1, version.size()));
  }
  return out;
}

// A text with one kernel, in which all internal names are unchanged.
class KernelText {
 public:
  KernelText(const ir::Module& whole, const ir::Function& kernel, const Options& options, Names& names)
      : module_(whole.clone(kernel)), options_(options), names_(names) {
    kernel_ = module_.find_function(kernel.name);
  }

  // Empty: it is refused, and `info` has the reason.
  std::string write(driver::Code& code, driver::KernelInfo& info) {
    const size_t user_params = kernel_->params.size();
    const size_t sites = code.sites.size();
    info.variables = used_variables(module_, code.variables);
    auto refusal = lower(module_, *kernel_, options_, code.sites);
    std::string text;
    if (!refusal) {
      const std::vector<uint32_t> bindings = bindings_of(options_.version);
      Objects objects(module_, *kernel_, code.variables, info.variables, bindings, names_);
      Unit unit(module_, *kernel_, options_, objects, names_);
      const uint64_t bytes = lay_out(*kernel_, user_params, unit.offsets);
      if (const ir::Inst* i = objects.wrong_write()) unit.refuse(i->pos, message::kWritesConst());
      text = write_all(unit, info, bytes, binding_of(bindings, report_binding(info)));
      refusal = unit.refusal;
    }
    if (!refusal) return text;
    code.sites.resize(sites);
    info.refused = refusal_text(module_, info.name, *refusal);
    return {};
  }

  bool uses_dynamic() const { return uses_dynamic_; }
  bool uses_subgroups() const { return uses_subgroups_; }

 private:
  uint32_t report_binding(const driver::KernelInfo& info) const {
    const auto is_pointer = [](const ir::Param* p) { return p->type->is_ptr(); };
    return static_cast<uint32_t>(std::count_if(kernel_->params.begin(), kernel_->params.end(), is_pointer) +
                                 static_cast<std::ptrdiff_t>(info.variables.size()));
  }

  std::string write_all(Unit& unit, const driver::KernelInfo& info, uint64_t bytes, uint32_t report) {
    std::string functions;
    std::unordered_set<std::string> written;  // repeated requests are identical
    for (ir::Function* f : module_.functions) {
      if (f == kernel_ || !written.insert(f->name).second) continue;
      functions += Writer(unit, *f).write_function("quern_" + f->name.substr(f->name.rfind(':') + 1));
    }
    const std::string kernel = Writer(unit, *kernel_).write_kernel(info.entry);
    uses_dynamic_ = unit.uses_dynamic;
    uses_subgroups_ = unit.uses_subgroups;
    std::string text;
    if (unit.uses_arguments) {
      const uint64_t rows = base::round_up(bytes, 16) / 16;
      text += "@group(1) @binding(0) var<uniform> quern_arguments: array<vec4<u32>, " +
              std::to_string(rows + 1) + ">;\nconst quern_zero = " + std::to_string(rows) + "u;\n";
    }
    text += unit.declarations;
    if (unit.uses_report)
      text += "@group(0) @binding(" + std::to_string(report) +
              ") var<storage, read_write> quern_report: array<atomic<u32>>;\n";
    const auto own = [&](bool is_used, std::string_view what) {
      if (is_used) text += "var<private> quern_own_" + std::string(what) + ": vec3<u32>;\n";
    };
    own(unit.uses_thread, "thread");
    own(unit.uses_block, "block");
    own(unit.uses_grid, "grid");
    return text + unit.helpers.text() + functions + kernel;
  }

  ir::Module module_;
  ir::Function* kernel_ = nullptr;
  const Options& options_;
  Names& names_;
  bool uses_dynamic_ = false, uses_subgroups_ = false;
};

// Internal names in the n-th kernel of a text.
std::string numbered(const std::string& text, size_t n) {
  constexpr std::string_view kPrefix = "quern_";
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t from = text.find(kPrefix, at);
    if (from == std::string::npos) return out + text.substr(at);
    size_t end = from;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word = text.substr(from, end - from);
    const bool is_shared = word.starts_with("quern_block_") || word.starts_with("quern_shared_");
    out += text.substr(at, from - at) + word + (is_shared ? "" : "_" + std::to_string(n));
    at = end;
  }
  return out;
}

}  // namespace

base::Result<void> emit(const ir::Module& module, const Options& options, driver::Code& code) {
  for (driver::VariableInfo& v : code.variables) v.entry = v.name;
  Names names;
  std::string kernels;
  bool uses_dynamic = false, uses_subgroups = false;
  size_t at = 0, written = 0;
  for (const ir::Function* f : module.functions) {
    if (!f->is_kernel) continue;
    driver::KernelInfo& info = code.kernels[at++];
    info.entry = make_name(names, f->name);
    KernelText kernel(module, *f, options, names);
    const std::string text = kernel.write(code, info);
    if (text.empty()) continue;
    uses_dynamic = uses_dynamic || kernel.uses_dynamic();
    uses_subgroups = uses_subgroups || kernel.uses_subgroups();
    kernels += "\n" + (++written == 1 ? text : numbered(text, written));
  }
  const auto is_refused = [](const driver::KernelInfo& k) { return !k.refused.empty(); };
  if (!code.kernels.empty() && std::all_of(code.kernels.begin(), code.kernels.end(), is_refused))
    return Error(ErrorKind::unsupported, code.kernels.front().refused);
  code.bytes = std::string(uses_subgroups ? kSubgroups : "") + std::string(kSizes) +
               std::string(uses_dynamic ? kDynamic : "") + kernels;
  return {};
}

}  // namespace quern::target::wgsl
