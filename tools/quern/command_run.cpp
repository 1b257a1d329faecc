#include <algorithm>
#include <chrono>
#include <cstdio>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "driver/sim/sim.hpp"
#include "runtime/argument_text.hpp"
#include "sources.hpp"

namespace quern::tool {

namespace {

using base::Error;
using base::ErrorKind;
using runtime::HostBuffer;

struct Range {
  std::string name;
  uint64_t first = 0, last = 0;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// One `quern run`: compile, bind arguments, launch, show.
class Run {
 public:
  explicit Run(const Arguments& arguments) : arguments_(arguments) {}

  base::Result<int> run() {
    const auto start = std::chrono::steady_clock::now();
    QUERN_TRY_ASSIGN(const bool compiled, compile());
    if (!compiled) return kBadInput;
    compile_seconds_ = seconds_since(start);
    QUERN_TRY(bind());
    QUERN_TRY(geometry());
    QUERN_TRY(options());
    QUERN_TRY_ASSIGN(auto program, device_.load(module_));
    uint64_t repeat = 1;
    if (auto text = arguments_.value("--repeat")) {
      const auto n = base::parse_uint(*text);
      if (!n || *n == 0)
        return Error(ErrorKind::kInvalidUse,
                     "--repeat wants a count of at least 1, '" + *text + "' is given");
      repeat = *n;
    }
    for (uint64_t i = 0; i < repeat; ++i) {
      QUERN_TRY_ASSIGN(result_, device_.launch(*program, kernel_->name, config_));
      best_ = i == 0 ? result_.seconds : std::min(best_, result_.seconds);
      if (!result_.clean()) break;
    }
    QUERN_TRY(show());
    QUERN_TRY(save());
    return result_.clean() ? kOk : kFailed;
  }

 private:
  struct Bound {
    const ir::Param* param = nullptr;
    HostBuffer buffer;
    sim::Address address = 0;
    bool is_buffer = false;
  };

  // False: the file has errors, which are shown.
  base::Result<bool> compile() {
    const KernelPath path = split_kernel_path(arguments_.operands()[0]);
    lang::CompileOptions options = compile_options(arguments_);
    if (!path.kernel.empty()) options.kernels.push_back(path.kernel);
    QUERN_TRY_ASSIGN(lang::Compilation compiled, compile_file(path.file, options));
    std::fputs(compiled.rendered.c_str(), stderr);
    std::vector<std::string> names;
    for (const lang::KernelInfo& k : compiled.kernels) {
      if (k.ok) names.push_back(k.name);
    }
    if (names.empty()) {
      if (!compiled.ok) return false;
      return Error(ErrorKind::kNotFound, "there is no kernel to run in " + path.file)
          .add_hint(compiled.kernels.empty() ? "a kernel is a function marked __global__"
                                             : compiled.kernels[0].reason);
    }
    if (names.size() > 1) {
      return Error(ErrorKind::kInvalidUse, path.file + " has " + base::format_plural(names.size(), "kernel") +
                                               "; say which one to run")
          .add_hint("write " + path.file + ":" + names[0] +
                    " (also: " + base::join(std::span(names).subspan(1), ", ") + ")");
    }
    module_ = std::make_shared<ir::Module>(std::move(compiled.module));
    kernel_ = module_->find_function(names[0]);
    return true;
  }

  base::Result<void> bind() {
    const size_t given = arguments_.operands().size() - 1;
    if (given != kernel_->params.size()) {
      std::string list;
      for (const ir::Param* p : kernel_->params)
        list += (list.empty() ? "" : ", ") + p->spelling + " " + p->name;
      return Error(ErrorKind::kInvalidUse, "'" + kernel_->name + "' takes " +
                                               base::format_plural(kernel_->params.size(), "argument") +
                                               ", " + std::to_string(given) + " are given")
          .add_hint("its parameters are (" + list + ")");
    }
    for (size_t i = 0; i < given; ++i) {
      Bound b;
      b.param = kernel_->params[i];
      const std::string& text = arguments_.operands()[i + 1];
      if (b.param->type->is_ptr()) {
        QUERN_TRY(bind_buffer(b, text));
      } else {
        if (text.find('[') != std::string::npos || (!text.empty() && text[0] == '@')) {
          return Error(ErrorKind::kInvalidUse,
                       "parameter '" + b.param->name + "' is " + b.param->spelling + ", a buffer is given")
              .add_hint("write a number");
        }
        QUERN_TRY_ASSIGN(std::vector<std::byte> bytes,
                         runtime::parse_value(text, b.param->type, b.param->name));
        config_.args.emplace_back(std::move(bytes));
      }
      bound_.push_back(std::move(b));
    }
    return {};
  }

  base::Result<void> bind_buffer(Bound& b, const std::string& text) {
    if (text == "null" || text == "nullptr" || text == "0") {
      config_.args.emplace_back(uint64_t{0});
      return {};
    }
    if (text.find('[') == std::string::npos && text[0] != '@') {
      return Error(ErrorKind::kInvalidUse,
                   "parameter '" + b.param->name + "' is " + b.param->spelling + ", '" + text + "' is given")
          .add_hint("write a buffer, as in f32[1024]=0");
    }
    QUERN_TRY_ASSIGN(b.buffer, runtime::parse_buffer(text));
    QUERN_TRY(runtime::check_buffer(b.buffer, *b.param));
    const uint64_t bytes = b.buffer.count * b.buffer.element_bytes();
    const uint32_t element = b.param->elem != nullptr ? static_cast<uint32_t>(b.param->elem->size) : 1;
    QUERN_TRY_ASSIGN(b.address, device_.allocate(bytes, {b.param->name, element}));
    if (!b.buffer.is_undefined) QUERN_TRY(device_.upload(b.address, b.buffer.bytes));
    b.is_buffer = true;
    config_.args.emplace_back(b.address);
    largest_ = std::max(largest_, element != 0 ? bytes / element : b.buffer.count);
    return {};
  }

  base::Result<sim::Dim3> dim(std::string_view name, const std::string& text) {
    std::vector<uint32_t> parts;
    for (std::string_view part : base::split(text, ',')) {
      const auto n = base::parse_uint(base::trim(part));
      if (!n || *n == 0 || *n > UINT32_MAX || parts.size() == 3) {
        return Error(ErrorKind::kInvalidUse,
                     std::string(name) + " wants up to three counts of at least 1, '" + text + "' is given");
      }
      parts.push_back(static_cast<uint32_t>(*n));
    }
    parts.resize(3, 1);
    return sim::Dim3{parts[0], parts[1], parts[2]};
  }

  base::Result<void> geometry() {
    uint32_t block =
        kernel_->max_threads != 0 ? std::min<uint32_t>(kernel_->max_threads, sim::kMaxBlockThreads) : 256;
    uint64_t threads = std::max<uint64_t>(1, largest_);
    if (auto text = arguments_.value("--threads")) {
      const auto n = base::parse_uint(*text);
      if (!n || *n == 0)
        return Error(ErrorKind::kInvalidUse,
                     "--threads wants a count of at least 1, '" + *text + "' is given");
      threads = *n;
    }
    if (threads < block && !arguments_.has("--block"))
      block = static_cast<uint32_t>(std::max<uint64_t>(1, threads));
    config_.block = {block, 1, 1};
    if (auto text = arguments_.value("--block")) {
      QUERN_TRY_ASSIGN(config_.block, dim("--block", *text));
    }
    const uint64_t per_block = uint64_t{config_.block.x} * config_.block.y * config_.block.z;
    const uint64_t blocks = (threads + per_block - 1) / per_block;
    if (blocks > UINT32_MAX)
      return Error(ErrorKind::kInvalidUse, "so many threads do not fit in one grid dimension");
    config_.grid = {static_cast<uint32_t>(blocks), 1, 1};
    if (auto text = arguments_.value("--grid")) {
      QUERN_TRY_ASSIGN(config_.grid, dim("--grid", *text));
    }
    if (auto text = arguments_.value("--shared")) {
      const auto n = base::parse_uint(*text);
      if (!n)
        return Error(ErrorKind::kInvalidUse, "--shared wants a count of bytes, '" + *text + "' is given");
      config_.dynamic_shared_bytes = *n;
    }
    return {};
  }

  base::Result<void> options() {
    if (auto text = arguments_.value("--seed")) {
      const auto n = base::parse_uint(*text);
      if (!n) return Error(ErrorKind::kInvalidUse, "--seed wants a number, '" + *text + "' is given");
      config_.options.seed = *n;
    }
    if (auto text = arguments_.value("--time-limit")) {
      const auto s = base::parse_double(*text);
      if (!s || !(*s > 0))
        return Error(ErrorKind::kInvalidUse, "--time-limit wants seconds, '" + *text + "' is given");
      config_.options.time_limit_s = *s;
    }
    for (const std::string& list : arguments_.values("--check")) {
      for (std::string_view what : base::split(list, ',')) {
        if (what == "none") {
          config_.options.checks = 0;
        } else if (what == "overflow") {
          config_.options.checks |= sim::kCheckOverflow;
        } else if (what == "shifts") {
          config_.options.checks |= sim::kCheckShifts;
        } else if (what == "all") {
          config_.options.checks = sim::kAllChecks;
        } else {
          return Error(ErrorKind::kInvalidUse,
                       "--check knows overflow, shifts, all and none; '" + std::string(what) + "' is given");
        }
      }
    }
    return {};
  }

  static std::string spell(const sim::Dim3& d) {
    if (d.z != 1) return base::format("(%u, %u, %u)", d.x, d.y, d.z);
    if (d.y != 1) return base::format("(%u, %u)", d.x, d.y);
    return std::to_string(d.x);
  }

  base::Result<Range> parse_range(const std::string& text) const {
    Range r;
    const size_t open = text.find('[');
    r.name = text.substr(0, open);
    const Bound* b = find(r.name);
    if (b == nullptr) return unknown_param(r.name);
    r.last = std::min<uint64_t>(elements(*b), 8);
    if (open == std::string::npos) return r;
    const std::string inside = text.substr(open + 1, text.size() - open - 2);
    const size_t colon = inside.find(':');
    const auto first = base::parse_uint(colon == 0 ? "0" : inside.substr(0, colon));
    std::optional<uint64_t> last;
    if (colon == std::string::npos) {
      last = first ? std::optional<uint64_t>(*first + 1) : std::nullopt;
    } else {
      last = colon + 1 == inside.size() ? elements(*b) : base::parse_uint(inside.substr(colon + 1));
    }
    if (text.back() != ']' || !first || !last || *first > *last || *last > elements(*b)) {
      return Error(ErrorKind::kInvalidUse, "'" + text + "' is no part of '" + r.name + "', which has " +
                                               base::format_plural(elements(*b), "element"))
          .add_hint("write " + r.name + "[first:end]");
    }
    r.first = *first;
    r.last = *last;
    return r;
  }

  Error unknown_param(const std::string& name) const {
    std::vector<std::string> names;
    for (const Bound& b : bound_) {
      if (b.is_buffer) names.push_back(b.param->name);
    }
    Error error(ErrorKind::kInvalidUse, "'" + kernel_->name + "' has no buffer '" + name + "'");
    if (!names.empty()) error.add_hint("its buffers are " + base::join(names, ", "));
    return error;
  }

  const Bound* find(const std::string& name) const {
    for (const Bound& b : bound_) {
      if (b.is_buffer && b.param->name == name) return &b;
    }
    return nullptr;
  }

  static uint64_t element_size(const Bound& b) {
    return b.param->elem != nullptr && b.param->elem->size != 0 ? b.param->elem->size
                                                                : b.buffer.element_bytes();
  }
  static uint64_t elements(const Bound& b) {
    return b.buffer.count * b.buffer.element_bytes() / element_size(b);
  }

  base::Result<std::string> values(const Bound& b, uint64_t first, uint64_t last) const {
    const uint64_t size = element_size(b);
    std::vector<std::byte> bytes((last - first) * size);
    QUERN_TRY(device_.download(b.address + first * size, bytes));
    std::string out;
    for (uint64_t i = 0; i < last - first; ++i) {
      out += i > 0 ? " " : "";
      out += b.param->elem != nullptr ? runtime::print_value(b.param->elem, bytes.data() + i * size)
                                      : runtime::print_number(b.buffer.type, bytes.data() + i * size);
    }
    return out;
  }

  base::Result<void> show() {
    if (arguments_.has("--json")) return show_json();
    std::fputs(result_.printed.c_str(), stdout);
    for (const sim::Report& r : result_.reports) std::printf("%s\n", sim::render(r, *module_).c_str());
    if (result_.more_reports > 0)
      std::printf("… and %s more\n", base::format_count(result_.more_reports).c_str());
    std::printf("%s<<<%s, %s>>> on the simulator (sim)   %s   compiled in %s%s\n", kernel_->name.c_str(),
                spell(config_.grid).c_str(), spell(config_.block).c_str(),
                base::format_duration(best_).c_str(), base::format_duration(compile_seconds_).c_str(),
                result_.stopped ? "   stopped early" : "");
    const std::vector<std::string> wanted = arguments_.values("--print");
    if (wanted.empty()) {
      for (const Bound& b : bound_) {
        if (!b.is_buffer || b.param->is_const_elem || elements(b) == 0) continue;
        const uint64_t n = std::min<uint64_t>(elements(b), 8);
        QUERN_TRY_ASSIGN(const std::string text, values(b, 0, n));
        std::printf("%s: %s%s\n", b.param->name.c_str(), text.c_str(), n < elements(b) ? " …" : "");
      }
    }
    for (const std::string& text : wanted) {
      QUERN_TRY_ASSIGN(const Range r, parse_range(text));
      QUERN_TRY_ASSIGN(const std::string list, values(*find(r.name), r.first, r.last));
      std::printf("%s[%llu:%llu]: %s\n", r.name.c_str(), static_cast<unsigned long long>(r.first),
                  static_cast<unsigned long long>(r.last), list.c_str());
    }
    return {};
  }

  base::Result<void> show_json() {
    base::JsonWriter json(2);
    json.begin_object().member("kernel", kernel_->name).member("device", "sim").member("seconds", best_);
    json.member("instructions", result_.instructions)
        .member("threads", result_.threads)
        .member("stopped", result_.stopped);
    json.member("printed", result_.printed);
    json.key("reports").begin_array();
    for (const sim::Report& r : result_.reports) {
      json.begin_object()
          .member("kind", sim::name(r.kind))
          .member("message", r.message)
          .member("kernel", r.kernel);
      json.member("file",
                  r.pos.file < module_->files.size() ? module_->files[r.pos.file].name : std::string());
      json.member("line", r.pos.line).member("column", r.pos.column).member("place", r.place);
      json.member("extent", r.extent).member("count", r.count).member("hint", r.hint).end_object();
    }
    json.end_array().end_object();
    std::fputs(json.take().c_str(), stdout);
    return {};
  }

  base::Result<void> save() {
    for (const std::string& text : arguments_.values("--save")) {
      const size_t equals = text.find('=');
      if (equals == std::string::npos) {
        return Error(ErrorKind::kInvalidUse, "--save wants NAME=FILE.npy, '" + text + "' is given");
      }
      const Bound* b = find(text.substr(0, equals));
      if (b == nullptr) return unknown_param(text.substr(0, equals));
      std::vector<std::byte> bytes(b->buffer.count * b->buffer.element_bytes());
      QUERN_TRY(device_.download(b->address, bytes));
      QUERN_TRY(base::write_npy(text.substr(equals + 1), *runtime::npy_type(b->buffer.type), b->buffer.shape,
                                bytes));
    }
    return {};
  }

  const Arguments& arguments_;
  std::shared_ptr<ir::Module> module_;
  const ir::Function* kernel_ = nullptr;
  sim::Device device_;
  std::vector<Bound> bound_;
  sim::LaunchConfig config_;
  sim::LaunchResult result_;
  uint64_t largest_ = 0;
  double compile_seconds_ = 0;
  double best_ = 0;
};

}  // namespace

int run_run(const Arguments& arguments) {
  if (arguments.operands().empty())
    return fail(kUsage, "run wants FILE[:KERNEL] and its arguments", "quern run --help shows examples");
  const std::string on = arguments.value("--on").value_or("sim");
  if (on != "sim") return fail(kUsage, "there is no device '" + on + "'", "the devices are: sim");
  auto code = Run(arguments).run();
  if (code.ok()) return *code;
  const bool usage = code.error().kind() == ErrorKind::kInvalidUse;
  return fail(usage ? kUsage : kBadInput, code.error());
}

}  // namespace quern::tool
