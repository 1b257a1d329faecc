#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/progress.hpp"
#include "base/table.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "base/thread.hpp"
#include "command.hpp"
#include "device_check.hpp"
#include "lang/text/path.hpp"
#include "messages.hpp"
#include "output.hpp"
#include "sources.hpp"
#include "target/describe.hpp"
#include "targets.hpp"

namespace quern::tool {

namespace {

constexpr Arguments::Option kOptions[] = {{"--json"},          {"--help"},       {"-h"},    {"-I", true},
                                          {"-D", true},        {"--no-include"}, {"--all"}, {"--quiet"},
                                          {"--targets", true}, {"--keep", true}};
constexpr std::string_view kHelp = R"(usage: quern check PATH… [options]

Reports, for every kernel in the given files and folders, whether each target supports it, and otherwise the first reason.
In a folder, every .cu file is checked. A file that others include is checked as they include it. Headers named by an
#include are searched for in the whole folder.

  --all              list every kernel, not only those with a problem
  --quiet            print only the totals
  --json             machine-readable output: {"kernels": [{"file", "line", "kernel", "needs": […], "targets": {…}}],
                     "errors": […]}
  --keep FOLDER      write the generated code of each kernel there, one file per target; --json lists the files
  --targets LIST     targets to check, separated by commas: ir (default), opencl, cuda, hip, spirv,
                     spirv-kernel, glsl, essl, msl, wgsl, ptx; or all. "cpu" compiles every kernel to machine code
                     for the cpu device
  -I FOLDER          add a folder to the header search path
  -D NAME[=VALUE]    define a macro
  --no-include       allow built-in headers only; use it for source text that you do not trust

examples:
  quern check nbody.cu
  quern check ~/src/simulation -I ~/src/include --all
  quern check kernels.cu --targets all
  quern check kernels.cu --targets ir,cpu

exit code: 0 all kernels pass, 1 some do not, 2 invalid usage, 3 no file could be read
)";

// What to check: a kind of code, or the cpu device.
struct Target {
  std::string name;
  driver::CodeKind kind = driver::CodeKind::kIr;
  bool is_device = false;
};

base::Result<std::vector<Target>> parse_list(const std::string& list) {
  std::vector<Target> out;
  for (const std::string_view name : base::split(list, ',')) {
    if (name == "cpu") {
      out.push_back({"cpu", driver::CodeKind::kIr, true});
      continue;
    }
    QUERN_TRY_ASSIGN(const std::vector<driver::CodeKind> kinds, parse_targets(name, "cpu"));
    for (const driver::CodeKind kind : kinds) out.push_back({std::string(driver::name(kind)), kind, false});
  }
  return out;
}

// Results of one compiled file for the kernels at one location; of several files the best result counts.
struct Verdict : lang::KernelInfo {
  std::vector<std::string> reasons;  // one per requested target; empty: it supports the kernel
  std::vector<std::string> files;    // likewise, the generated code; empty: not kept
  driver::FeatureSet needs;
  bool passes() const {
    return std::all_of(reasons.begin(), reasons.end(), [](const std::string& r) { return r.empty(); });
  }
};
using Verdicts = std::vector<Verdict>;
using Errors = std::vector<std::string>;

struct Place {
  std::string file;
  uint32_t line = 0;
  bool operator<(const Place& o) const { return file != o.file ? file < o.file : line < o.line; }
};

// The results of one file for the kernels it contains and includes.
struct FileVerdict {
  std::string file;
  std::map<Place, Verdicts> kernels;
  Errors errors;
  bool is_read = true;
};

class Checker {
 public:
  Checker(const Arguments& arguments, std::vector<Target> targets, std::unique_ptr<DeviceCheck> device)
      : arguments_(arguments),
        targets_(std::move(targets)),
        device_(std::move(device)),
        options_(compile_options(arguments)) {
    options_.check_uninstantiated = true;
    options_.max_errors = 1000;
  }

  Outcome run() {
    if (auto collected = collect(); !collected.ok()) return fail(kBadInput, collected.error());
    if (const auto folder = arguments_.value("--keep")) {
      if (auto made = base::make_folders(std::string(*folder)); !made.ok())
        return fail(kBadInput, made.error());
    }
    for (FileVerdict& verdict : examine_all(files_)) accept(std::move(verdict));
    for (const std::string& header : headers_) {  // kernels in headers that no .cu file includes
      if (!reached_.contains(header)) accept(examine(header));
    }
    if (unwritten_) return fail(kBadInput, *unwritten_);
    return arguments_.has("--json") ? print_json() : print_table();
  }

 private:
  base::Result<> collect() {
    for (const std::string& path : arguments_.operands()) {
      if (!base::file_exists(path) && !base::is_folder(path))
        return base::Error(base::ErrorKind::not_found, message::kNoSuchFile(path));
      if (!base::is_folder(path)) {
        files_.push_back(lang::normalise_path(path));
        continue;
      }
      QUERN_TRY_ASSIGN(const auto listed, base::list_files(path));
      for (const std::string& name : listed) {
        const std::string file = lang::normalise_path(name);  // as an #include of it will name it
        search_.add_file(file);
        const std::string_view extension = base::path_extension(file);
        if (extension == ".cu") files_.push_back(file);
        if (extension == ".cuh") headers_.push_back(file);
      }
      searching_ = true;
    }
    if (files_.empty() && headers_.empty())
      return base::Error(base::ErrorKind::not_found,
                         message::kNoCuFile(base::join(arguments_.operands(), ", ")));
    return {};
  }

  // Several files are compiled at a time; results are reported in the order of the files.
  std::vector<FileVerdict> examine_all(const std::vector<std::string>& files) const {
    std::vector<FileVerdict> verdicts(files.size());
    base::ProgressOptions shown = base::default_progress_options();
    shown.control = control_stream(stderr);
    base::Progress progress("check", files.size(), "files", shown);
    std::mutex mutex;
    std::atomic<size_t> next{0};
    const auto work = [&] {
      for (size_t i = next++; i < files.size(); i = next++) {
        {
          const std::lock_guard lock(mutex);
          progress.set_detail(files[i]);
        }
        verdicts[i] = examine(files[i]);
        const std::lock_guard lock(mutex);
        progress.advance();
      }
    };
    std::vector<std::thread> others;
    const size_t threads = std::min<size_t>(std::thread::hardware_concurrency(), files.size());
    base::grow_threads(others, threads > 1 ? threads - 1 : 0, work);
    work();
    for (std::thread& t : others) t.join();
    progress.finish();
    return verdicts;
  }

  FileVerdict examine(const std::string& file) const {
    FileVerdict verdict;
    verdict.file = file;
    lang::CompileOptions options = options_;
    if (searching_) {
      for (std::string& folder : search_.folders_for(file)) options.include_dirs.push_back(std::move(folder));
    }
    auto compiled = compile_file(file, options);
    if (!compiled.ok()) {
      verdict.is_read = false;
      verdict.errors.push_back(compiled.error().message());
      return verdict;
    }
    const bool has_kernels = !compiled->kernels.empty();
    for (lang::KernelInfo& k : compiled->kernels) {
      const Place place{k.file, k.line};
      verdict.kernels[place].push_back(classify(std::move(k), compiled->module));
    }
    if (has_kernels || compiled->ok) return verdict;
    for (const lang::Diagnostic& d : compiled->diagnostics) {
      if (d.severity != lang::Severity::kError) continue;
      const lang::FilePos pos = compiled->sources->resolve(d.loc);
      verdict.errors.push_back(base::format("%.*s:%u:%u: %s", static_cast<int>(pos.file.size()),
                                            pos.file.data(), pos.line, pos.column, d.message.str().c_str()));
      break;
    }
    return verdict;
  }

  void accept(FileVerdict verdict) {
    for (auto& [place, verdicts] : verdict.kernels) {
      reached_.insert(place.file);
      offer(place, std::move(verdicts), place.file != verdict.file);
    }
    has_read_ = has_read_ || verdict.is_read;
    for (std::string& e : verdict.errors) note_error(std::move(e));
  }

  void note_error(std::string text) {
    if (std::find(errors_.begin(), errors_.end(), text) == errors_.end()) errors_.push_back(std::move(text));
  }

  Verdict classify(lang::KernelInfo kernel, const ir::Module& module) const {
    Verdict v{std::move(kernel), {}, {}, {}};
    const ir::Function* f = v.ok ? module.find_function(v.name) : nullptr;
    if (f != nullptr) v.needs = target::describe(module, *f).needs;
    for (const Target& target : targets_) {
      std::string kept;
      v.reasons.push_back(f != nullptr ? refusal(target, module, *f, v.file, kept) : v.ok ? "" : v.reason);
      v.files.push_back(std::move(kept));
    }
    return v;
  }

  // Why the target does not support the kernel; empty: it does.
  std::string refusal(const Target& target, const ir::Module& module, const ir::Function& kernel,
                      const std::string& file, std::string& kept) const {
    if (target.is_device) {
      auto compiled = device_->compile(module, kernel, file);
      return compiled.ok() ? std::string() : compiled.error().message();
    }
    if (target.kind == driver::CodeKind::kIr) return {};
    auto code = emit_kernel(module, kernel, file, target.kind, false);
    if (!code.ok()) return code.error().message();
    if (const auto folder = arguments_.value("--keep")) {
      // Named by content: kernels with identical code share one file.
      kept = base::format("%s/%016llx.%s", std::string(*folder).c_str(),
                          static_cast<unsigned long long>(base::hash64(code->bytes)), target.name.c_str());
      if (auto written = base::write_file(kept, code->bytes); !written.ok()) {
        const std::lock_guard lock(unwritten_mutex_);
        unwritten_ = written.error();
      }
    }
    return {};
  }

  // A kernel may be compiled several times. The result that most targets support counts; among equals, that
  // of a file that includes it.
  void offer(const Place& place, Verdicts verdicts, bool is_included) {
    auto good = [](const Verdicts& v) {
      ptrdiff_t taken = 0;
      for (const Verdict& k : v) taken += std::count(k.reasons.begin(), k.reasons.end(), std::string());
      return taken;
    };
    Verdicts& known = kernels_[place];
    const auto share = good(verdicts) * static_cast<ptrdiff_t>(known.size());
    const auto share_known = good(known) * static_cast<ptrdiff_t>(verdicts.size());
    if (known.empty() || share > share_known || (is_included && share == share_known))
      known = std::move(verdicts);
  }

  int code() const {
    if (kernels_.empty() && (errors_.empty() || !has_read_)) return kBadInput;
    if (!errors_.empty()) return kFailed;
    for (const auto& [place, verdicts] : kernels_) {
      for (const Verdict& k : verdicts) {
        if (!k.passes()) return kFailed;
      }
    }
    return kOk;
  }

  Outcome print_json() const {
    base::JsonWriter json(2);
    json.begin_object().key("kernels").begin_array();
    for (const auto& [place, verdicts] : kernels_) {
      for (const Verdict& k : verdicts) {
        json.begin_object().member("file", k.file).member("line", k.line).member("kernel", k.name);
        json.key("needs").begin_array();
        for (const driver::Feature f : k.needs.list()) json.value(driver::name(f));
        json.end_array().key("targets").begin_object();
        for (size_t t = 0; t < targets_.size(); ++t) {
          json.key(targets_[t].name).begin_object().member("ok", k.reasons[t].empty());
          if (!k.reasons[t].empty()) json.member("reason", k.reasons[t]);
          if (!k.files[t].empty()) json.member("code", k.files[t]);
          json.end_object();
        }
        json.end_object().end_object();
      }
    }
    json.end_array().key("errors").begin_array();
    for (const std::string& e : errors_) json.value(e);
    json.end_array().end_object();
    const std::string text = json.take();
    std::fwrite(text.data(), 1, text.size(), stdout);
    return code();
  }

  Outcome print_table() const {
    const bool colour = base::wants_colour(stdout);
    std::vector<base::Column> columns = {{"kernel"}, {"file"}};
    for (const Target& target : targets_) columns.push_back({target.name, base::Align::kCentre});
    columns.push_back({"first reason"});
    base::Table table(std::move(columns));
    size_t total = 0, passed = 0;
    for (const auto& [place, verdicts] : kernels_) {
      for (const Verdict& k : verdicts) {
        ++total;
        passed += k.passes() ? 1 : 0;
        if (k.passes() && !arguments_.has("--all") && total > kShownAlways) continue;
        rows(table, k);
      }
    }
    if (!arguments_.has("--quiet") && table.row_count() > 0)
      std::fputs(table.to_string(colour).c_str(), stdout);
    for (const std::string& e : errors_) std::printf("  %s\n", e.c_str());
    if (total == 0 && errors_.empty()) {
      return fail(kBadInput, message::kNoKernel(base::join(arguments_.operands(), ", ")));
    }
    std::printf("%s%s in %s: %zu pass, %zu do not\n",
                table.row_count() > 0 && !arguments_.has("--quiet") ? "\n" : "",
                base::format_plural(total, "kernel").c_str(),
                base::format_plural(files_.size(), "file").c_str(), passed, total - passed);
    return code();
  }

  void rows(base::Table& table, const Verdict& k) const {
    std::vector<base::Cell> cells = {k.name, k.file + ":" + std::to_string(k.line)};
    std::string first;
    for (const std::string& reason : k.reasons) {
      cells.push_back(reason.empty() ? base::Cell("✓", base::Style::kGreen)
                                     : base::Cell("✗", base::Style::kRed));
      if (first.empty()) first = reason;
    }
    cells.emplace_back(first);
    table.add_row(std::move(cells));
  }

  static constexpr size_t kShownAlways = 40;  // short lists also show kernels that pass

  const Arguments& arguments_;
  std::vector<Target> targets_;
  std::unique_ptr<DeviceCheck> device_;  // if a target is a device
  lang::CompileOptions options_;
  HeaderSearch search_;
  bool searching_ = false;
  bool has_read_ = false;  // at least one file
  std::vector<std::string> files_, headers_, errors_;
  std::map<Place, Verdicts> kernels_;
  std::set<std::string> reached_;
  mutable std::mutex unwritten_mutex_;
  mutable std::optional<base::Error> unwritten_;  // why a file for --keep could not be written
};

Outcome run_check(const Arguments& arguments) {
  if (arguments.operands().empty()) return fail(kUsage, message::kCheckNeedsFiles());
  auto targets = parse_list(std::string(arguments.value("--targets").value_or("ir")));
  if (!targets.ok()) return fail(kUsage, targets.error());
  std::unique_ptr<DeviceCheck> device;
  if (std::any_of(targets->begin(), targets->end(), [](const Target& t) { return t.is_device; })) {
    auto opened = DeviceCheck::open("cpu");
    if (!opened.ok()) return fail(kBadInput, opened.error());
    device = std::move(*opened);
  }
  return Checker(arguments, std::move(*targets), std::move(device)).run();
}

}  // namespace

constinit const Command kCheckCommand = {"check", "check which targets support the kernels of files", kHelp,
                                         kOptions, run_check};

}  // namespace quern::tool
